/// A topic of a bag none of whose messages is passed on.
package struct SkippedTopic: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var reason: String
    package var messageCount: Int
    /// True if it is missing where it goes, rather than replaced.
    package var isLoss: Bool
    package var hasMessages: Bool { messageCount > 0 }

    package init(_ topic: BagTopic, reason: String, messageCount: Int, isLoss: Bool = true) {
        name = topic.name
        typeName = topic.typeName
        self.reason = reason
        self.messageCount = messageCount
        self.isLoss = isLoss
    }
}
