import Messages

/// Limits what latched topics keep for the start of each chunk of the bag.
///
/// Transforms are kept by child frame, as they are in the bag; everything else by its last message.
struct LatchedBudget {
    /// The maximum number of static transforms, more than any robot has.
    static let maximumFrames = 1_000

    private let byteLimit: Int
    private var byteCounts: [String: Int] = [:]
    private var frames: [String: Set<String>] = [:]
    private var byteCount = 0

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Notes a message of a latched topic, or refuses it.
    ///
    /// - Parameter count: the bytes of the publish operation.
    mutating func keep(_ message: StampedMessage, byteCount count: Int) throws(Refusal) {
        let name = message.topic.name
        let total = byteCount + count - byteCounts[name, default: 0]
        guard total <= byteLimit else {
            throw Refusal(
                topic: name,
                "publish: expected at most \(byteLimit) bytes in the last messages of all latched topics, found more"
            )
        }
        if let transforms = (message.message as? TFMessage)?.transforms {
            var all = frames[name, default: []]
            for transform in transforms {
                all.insert(transform.childFrameID)
                guard all.count <= Self.maximumFrames, transform.childFrameID.utf8.count <= 1_000 else {
                    throw Refusal(
                        topic: name,
                        "publish: expected at most \(Self.maximumFrames) frames in a latched topic, found more"
                    )
                }
            }
            frames[name] = all
        }
        byteCount = total
        byteCounts[name] = count
    }
}
