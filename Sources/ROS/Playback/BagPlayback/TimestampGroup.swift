import Bags
import Messages

/// The rows of a bag at one time, or a part of them where they are many.
struct TimestampGroup: Sendable {
    /// A row that could not be read.
    struct Broken: Sendable {
        var channel: Int
        var reason: String
    }

    var timeNanoseconds: Int64
    var rows: [DecodedRow] = []
    var broken: [Broken] = []
    /// True if it is the last part of its time.
    var isComplete = false
    private(set) var bytes = 0

    /// So much that a part of it is handed on before the rest is read.
    var isFull: Bool { rows.count + broken.count >= 256 || bytes >= 1 << 20 }
    var isEmpty: Bool { rows.isEmpty && broken.isEmpty }

    mutating func add(_ row: BagRow, _ decoder: ChannelDecoder) {
        do {
            guard let decoded = try decoder.decode(row) else { return }
            bytes += decoded.message.encodedCDRSize
            rows.append(decoded)
        } catch {
            broken.append(Broken(channel: row.topic, reason: "\(error)"))
        }
    }
}

/// A message that was read, and where it belongs.
struct DecodedRow: Sendable {
    var channel: Int
    var message: any AnyMessage
    /// Keys that its type does not have.
    var unknown = UnknownFields()
    /// True if it names another topic than the one it is filed under.
    var isMisfiled = false
}

/// Finds the channel that each row belongs to, and reads the row as a message of it.
struct ChannelDecoder: Sendable {
    let channels: [Channel?]
    /// The channel of JSON rows that name their topic themselves.
    private let jsonChannels: [String: Int]

    init(_ channels: [Channel?]) {
        self.channels = channels
        var jsonChannels: [String: Int] = [:]
        for (index, channel) in channels.enumerated() {
            guard let channel, channel.decoder.serialization == .rosbridgeJSON else { continue }
            jsonChannels[channel.ownName] = jsonChannels[channel.ownName] ?? index
        }
        self.jsonChannels = jsonChannels
    }

    /// - Returns: nil for a row of a topic that is not published.
    /// - Throws: what says why the row is no message of its topic.
    func decode(_ row: BagRow) throws -> DecodedRow? {
        guard channels.indices.contains(row.topic), let filed = channels[row.topic] else { return nil }
        guard (0...Channel.latestTime).contains(row.timeNanoseconds) else {
            throw StrangeTime(nanoseconds: row.timeNanoseconds)
        }
        let (index, isMisfiled) = channel(of: row, filed)
        var unknown = UnknownFields()
        let message = try (channels[index] ?? filed).decoder.decode(row.bytes, unknown: &unknown).message
        return DecodedRow(channel: index, message: message, unknown: unknown, isMisfiled: isMisfiled)
    }

    /// The channel of a row: the topic that a row in JSON names counts, where the bag has it.
    private func channel(of row: BagRow, _ filed: Channel) -> (index: Int, isMisfiled: Bool) {
        guard filed.decoder.serialization == .rosbridgeJSON, let topic = RosbridgeRow.topic(row.bytes) else {
            return (row.topic, false)
        }
        let name = LegacyNames.topic(topic.hasPrefix("/") ? topic : "/" + topic)
        return name == filed.ownName ? (row.topic, false) : (jsonChannels[name] ?? row.topic, true)
    }
}

/// A row at a time that no ROS stamp holds.
private struct StrangeTime: Error, CustomStringConvertible {
    var nanoseconds: Int64
    var description: String { "expected a time from 1970 to 2038, found \(nanoseconds) ns" }
}
