package import Bags
package import Messages
import Text

/// A recording that a server of Arvos's SDK made: an `.mcap` file with channels under `/arvos/`, none of them of ROS.
///
/// Telemetry is JSON and has uptime as its time; frames in `/arvos/binary` have Unix time, and uptime inside. That is
/// where the one offset between the two comes from.
package struct ArvosArchive {
    /// Where the archive's Unix time comes from.
    package enum TimeSource: String, Sendable {
        case frames = "the file's times of /arvos/binary"
        case unixAlready = "the phone's times, which are Unix time"
        /// Nothing says when it was recorded: stamps count from the start of the phone.
        case none = "none: stamps are seconds since the phone started"
    }

    private static let frameTopic = "/arvos/binary"
    private let reader: BagReader
    private let clock: ArvosClock
    package let timeSource: TimeSource

    /// Nil for a bag that is something else.
    package init?(_ reader: BagReader) throws(BagError) {
        guard reader.metadata.storageIdentifier == "mcap", !reader.topics.isEmpty,
            reader.topics.allSatisfy({ $0.name.hasPrefix("/arvos/") && Self.isForeign($0) })
        else { return nil }
        self.reader = reader
        var offset: Int64?
        let frames = try reader.rows(BagQuery(topics: [Self.frameTopic]))
        while offset == nil, let row = try frames.next() {
            guard let time = (try? ArvosParser.binary(row.bytes)).flatMap({ try? $0.timestamp() }) else { continue }
            offset = row.timeNanoseconds &- time
        }
        let first = reader.times?.first ?? 0
        if ArvosClock(first: first, receivedNanoseconds: 0).isUnix {
            (timeSource, clock) = (.unixAlready, ArvosClock(offsetNanoseconds: 0))
        } else {
            timeSource = offset == nil ? .none : .frames
            clock = ArvosClock(offsetNanoseconds: offset ?? 0)
        }
    }

    private static func isForeign(_ topic: BagTopic) -> Bool {
        topic.serializationFormat == "json" || topic.serializationFormat == "application/octet-stream"
    }

    /// The oddities of the file, such as an end that is missing.
    package var warnings: [String] { reader.warnings }

    /// The provenance of a bag that is made of it.
    package var provenance: [String: String] {
        [
            "mapeverything.frames": "ros", "mapeverything.epoch_offset_ns": "\(clock.offsetNanoseconds)",
            "mapeverything.epoch_source": timeSource.rawValue,
        ]
    }

    /// The result of reading the file.
    package struct Outcome {
        package var counts = ArvosCounts()
        /// Where the rest of a file, or a part of it, was unreadable.
        package var problems: [BagError] = []
        /// Rows that are known to be missing because of that.
        package var missingCount = 0
    }

    /// Hands on everything as messages, in the order of the phone's clock.
    package func read(
        _ naming: ArvosNaming,
        into take: (StampedMessage) async throws -> Void
    ) async throws -> Outcome {
        let ledger = ArvosLedger(clock: clock)
        let others = Set(reader.topics.map(\.name)).subtracting([Self.frameTopic])
        var streams = try [others, [Self.frameTopic]].filter { !$0.isEmpty }.map { topics in
            Stream(rows: try reader.rows(BagQuery(topics: topics)), naming: naming, ledger: ledger)
        }
        for place in streams.indices { try streams[place].advance(reader) }
        while let next = streams.indices.filter({ streams[$0].time != nil })
            .min(by: { streams[$0].time ?? 0 < streams[$1].time ?? 0 })
        {
            for message in streams[next].messages { try await take(message) }
            try streams[next].advance(reader)
            try Task.checkCancellation()
        }
        return Outcome(
            counts: ledger.counts,
            problems: reader.problems + streams.flatMap(\.rows.problems),
            missingCount: streams.reduce(0) { $0 + $1.rows.missingCount }
        )
    }

    /// The rows of some channels, decoded one ahead.
    private struct Stream {
        let rows: BagRowCursor
        let decoder: ArvosDecoder
        private(set) var messages: [StampedMessage] = []

        init(rows: BagRowCursor, naming: ArvosNaming, ledger: ArvosLedger) {
            self.rows = rows
            decoder = ArvosDecoder(naming, ledger: ledger) { 0 }
        }

        /// The time of what comes next; nil at the end.
        var time: Int64? { messages.first?.timeNanoseconds }

        mutating func advance(_ reader: BagReader) throws {
            messages = []
            while messages.isEmpty, let row = try rows.next() {
                let isFrame = reader.topics[row.topic].serializationFormat != "json"
                messages = isFrame ? decoder.messages(binary: row.bytes) : decoder.messages(text: row.bytes)
            }
        }
    }
}
