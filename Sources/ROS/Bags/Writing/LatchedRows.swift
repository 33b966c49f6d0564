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

    /// By topic index, ascending, so that the output does not depend on hash order.
    private var contents: [(topic: Int, content: Content)] = []
    /// The topics that the chunk at hand does not have yet, and its first time.
    private var due: [Int] = []
    private var dueTime = Int64.min

    var hasDue: Bool { !due.isEmpty }

    /// Takes a message of a latched topic as what late subscribers get.
    mutating func note(_ content: Content, topic: Int) {
        guard let place = contents.firstIndex(where: { $0.topic >= topic }) else {
            contents.append((topic, content))
            return
        }
        if contents[place].topic == topic {
            contents[place].content = merged(contents[place].content, content)
        } else {
            contents.insert((topic, content), at: place)
        }
    }

    /// Says that a chunk begins with a row of this time: all topics are due.
    mutating func beginChunk(at timeNanoseconds: Int64) {
        due = contents.map(\.topic)
        dueTime = timeNanoseconds
    }

    /// Whether a row of a latched topic stands for its repetition, which is not due any more then.
    mutating func replaces(_ content: Content, topic: Int, timeNanoseconds: Int64) -> Bool {
        guard timeNanoseconds == dueTime else { return false }
        guard let place = due.firstIndex(of: topic) else { return true }
        if let kept = contents.first(where: { $0.topic == topic })?.content, !covers(content, kept) { return false }
        due.remove(at: place)
        return true
    }

    /// What is due, in the order of the topics, and for which time; nothing is due afterwards.
    mutating func takeDue() -> (timeNanoseconds: Int64, rows: [(topic: Int, content: Content)]) {
        defer { due.removeAll(keepingCapacity: true) }
        return (dueTime, contents.filter { due.contains($0.topic) })
    }
}

private func merged(_ old: LatchedRows.Content, _ new: LatchedRows.Content) -> LatchedRows.Content {
    guard case .message(let old) = old, case .message(let message) = new,
        var all = old.compiled(as: TFMessage.self), let latest = message.compiled(as: TFMessage.self)
    else { return new }
    for transform in latest.transforms {
        if let place = all.transforms.firstIndex(where: { $0.childFrameID == transform.childFrameID }) {
            all.transforms[place] = transform
        } else {
            all.transforms.append(transform)
        }
    }
    return .message(all)
}

/// Whether nothing is lost for late subscribers when the new content takes the place of the old one.
private func covers(_ new: LatchedRows.Content, _ old: LatchedRows.Content) -> Bool {
    guard case .message(let old) = old, case .message(let new) = new,
        let all = old.compiled(as: TFMessage.self), let latest = new.compiled(as: TFMessage.self)
    else { return true }
    let frames = Set(latest.transforms.map(\.childFrameID))
    return all.transforms.allSatisfy { frames.contains($0.childFrameID) }
}
