import BagConversion
import Bags
import DynamicMessages
import JSONText
import Messages

/// A message that was read, and where it belongs.
struct DecodedRow: Sendable {
    var channel: Int
    var message: DescribedMessage
    /// Keys that its type does not have.
    var unknown = UnknownFields()
    /// Whether it names another topic than the one it is filed under.
    var isMisfiled = false
}

/// Turns rows into messages; one that is not what its topic says is an error of its own.
struct RowDecoder: Sendable {
    let channels: [Channel?]
    /// The channel of JSON rows that name their topic themselves.
    private let jsonChannels: [String: Int]

    init(_ channels: [Channel?]) {
        self.channels = channels
        var jsonChannels: [String: Int] = [:]
        for (index, channel) in channels.enumerated() {
            guard let channel, channel.serialization == .rosbridgeJSON else { continue }
            jsonChannels[channel.ownName] = jsonChannels[channel.ownName] ?? index
        }
        self.jsonChannels = jsonChannels
    }

    /// - Returns: nil for a row of a topic that is not published.
    func decode(_ row: BagRow) throws -> DecodedRow? {
        guard channels.indices.contains(row.topic), let channel = channels[row.topic] else { return nil }
        guard (0...Channel.latestTime).contains(row.timeNanoseconds) else {
            throw StrangeTime(nanoseconds: row.timeNanoseconds)
        }
        switch channel.serialization {
        case .cdr:
            let message = try DescribedMessage(cdr: row.bytes, schema: channel.kind.schema)
            return DecodedRow(channel: row.topic, message: message)
        case .rosbridgeJSON: return try decodeJSON(row, channel)
        }
    }

    /// Reads a publish operation: the topic that it names counts, where the bag has it.
    private func decodeJSON(_ row: BagRow, _ filed: Channel) throws -> DecodedRow {
        let named = RosbridgeRow.topic(row.bytes).map { LegacyNames.topic($0.hasPrefix("/") ? $0 : "/" + $0) }
        let isMisfiled = named.map { $0 != filed.ownName } ?? false
        let index = isMisfiled ? named.flatMap { jsonChannels[$0] } ?? row.topic : row.topic
        let schema = (channels[index] ?? filed).kind.schema
        var unknown = UnknownFields()
        let (value, _) = try RosbridgeRow.read(row.bytes, keys: schema.jsonKeys) {
            try schema.decode(json: &$0, unknown: &unknown)
        }
        return DecodedRow(
            channel: index,
            message: try DescribedMessage(value, schema: schema),
            unknown: unknown,
            isMisfiled: isMisfiled
        )
    }
}

/// A row at a time that no ROS stamp holds.
private struct StrangeTime: Error, CustomStringConvertible {
    var nanoseconds: Int64
    var description: String { "expected a time from 1970 to 2038, found \(nanoseconds) ns" }
}
