/// A row of one of several files.
struct MergedRow {
    /// The place of its file in the bag.
    var file: Int
    /// Index into the bag's topics.
    var topic: Int
    var stored: StoredRow
}

/// The rows of several files in time order.
///
/// Files that follow one another are read one after the other; where they overlap in time they are merged, and equal
/// times come in playing order.
final class RowMerger {
    fileprivate struct Source {
        let file: Int
        let rows: any StoredRows
        var head: MergedRow
    }

    private let files: [BagFile]
    private let topics: [BagTopic]
    private let query: BagQuery
    /// How many of the first bytes are wanted by topic of the bag; nil for all.
    private let wantedBytes: [Int]?
    private let tolerance: BagTolerance
    /// Files not opened yet, the earliest last.
    private var waiting: [Int]
    /// Files being read, in the order of their beginning.
    private var sources: [Source] = []
    private var passedProblems: [BagError] = []
    private var passedMissing = 0

    init(_ reader: BagReader, query: BagQuery, wantedBytes: [Int]?, tolerance: BagTolerance? = nil) {
        let files = reader.storageFiles
        self.files = files
        topics = reader.topics
        self.query = query
        self.wantedBytes = wantedBytes
        self.tolerance = tolerance ?? reader.tolerance
        // A stable sort, so that files of equal time keep their playing order.
        waiting = files.indices
            .filter { files[$0].overlaps(query) }
            .sorted { (files[$0].firstTime, $0) > (files[$1].firstTime, $1) }
    }

    /// The problems that were passed over so far.
    var problems: [BagError] { passedProblems + sources.flatMap(\.rows.account.problems) }

    /// How many rows are known to be missing of those that were asked for, so far.
    var missingCount: Int { passedMissing + sources.reduce(0) { $0 + $1.rows.account.missingCount } }

    func next() throws(BagError) -> MergedRow? {
        while let candidate = waiting.last,
            sources.allSatisfy({ files[candidate].firstTime <= $0.head.stored.time })
        {
            waiting.removeLast()
            try open(candidate)
        }
        guard var earliest = sources.indices.first else { return nil }
        for index in sources.indices where sources[index].isBefore(sources[earliest]) { earliest = index }
        let result = sources[earliest].head
        if let following = try row(sources[earliest].rows, sources[earliest].file) {
            sources[earliest].head = following
        } else {
            close(sources[earliest].rows)
            sources.remove(at: earliest)
        }
        return result
    }

    private func open(_ index: Int) throws(BagError) {
        let file = files[index]
        let bytes = wantedBytes.map { wanted in file.indices.mapValues { wanted[$0] } }
        let rows: any StoredRows
        do {
            rows = try file.rows(query, wantedBytes: bytes, tolerating: tolerance)
        } catch {
            try pass(error)
            passedMissing += file.census.isComplete ? clampedSum(file.census.counts.values) : 0
            return
        }
        if let head = try row(rows, index) {
            sources.append(Source(file: index, rows: rows, head: head))
        } else {
            close(rows)
        }
    }

    private func close(_ rows: any StoredRows) {
        passedProblems += rows.account.problems
        passedMissing += rows.account.missingCount
    }

    private func row(_ rows: any StoredRows, _ file: Int) throws(BagError) -> MergedRow? {
        do {
            while let stored = try rows.next() {
                guard let topic = files[file].indices[stored.topic] else { continue }
                return MergedRow(file: file, topic: topic, stored: stored)
            }
        } catch {
            try pass(error)
            passedMissing += lostCount(file, rows)
        }
        return nil
    }

    /// How many of a file's rows did not come, where its reading broke off and all of them were asked for.
    private func lostCount(_ file: Int, _ rows: any StoredRows) -> Int {
        guard query.first == .min, query.last == .max, files[file].census.isComplete else { return 0 }
        let wanted = files[file].indices.filter { query.topics?.contains(topics[$0.value].name) ?? true }.keys
        let expected = clampedSum(wanted.map { files[file].census.counts[$0] ?? 0 })
        return max(0, expected - rows.account.handedCount - rows.account.missingCount)
    }

    private func pass(_ error: BagError) throws(BagError) {
        guard tolerance.contains(.damage) else { throw error }
        passedProblems.append(error)
    }
}

extension RowMerger.Source {
    fileprivate func isBefore(_ other: RowMerger.Source) -> Bool {
        (head.stored.time, file) < (other.head.stored.time, other.file)
    }
}

extension BagFile {
    fileprivate var firstTime: Int64 { times?.first ?? .min }

    fileprivate func overlaps(_ query: BagQuery) -> Bool {
        guard let times else { return false }
        return times.first <= query.last && times.last >= query.first
    }
}

/// Recognises rows that are there twice: of one topic, with the same bytes, and of one time or with one stamp in them.
///
/// A publisher that loses its connection sends again what may not have arrived, so the copy comes a while later; a recorder files
/// it by the time of its receipt.
package struct RepeatedRows<Topic: Hashable> {
    /// Rows of a topic among which a copy is looked for.
    private static var window: Int { 4096 }
    /// A connection that was lost is there again within this time.
    private static var longestNanoseconds: UInt64 { 60_000_000_000 }

    private struct Key: Hashable {
        var time: Int64
        var digest: Int
    }

    private final class Recent {
        var keys: Set<Key> = []
        /// The time of the last row of each digest.
        var latest: [Int: Int64] = [:]
        /// The oldest is overwritten once it is full.
        var ring: [Key] = []
        var next = 0

        func remember(_ key: Key) {
            keys.insert(key)
            latest[key.digest] = key.time
            guard ring.count >= RepeatedRows.window else { return ring.append(key) }
            let oldest = ring[next]
            keys.remove(oldest)
            if latest[oldest.digest] == oldest.time { latest[oldest.digest] = nil }
            ring[next] = key
            next = (next + 1) % RepeatedRows.window
        }
    }

    private var topics: [Topic: Recent] = [:]

    package init() {}

    /// True if this is a copy of a row before it; it is one of those from now on.
    ///
    /// - Parameter stamp: the time that the message itself says, asked for where the same bytes came at another time; `nil`
    ///   where it says none, or may well be sent again.
    package mutating func isRepeated(
        topic: Topic,
        timeNanoseconds time: Int64,
        bytes: UnsafeRawBufferPointer,
        stamp: () -> Int64?
    ) -> Bool {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        let key = Key(time: time, digest: hasher.finalize())
        let recent = topics[topic] ?? Recent()
        topics[topic] = recent
        guard !recent.keys.contains(key) else { return true }
        if let last = recent.latest[key.digest], (time &- last).magnitude <= Self.longestNanoseconds, stamp() ?? 0 != 0
        {
            return true
        }
        recent.remember(key)
        return false
    }
}
