import Bags
import Messages

/// Reads a bag from a time on and hands its moments over, ahead of the player.
struct TimestampGroupReader: Sendable {
    /// Moments that are handed over together; the first batch also has the last messages of latched topics.
    struct Batch: Sendable {
        var carried: [DecodedRow] = []
        /// Last messages of latched topics that are broken.
        var brokenCarried: [TimestampGroup.Broken] = []
        var moments: [TimestampGroup] = []
        /// Damage that was found, told with the last batch.
        var problems: [BagError] = []
        var missingCount = 0
        fileprivate var bytes = 0

        /// Enough that handing it over costs nothing, little enough that memory stays small.
        fileprivate var isFull: Bool { moments.count >= 256 || bytes >= 1 << 20 }
        fileprivate var isEmpty: Bool {
            carried.isEmpty && brokenCarried.isEmpty && moments.isEmpty && problems.isEmpty && missingCount == 0
        }

        fileprivate mutating func add(_ moment: TimestampGroup) {
            bytes += moment.bytes
            moments.append(moment)
        }
    }

    /// The way from the task that reads to the one that presents: a stream of batches, and one of the places for them.
    ///
    /// Not an `Outbox`: there is one producer, nothing is ever dropped, and the end carries the error of reading.
    struct Ahead: Sendable {
        let batches: AsyncThrowingStream<Batch, any Error>
        private let output: AsyncThrowingStream<Batch, any Error>.Continuation
        private let places: AsyncStream<Void>
        private let freed: AsyncStream<Void>.Continuation

        /// - Parameter limit: how many batches may wait to be presented.
        init(limit: Int) {
            (batches, output) = AsyncThrowingStream.makeStream()
            (places, freed) = AsyncStream.makeStream()
            for _ in 1..<max(limit, 2) { freed.yield() }
        }

        /// Hands over a batch, and waits for a place for the next one; returns false once none is wanted.
        func put(_ batch: Batch) async -> Bool {
            output.yield(batch)
            var free = places.makeAsyncIterator()
            return await free.next() != nil
        }

        func finish(throwing error: (any Error)? = nil) { output.finish(throwing: error) }

        /// Makes room for another batch.
        func noteTaken() { freed.yield() }
    }

    /// The longest time after which a batch is handed over.
    private static let patience = Duration.milliseconds(20)

    private let setup: BagPlaybackSetup
    private let decoder: PublishedRowDecoder

    init(_ setup: BagPlaybackSetup) {
        self.setup = setup
        decoder = PublishedRowDecoder(setup.published)
    }

    /// Reads until the end of the span, or until nothing more is wanted.
    ///
    /// Where reading fails, what was read before is handed over first.
    func read(from time: Int64, into ahead: Ahead) async throws {
        var batch = Batch()
        try carry(before: time, into: &batch)
        if let subscribed = setup.plan.playback.subscribed {
            try backfill(await subscribed.current.names, before: time, into: &batch)
        }
        let cursor = try setup.reader.rowsPassingDamage(setup.rows(from: time))
        var moment: TimestampGroup?
        var failure: (any Error)?
        do {
            guard try await read(cursor, &batch, &moment, into: ahead) else { return }
        } catch let error as BagError {
            failure = error
        }
        if var last = moment, !last.isEmpty {
            last.isComplete = true
            batch.add(last)
        }
        batch.problems += cursor.problems
        batch.missingCount += cursor.missingCount
        if !batch.isEmpty { _ = await ahead.put(batch) }
        if let failure { throw failure }
    }

    /// Reads moment by moment.
    ///
    /// - Returns: False where nothing more is wanted. The last moment stays in `moment`.
    private func read(
        _ cursor: BagRowCursor,
        _ batch: inout Batch,
        _ moment: inout TimestampGroup?,
        into ahead: Ahead
    ) async throws -> Bool {
        let clock = ContinuousClock()
        var began = clock.now
        while let row = try cursor.next() {
            try Task.checkCancellation()
            if var last = moment, last.timeNanoseconds != row.timeNanoseconds || last.isFull {
                last.isComplete = last.timeNanoseconds != row.timeNanoseconds
                if !last.isEmpty { batch.add(last) }
                moment = nil
            }
            if !batch.isEmpty, batch.isFull || clock.now - began > Self.patience {
                guard await ahead.put(batch) else { return false }
                batch = Batch()
                began = clock.now
            }
            var current = moment ?? TimestampGroup(timeNanoseconds: row.timeNanoseconds)
            // Only one reference is left, so that adding a row does not copy the arrays.
            moment = nil
            current.add(row, decoder)
            moment = current
        }
        return true
    }

