package import Recording
import Text

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

/// The problems of a file of tags, counted by kind, with the first places of each.
package struct TagMapProblems: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        case field = "fields that are missing or wrong"
        case pose = "matrices that are no rigid motions"
        case repeatedPose = "poses whose number was there before"
        case unknownPose = "detections of poses that are not there"
        case corners = "detections without four corners"
        case madeCorners = "detections whose corners were computed from the pose"
    }

    package private(set) var counts: [Kind: Int] = [:]
    package private(set) var examples: [Kind: [String]] = [:]

    mutating func note(_ kind: Kind, _ place: String, expected: String, found: String) {
        counts[kind, default: 0] += 1
        if examples[kind, default: []].count < 3 {
            examples[kind, default: []].append("\(place): expected \(expected), found \(found)")
        }
    }

    package var count: Int { counts.values.reduce(0, +) }
}

/// Why a file is no map of tags.
package struct TagMapError: Error, Hashable, Sendable, CustomStringConvertible {
    package var expected: String
    package var found: String

    init(_ expected: String, found: String) {
        self.expected = expected
        self.found = found
    }

    package var description: String { "expected \(expected), found \(found)" }
}

/// Where tags truly are: lines `rpy ID x y z roll pitch yaw`, in metres and radians, z up.
package struct TagTruth: Sendable {
    package private(set) var places: [Int64: Vector3] = [:]

    /// - Throws: a ``TagMapError`` that names the line, for a file that has another form.
    package init(parsing text: String) throws(TagMapError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
            guard let first = words.first, first != "#", !first.hasPrefix("#") else { continue }
            let numbers = words.dropFirst(2).prefix(3).compactMap { Double($0) }.filter(\.isFinite)
            guard first == "rpy", words.count >= 5, let id = Int64(words[1]), numbers.count == 3 else {
                throw TagMapError("line \(index + 1) as rpy ID x y z ...", found: "\"\(line.prefix(80))\"")
            }
            places[id] = Vector3(numbers[0], numbers[1], numbers[2])
        }
        guard !places.isEmpty else { throw TagMapError("lines of rpy ID x y z ...", found: "none") }
    }
}
