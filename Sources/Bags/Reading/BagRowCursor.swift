/// The rows of a bag in time order over all its files; one message of each file that is open is in memory.
///
/// Chunks that follow one another are read one after the other; where they overlap in time they are merged.
package final class BagRowCursor {
    private struct Source {
        let file: BagFile
        let rows: any StoredRows
        var head: BagRow
    }

    private let query: BagQuery
    private let tolerance: BagTolerance
    /// Files not opened yet, the earliest last.
    private var waiting: [BagFile]
    /// Files being read, in the order of their beginning.
    private var sources: [Source] = []
    private var passedProblems: [BagError] = []

    init(files: [BagFile], topics: [BagTopic], query: BagQuery, tolerance: BagTolerance) throws(BagError) {
        self.query = query
        self.tolerance = tolerance
        // A stable sort, so that files of equal time keep their playing order.
        waiting = files.enumerated()
            .filter { $0.element.overlaps(query) }
            .sorted { ($0.element.firstTime, $0.offset) > ($1.element.firstTime, $1.offset) }
            .map(\.element)
    }

    /// What a tolerant reader has passed over so far: places where the rest of a file, or a part of it, was unreadable.
    package var problems: [BagError] { passedProblems + sources.flatMap(\.rows.problems) }

    /// The next row, or nil at the end.
    package func next() throws(BagError) -> BagRow? {
        while let candidate = waiting.last,
            sources.allSatisfy({ candidate.firstTime < $0.head.timeNanoseconds })
        {
            waiting.removeLast()
            try open(candidate)
        }
        guard var earliest = sources.indices.first else { return nil }
        for index in sources.indices
        where sources[index].head.timeNanoseconds < sources[earliest].head.timeNanoseconds {
            earliest = index
        }
        let result = sources[earliest].head
        if let following = try row(sources[earliest].rows, sources[earliest].file) {
            sources[earliest].head = following
        } else {
            passedProblems += sources[earliest].rows.problems
            sources.remove(at: earliest)
        }
        return result
    }

    private func open(_ file: BagFile) throws(BagError) {
        let rows: any StoredRows
        do {
            rows = try file.open().rows(query)
        } catch {
            return try pass(error)
        }
        if let head = try row(rows, file) {
            sources.append(Source(file: file, rows: rows, head: head))
        } else {
            passedProblems += rows.problems
        }
    }

    private func row(_ rows: any StoredRows, _ file: BagFile) throws(BagError) -> BagRow? {
        do {
            while let stored = try rows.next() {
                guard let topic = file.indices[stored.topic] else { continue }
                return BagRow(topic: topic, timeNanoseconds: stored.time, bytes: stored.bytes)
            }
        } catch {
            try pass(error)
        }
        return nil
    }

    private func pass(_ error: BagError) throws(BagError) {
        guard tolerance.contains(.damage) else { throw error }
        passedProblems.append(error)
    }
}

extension BagFile {
    fileprivate var firstTime: Int64 { times?.first ?? .min }

    fileprivate func overlaps(_ query: BagQuery) -> Bool {
        guard let times else { return false }
        return times.first <= query.last && times.last >= query.first
    }
}
