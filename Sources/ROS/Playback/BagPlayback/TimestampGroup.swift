import Bags
import Messages

/// The rows of a bag at one time, or a part of them where they are many.
struct TimestampGroup: Sendable {
    /// A row that could not be read.
    struct Broken: Sendable {
        var bagTopic: Int
        var reason: String
    }

    var timeNanoseconds: Int64
    var rows: [DecodedRow] = []
    var broken: [Broken] = []
    /// True if it is the last part of its time.
    var isComplete = false
    private(set) var bytes = 0

    init(timeNanoseconds: Int64) { self.timeNanoseconds = timeNanoseconds }

    /// So much that a part of it is handed on before the rest is read.
    var isFull: Bool { rows.count + broken.count >= 256 || bytes >= 1 << 20 }
    var isEmpty: Bool { rows.isEmpty && broken.isEmpty }

    mutating func add(_ row: BagRow, _ decoder: PublishedRowDecoder) {
        do {
            guard let decoded = try decoder.decode(row) else { return }
            bytes += decoded.message.encodedCDRSize
            rows.append(decoded)
        } catch {
            broken.append(Broken(bagTopic: row.topic, reason: "\(error)"))
        }
    }
}

/// A message that was read, and where it belongs.
struct DecodedRow: Sendable {
    var bagTopic: Int
    var message: any AnyMessage
    /// Keys that its type does not have.
    var unknown = UnknownFields()
    /// True if it names another topic than the one it is filed under.
    var isMisfiled = false
}

/// Finds the bagTopic that each row belongs to, and reads the row as a message of it.
struct PublishedRowDecoder: Sendable {
    let published: [PublishedTopic?]
    /// The bagTopic of JSON rows that name their topic themselves.
    private let jsonTopics: [String: Int]

    init(_ published: [PublishedTopic?]) {
        self.published = published
        var jsonTopics: [String: Int] = [:]
        for (index, bagTopic) in published.enumerated() {
            guard let bagTopic, bagTopic.decoder.serialization == .rosbridgeJSON else { continue }
            jsonTopics[bagTopic.selectionName] = jsonTopics[bagTopic.selectionName] ?? index
        }
        self.jsonTopics = jsonTopics
    }

    /// - Returns: nil for a row of a topic that is not published.
    /// - Throws: what says why the row is no message of its topic.
    func decode(_ row: BagRow) throws -> DecodedRow? {
        guard published.indices.contains(row.topic), let filed = published[row.topic] else { return nil }
        guard (0...PublishedTopic.latestTime).contains(row.timeNanoseconds) else {
            throw StrangeTime(nanoseconds: row.timeNanoseconds)
        }
        let (index, isMisfiled) = bagTopic(of: row, filed)
        var unknown = UnknownFields()
        let message = try (published[index] ?? filed).decoder.decode(row.bytes, unknown: &unknown).message
        return DecodedRow(bagTopic: index, message: message, unknown: unknown, isMisfiled: isMisfiled)
    }

    /// The bagTopic of a row: the topic that a row in JSON names counts, where the bag has it.
    private func bagTopic(of row: BagRow, _ filed: PublishedTopic) -> (index: Int, isMisfiled: Bool) {
        guard filed.decoder.serialization == .rosbridgeJSON, let topic = RosbridgeRow.topic(row.bytes) else {
            return (row.topic, false)
        }
        let name = LegacyNames.topic(topic.hasPrefix("/") ? topic : "/" + topic)
        return name == filed.selectionName ? (row.topic, false) : (jsonTopics[name] ?? row.topic, true)
    }
}

/// A row at a time that no ROS stamp holds.
private struct StrangeTime: Error, CustomStringConvertible {
    var nanoseconds: Int64
    var description: String { "expected a time from 1970 to 2038, found \(nanoseconds) ns" }
}
