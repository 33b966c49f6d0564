import Messages

/// Keeps the last message of each latched topic, to repeat it at the start of each chunk.
///
/// Transforms are merged by child frame over all messages of their topic, as tf listeners do.
struct LatchedRows {
    /// The kept message of a topic.
    enum Content {
        case message(any AnyMessage)
        /// The bytes of a row that was not decoded.
        case bytes([UInt8])
    }

    private struct Kept {
        let topic: Int
        var content: Content
        var transforms = StaticTransforms()
    }

    /// The kept messages by ascending topic index, so that the output does not depend on hash order.
    private var kept: [Kept] = []
    /// The topics that the current chunk lacks, and the chunk's first time.
    private var due: [Int] = []
    private var dueTime = Int64.min

    var hasDue: Bool { !due.isEmpty }

    /// Keeps a message of a latched topic for the next chunks.
    mutating func note(_ content: Content, topic: Int) {
        let place = kept.firstIndex { $0.topic >= topic } ?? kept.endIndex
        if place == kept.endIndex || kept[place].topic != topic {
            kept.insert(Kept(topic: topic, content: content), at: place)
        }
        switch content {
        case .message(let message): kept[place].content = .message(kept[place].transforms.add(message))
        case .bytes: kept[place].content = content
        }
    }

    /// Notes that a chunk begins with a row of this time: all latched topics are due.
    mutating func beginChunk(at timeNanoseconds: Int64) {
        due = kept.map(\.topic)
        dueTime = timeNanoseconds
    }

    /// True if a row of a latched topic replaces its repetition, which is then no longer due.
    mutating func replaces(_ content: Content, topic: Int, timeNanoseconds: Int64) -> Bool {
        guard timeNanoseconds == dueTime else { return false }
        guard let place = due.firstIndex(of: topic) else { return true }
        if case .message(let message) = content,
            kept.first(where: { $0.topic == topic })?.transforms.isCovered(by: message) == false
        {
            return false
        }
        due.remove(at: place)
        return true
    }

    /// Removes and returns the repetitions that are due, in topic order, with their time.
    mutating func takeDue() -> (timeNanoseconds: Int64, rows: [(topic: Int, content: Content)]) {
        defer { due.removeAll(keepingCapacity: true) }
        return (dueTime, kept.filter { due.contains($0.topic) }.map { ($0.topic, $0.content) })
    }
}
