import DynamicMessages
import Messages

/// The transforms that messages of a latched topic have given so far, each child frame's newest.
///
/// rosbridge gives a late subscriber one message of a latched topic, so each message has to hold all transforms.
struct StaticTree {
    /// Frames beyond these are forgotten, the oldest first.
    private static let maximumFrames = 2000

    private var transforms: [DynamicMessage] = []
    /// The places of child frames in `transforms`.
    private var places: [String: Int] = [:]

    /// Takes a message; returns the sum so far, which is the message itself where it says all.
    mutating func add(_ message: any AnyMessage) -> any AnyMessage {
        guard let described = message as? DescribedMessage, let value = try? described.value(),
            let own = value["transforms"]?.messages
        else { return message }
        let children = own.compactMap { $0["child_frame_id"]?.string }
        guard children.count == own.count else { return message }
        for (child, transform) in zip(children, own) { set(child, transform) }
        forgetOldest()
        guard !Set(children).isSuperset(of: places.keys) else { return message }
        return sum(value, described) ?? message
    }

    private func sum(_ value: DynamicValue, _ message: DescribedMessage) -> DescribedMessage? {
        guard var sum = value.message else { return nil }
        sum["transforms"] = .messages(transforms)
        return try? DescribedMessage(.message(sum), schema: message.schema)
    }

    private mutating func set(_ child: String, _ transform: DynamicMessage) {
        if let place = places[child] {
            transforms[place] = transform
        } else {
            places[child] = transforms.count
            transforms.append(transform)
        }
    }

    private mutating func forgetOldest() {
        let surplus = transforms.count - Self.maximumFrames
        guard surplus > 0 else { return }
        transforms.removeFirst(surplus)
        for (child, place) in places { places[child] = place < surplus ? nil : place - surplus }
    }
}
