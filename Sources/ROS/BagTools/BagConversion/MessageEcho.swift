package import Bags
package import Messages
import Text

/// Shows the messages of a topic as text, by whatever is known of their type.
package struct MessageEcho {
    package enum Form: Sendable {
        /// As `ros2 topic echo` prints; long arrays cut unless `isFull`.
        case yaml(isFull: Bool)
        /// A line of JSON for each message, with its topic and time.
        case jsonLines
    }

    private let cursor: BagRowCursor
    /// The topics by the topic numbers of the rows; nil for messages of plain JSON, which need no type.
    private var topics: [Int: (decoder: RowDecoder, schema: MessageSchema)?] = [:]
    private let form: Form
    private let name: String

    /// - Throws: `BagError.unknownTopic` for a topic that the bag has not, or whose type is unknown.
    package init(_ reader: BagReader, topic: String, form: Form, types: TypeResolver) throws(BagError) {
        // Some bags have names without the slash, and some users leave it out.
        let absolute = topic.hasPrefix("/") ? topic : "/" + topic
        let name = reader.topics.contains { $0.name == topic } ? topic : absolute
        self.name = name
        self.form = form
        for (index, stored) in reader.topics.enumerated() where stored.name == name {
            if stored.serializationFormat == Self.plainJSON {
                topics[index] = .some(nil)
                continue
            }
            guard !stored.isOfForeignForm else {
                let found = "\"\(stored.serializationFormat)\""
                throw .unknownTopic(name, reason: "expected messages in cdr, rosbridge_json or json, found \(found)")
            }
            do {
                let schema = try types.resolve(TypeClaim(stored)).schema
                topics[index] = (RowDecoder(schema, format: stored.serializationFormat), schema)
            } catch {
                throw .unknownTopic(name, reason: "\(error)")
            }
        }
        guard !topics.isEmpty else {
            let known = reader.topics.map(\.name).sorted().joined(separator: ", ")
            throw .unknownTopic(
                name,
                reason: "expected one of \(known.isEmpty ? "no topics" : known), found none of that name"
            )
        }
        cursor = try reader.rows(BagQuery(topics: [name]))
    }

    /// The serialization format that .mcap files name for JSON that is no publish operation of rosbridge.
    private static let plainJSON = "json"

    /// The problems that were passed over so far, as they could not be read.
    package var problems: [BagError] { cursor.problems }

    /// The text of the next message, with its line end; nil at the end of the bag.
    ///
    /// A message that is not what its topic says becomes an error of its own; the next call goes on behind it.
    package mutating func next() throws(BagError) -> [UInt8]? {
        guard let row = try cursor.next(), let topic = topics[row.topic] else { return nil }
        do {
            guard let topic else { return try text(row, JSONValue.parse(row.bytes)) }
            return try text(row, topic.schema.value(of: topic.decoder.decode(row.bytes)), topic.schema)
        } catch {
            throw .message(topic: name, reason: "at \(row.timeNanoseconds) ns: \(error)")
        }
    }

    private func text(_ row: BagRow, _ value: DynamicValue, _ schema: MessageSchema) throws -> [UInt8] {
        var bytes: [UInt8] = []
        switch form {
        case .yaml(let isFull): try schema.appendYAML(value, to: &bytes, isFull: isFull)
        case .jsonLines:
            appendHead(of: row, to: &bytes)
            try schema.appendJSONLine(value, to: &bytes)
            if bytes.last == 0x0A { bytes.removeLast() }
            bytes += "}\n".utf8
        }
        return bytes
    }

    /// A message of plain JSON: JSON is YAML too.
    private func text(_ row: BagRow, _ value: JSONValue) -> [UInt8] {
        var bytes: [UInt8] = []
        switch form {
        case .yaml: bytes += (value.text(style: .pretty) + "\n---\n").utf8
        case .jsonLines:
            appendHead(of: row, to: &bytes)
            bytes += (value.text() + "}\n").utf8
        }
        return bytes
    }

    private func appendHead(of row: BagRow, to bytes: inout [UInt8]) {
        bytes += #"{"topic":"#.utf8
        JSONAppend.string(name, to: &bytes)
        bytes += #","stamp_ns":\#(row.timeNanoseconds),"msg":"#.utf8
    }
}
