import JSONText

/// A map of tags as a JSON file has it: as it was recorded, or as it was optimised.
package enum TagMapFile: Sendable {
    case raw(RawTagMap)
    case processed(ProcessedTagMap)

    /// - Throws: a ``TagMapError`` for what is no JSON or neither of the two.
    package init(parsing bytes: [UInt8]) throws(TagMapError) {
        let root = try Self.root(bytes)
        self = root["tag_vertices"] == nil ? .raw(try RawTagMap(root)) : .processed(try ProcessedTagMap(root))
    }

    fileprivate static func root(_ bytes: [UInt8]) throws(TagMapError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue.parse(bytes, valueLimit: 8_000_000, allowsNonFinite: true)
        } catch {
            throw TagMapError("a JSON file", found: "\(error)")
        }
    }
}

extension RawTagMap {
    package init(parsing bytes: [UInt8]) throws(TagMapError) { try self.init(TagMapFile.root(bytes)) }
}

extension ProcessedTagMap {
    package init(parsing bytes: [UInt8]) throws(TagMapError) { try self.init(TagMapFile.root(bytes)) }
}