    /// Carries the last messages of latched topics before a time; static transforms that still hold become one message.
    ///
    /// Where the last one is broken, it is told, and the one before it is carried.
    private func carry(before time: Int64, into batch: inout Batch) throws {
        let names = setup.latchedNames
        guard time > max(0, setup.firstTime), !names.isEmpty else { return }
        let cursor = try setup.reader.rowsPassingDamage(BagQuery(topics: names, last: time - 1))
        var transforms: [Int: StaticTransforms] = [:]
        var last: [Int: DecodedRow] = [:]
        var broken: [Int: TimestampGroup.Broken] = [:]
        while let row = try cursor.next() {
            try Task.checkCancellation()
            do {
                guard var decoded = try decoder.decode(row), let topic = setup.published[decoded.bagTopic] else {
                    continue
                }
                if topic.isStaticTree {
                    decoded.message = transforms[topic.topic, default: StaticTransforms()].add(decoded.message)
                }
                last[topic.topic] = decoded
                broken[row.topic] = nil
            } catch {
                broken[row.topic] = TimestampGroup.Broken(row, error)
            }
        }
        batch.carried = last.sorted { $0.key < $1.key }.map(\.value)
        batch.brokenCarried = broken.sorted { $0.key < $1.key }.map(\.value)
        batch.problems = cursor.problems
    }

    /// Carries the last message before a time of each subscribed topic, as far as a minute back.
    ///
    /// A broken one is left out, and counted where it is played itself. Rare topics are searched over longer parts of the
    /// bag, where the frequent ones are no longer read.
    private func backfill(_ names: Set<String>, before time: Int64, into batch: inout Batch) throws {
        guard time > max(0, setup.firstTime) else { return }
        var wanted = Set(
            setup.published.indices.filter { index in
                setup.published[index].map { !$0.isLatched && names.contains(setup.topics[$0.topic].name) } ?? false
            }
        )
        var end = time &- 1
        for milliseconds: Int64 in [300, 1_000, 4_000, 15_000, 40_000] where !wanted.isEmpty && end >= setup.firstTime {
            let first = max(setup.firstTime, end &- milliseconds * 1_000_000)
            let sources = Set(wanted.compactMap { setup.published[$0]?.sourceName })
            let cursor = try setup.reader.rowsPassingDamage(BagQuery(topics: sources, first: first, last: end))
            var last: [Int: BagRow] = [:]
            while let row = try cursor.next() {
                try Task.checkCancellation()
                if wanted.contains(row.topic) { last[row.topic] = row }
            }
            for (index, row) in last.sorted(by: { $0.key < $1.key }) {
                wanted.remove(index)
                if let decoded = try? decoder.decode(row) { batch.carried.append(decoded) }
            }
            end = first &- 1
        }
    }
}

/// A moment: the rows of a bag with one log time, or a part of them where they are many.
struct TimestampGroup: Sendable {
    /// A row that could not be read.
    struct Broken: Sendable {
        var bagTopic: Int
        var timeNanoseconds: Int64
        var reason: String

        init(_ row: BagRow, _ error: any Error) {
            (bagTopic, timeNanoseconds, reason) = (row.topic, row.timeNanoseconds, "\(error)")
        }
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

    mutating func add(_ row: BagRow, _ decoder: PublishedRowDecoder) {
        do {
            guard let decoded = try decoder.decode(row) else { return }
            bytes += decoded.message.encodedCDRSize
            rows.append(decoded)
        } catch {
            broken.append(Broken(row, error))
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

/// Finds the topic that each row belongs to, and decodes the row as a message of it.
struct PublishedRowDecoder: Sendable {
    let published: [PublishedTopic?]
    /// Indices of topics of JSON rows, which name their topic themselves, by that name.
    private let jsonTopics: [String: Int]

    init(_ published: [PublishedTopic?]) {
        self.published = published
        var jsonTopics: [String: Int] = [:]
        for (index, topic) in published.enumerated() {
            guard let topic, topic.decoder.serialization == .rosbridgeJSON else { continue }
            jsonTopics[topic.selectionName] = jsonTopics[topic.selectionName] ?? index
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

    /// The topic of a row: the one that a row in JSON names counts, where the bag has it.
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
