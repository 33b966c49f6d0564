/// The transforms that the messages of a latched topic have given so far, each child frame's newest, as tf's listeners
/// keep them.
///
/// A late subscriber gets one message of a latched topic, so that message has to hold all transforms.
package struct StaticTransforms: Sendable {
    /// Frames beyond these are forgotten, the oldest first.
    private static let maximumFrames = 10_000

    private var transforms: [TransformStamped] = []
    /// The places of child frames in `transforms`.
    private var places: [String: Int] = [:]

    package init() {}

    /// Takes a message; returns the sum so far, which is the message itself where it says all or holds no transforms.
    package mutating func add(_ message: any AnyMessage) -> any AnyMessage {
        guard let own = message.compiled(as: TFMessage.self) else { return message }
        for transform in own.transforms { set(transform) }
        forgetOldest()
        return own.childFrameIDs.isSuperset(of: places.keys) ? message : TFMessage(transforms: transforms)
    }

    /// True if nothing is lost for late subscribers when the message takes the place of the sum.
    package func isCovered(by message: any AnyMessage) -> Bool {
        message.compiled(as: TFMessage.self)?.childFrameIDs.isSuperset(of: places.keys) ?? true
    }

    private mutating func set(_ transform: TransformStamped) {
        if let place = places[transform.childFrameID] {
            transforms[place] = transform
        } else {
            places[transform.childFrameID] = transforms.count
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
