import Messages

/// The last message of each latched topic, to be written again where a chunk begins.
///
/// Transforms are kept by child frame over all messages of their topic, as tf's listeners keep them.
struct LatchedRows {
    /// What is kept of a topic.
    enum Content {
        case message(any AnyMessage)
        /// A message whose type is not ours.
        case bytes([UInt8])
    }

    private struct Kept {
        let topic: Int
        var content: Content
        var transforms = StaticTransforms()
    }

    /// By topic index, ascending, so that the output does not depend on hash order.
    private var kept: [Kept] = []
    /// The topics that the chunk at hand does not have yet, and its first time.
    private var due: [Int] = []
    private var dueTime = Int64.min

    var hasDue: Bool { !due.isEmpty }

    /// Takes a message of a latched topic as what late subscribers get.
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

    /// Says that a chunk begins with a row of this time: all topics are due.
    mutating func beginChunk(at timeNanoseconds: Int64) {
        due = kept.map(\.topic)
        dueTime = timeNanoseconds
    }

    /// Whether a row of a latched topic stands for its repetition, which is not due any more then.
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

    /// What is due, in the order of the topics, and for which time; nothing is due afterwards.
    mutating func takeDue() -> (timeNanoseconds: Int64, rows: [(topic: Int, content: Content)]) {
        defer { due.removeAll(keepingCapacity: true) }
        return (dueTime, kept.filter { due.contains($0.topic) }.map { ($0.topic, $0.content) })
    }
}
