import Messages

/// What a ``DDSSink`` waits for, keeps and says.
package struct DDSOptions: Sendable {
    /// Whom the first message waits for.
    package enum Awaited: Sendable, Hashable {
        /// A reader of /tf, where it is published, and of one other topic.
        case some
        case all
        case topics([String])
        case nobody
    }

    package var environment: DDSEnvironment
    /// The full name of the node.
    package var node = "/mapeverything"
    package var awaited = Awaited.some
    package var patience = Duration.seconds(30)
    /// Keeps every message for readers that come late, as far as there is memory.
    package var keepsForLateJoiners = false
    package var maximumBytes = 1 << 30
    /// How long latched topics are there after the last message.
    package var stay = Duration.zero
    /// True if messages come as fast as they are taken.
    package var isUnpaced = false
    /// Is told what goes well while it goes on, and what does not.
    package var notice: @Sendable (String) -> Void = { _ in }
    package var warning: @Sendable (String) -> Void = { _ in }

    package init(_ environment: DDSEnvironment) { self.environment = environment }

    /// How many messages of a topic readers get that come late: nil for none, 0 for all.
    func lateDepth(of topic: Topic) -> Int? {
        keepsForLateJoiners ? 0 : topic.isLatched ? max(1, topic.qos.depth) : nil
    }
}
