import ROS

/// The last message of each latched topic, to be written again where a chunk begins.
///
/// Transforms are kept by child frame over all messages of their topic, as tf's listeners keep them.
struct LatchedMessages {
    /// By topic index, ascending, so that the output does not depend on hash order.
    private var messages: [(topic: Int, message: any Message)] = []

    /// Takes a message of a latched topic as what late subscribers get.
    mutating func note(_ message: any Message, topic: Int) {
        guard let place = messages.firstIndex(where: { $0.topic >= topic }) else {
            messages.append((topic, message))
            return
        }
        if messages[place].topic == topic {
            messages[place].message = merged(messages[place].message, message)
        } else {
            messages.insert((topic, message), at: place)
        }
    }

    /// All of them with their headers at the given time, in the order of the topics.
    func stamped(at timeNanoseconds: Int64) -> [(topic: Int, message: any Message)] {
        messages.map { ($0.topic, HeaderStamper.stamp($0.message, timeNanoseconds: timeNanoseconds)) }
    }
}

private func merged(_ old: any Message, _ new: any Message) -> any Message {
    guard var all = old as? TFMessage, let latest = new as? TFMessage else { return new }
    for transform in latest.transforms {
        if let place = all.transforms.firstIndex(where: { $0.childFrameID == transform.childFrameID }) {
            all.transforms[place] = transform
        } else {
            all.transforms.append(transform)
        }
    }
    return all
}
