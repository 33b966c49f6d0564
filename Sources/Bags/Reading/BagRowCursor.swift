import SystemPackage

/// The rows of a bag in time order over all its files; one message of each file that is open is in memory.
///
/// Chunks that follow one another are read one after the other; where they overlap in time they are merged.
package final class BagRowCursor {
    private struct Source {
        var cursor: ChunkCursor
        /// Index into the bag's topics by the file's own topic number.
        var indices: [Int64: Int]
        var head: BagRow
    }

    private struct Waiting {
        var file: FilePath
        var firstTime: Int64
    }

    private let topics: [BagTopic]
    private let query: BagQuery
    /// Files not opened yet, the earliest last.
    private var waiting: [Waiting] = []
    /// Files being read, in playing order.
    private var sources: [Source] = []

    init(files: [FilePath], topics: [BagTopic], query: BagQuery) throws(BagError) {
        self.topics = topics
        self.query = query
        for file in files {
            guard let first = try ChunkReader(opening: file).firstTime() else { continue }
            waiting.append(Waiting(file: file, firstTime: first))
        }
        // A stable sort, so that files of equal time keep their playing order.
        waiting = waiting.enumerated()
            .sorted { ($0.element.firstTime, $0.offset) > ($1.element.firstTime, $1.offset) }
            .map(\.element)
    }

    /// The next row, or nil at the end.
    package func next() throws(BagError) -> BagRow? {
        while let candidate = waiting.last, sources.allSatisfy({ candidate.firstTime < $0.head.timeNanoseconds }) {
            waiting.removeLast()
            let chunk = try ChunkReader(opening: candidate.file)
            let cursor = try chunk.rows(query)
            let indices = chunk.topics.mapValues { stored in
                topics.firstIndex { $0.name == stored.topic.name && $0.typeName == stored.topic.typeName } ?? 0
            }
            guard let head = try row(from: cursor, indices) else { continue }
            sources.append(Source(cursor: cursor, indices: indices, head: head))
        }
        guard var earliest = sources.indices.first else { return nil }
        for index in sources.indices
        where sources[index].head.timeNanoseconds < sources[earliest].head.timeNanoseconds {
            earliest = index
        }
        let result = sources[earliest].head
        if let following = try row(from: sources[earliest].cursor, sources[earliest].indices) {
            sources[earliest].head = following
        } else {
            sources.remove(at: earliest)
        }
        return result
    }

    private func row(from cursor: ChunkCursor, _ indices: [Int64: Int]) throws(BagError) -> BagRow? {
        guard let (topic, time, bytes) = try cursor.next() else { return nil }
        return BagRow(topic: indices[topic] ?? 0, timeNanoseconds: time, bytes: bytes)
    }
}
