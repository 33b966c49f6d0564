import Bags
import DynamicMessages
import ROS

/// Reads a bag from a time on and hands its moments over, ahead of whoever plays them.
struct MomentReader: Sendable {
    /// What is handed over at once; the first of all has what latched topics said before.
    struct Batch: Sendable {
        var carried: [DecodedRow] = []
        var moments: [Moment] = []
        fileprivate var bytes = 0

        /// Enough that handing it over costs nothing, little enough that memory stays small.
        fileprivate var isFull: Bool { moments.count >= 256 || bytes >= 1 << 20 }
        fileprivate var isEmpty: Bool { carried.isEmpty && moments.isEmpty }

        fileprivate mutating func add(_ moment: Moment) {
            bytes += moment.bytes
            moments.append(moment)
        }
    }

    /// Nobody waits longer than this for what is read already.
    private static let patience = Duration.milliseconds(20)

    private let setup: BagPlaybackSetup
    private let decoder: RowDecoder

    init(_ setup: BagPlaybackSetup) {
        self.setup = setup
        decoder = RowDecoder(setup.channels)
    }

    /// Reads until the end of the span, or until nothing more is wanted.
    func read(from time: Int64, into ahead: ReadAhead<Batch>) async throws {
        let clock = ContinuousClock()
        var batch = Batch()
        batch.carried = try carried(before: time)
        var began = clock.now
        let cursor = try setup.reader.rows(setup.rows(from: time))
        var moment: Moment?
        while let row = try cursor.next() {
            try Task.checkCancellation()
            if var last = moment, last.timeNanoseconds != row.timeNanoseconds || last.isFull {
                last.isComplete = last.timeNanoseconds != row.timeNanoseconds
                if !last.isEmpty { batch.add(last) }
                moment = nil
            }
            if !batch.isEmpty, batch.isFull || clock.now - began > Self.patience {
                guard await ahead.put(batch) else { return }
                batch = Batch()
                began = clock.now
            }
            var current = moment ?? Moment(timeNanoseconds: row.timeNanoseconds)
            moment = nil
            current.add(row, decoder)
            moment = current
        }
        if var last = moment, !last.isEmpty {
            last.isComplete = true
            batch.add(last)
        }
        if !batch.isEmpty { _ = await ahead.put(batch) }
    }

    /// What latched topics said last before a time: of static transforms all that still hold, in one message.
    private func carried(before time: Int64) throws -> [DecodedRow] {
        let names = setup.latchedNames
        guard time > max(0, setup.firstTime), !names.isEmpty else { return [] }
        let cursor = try setup.reader.rows(BagQuery(topics: names, last: time - 1))
        var trees: [Int: StaticTree] = [:]
        var last: [Int: DecodedRow] = [:]
        while let row = try cursor.next() {
            try Task.checkCancellation()
            guard var decoded = try? decoder.decode(row), let channel = setup.channels[decoded.channel] else {
                continue
            }
            if channel.isStaticTree {
                decoded.message = trees[channel.topic, default: StaticTree()].add(decoded.message)
            }
            last[channel.topic] = decoded
        }
        return last.sorted { $0.key < $1.key }.map(\.value)
    }
}
