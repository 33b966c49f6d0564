import Bags
import Messages

/// What a bag has at one time, or a part of it where that is much.
struct TimestampGroup: Sendable {
    /// A row that could not be read.
    struct Broken: Sendable {
        var channel: Int
        var reason: String
    }

    var timeNanoseconds: Int64
    var rows: [DecodedRow] = []
    var broken: [Broken] = []
    /// Whether it is the last part of its time.
    var isComplete = false
    private(set) var bytes = 0

    init(timeNanoseconds: Int64) { self.timeNanoseconds = timeNanoseconds }

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
