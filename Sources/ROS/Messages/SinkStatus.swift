/// What a sink is and how it does while it works, for a status that is published beside the messages.
package enum SinkStatus: Sendable, Hashable {
    /// A bag that is being written: the folder's name, and the words of rosbag2 for storage and serialization.
    case bag(name: String, storage: String, serialization: String)
    case bridge(Bridge)

    /// A connection to a server, and the queue before it.
    package struct Bridge: Sendable, Hashable {
        /// Without user and password.
        package var url: String
        package var isConnected: Bool
        package var interruptions: Int
        package var disconnectedSeconds: Double
        package var sentMessages: Int
        package var sentBytes: Int
        package var confirmedMessages: Int
        package var queuedMessages: Int
        package var queuedBytes: Int
        package var queueLimitBytes: Int
        package var droppedMessages: Int
        /// Sent again over a later connection.
        package var resentMessages: Int
        /// On topics that the server has not taken.
        package var refusedMessages: Int
        /// The last thing that went wrong.
        package var lastWarning: String?

        package init(
            url: String,
            isConnected: Bool,
            interruptions: Int,
            disconnectedSeconds: Double,
            sentMessages: Int,
            sentBytes: Int,
            confirmedMessages: Int,
            queuedMessages: Int,
            queuedBytes: Int,
            queueLimitBytes: Int,
            droppedMessages: Int,
            resentMessages: Int,
            refusedMessages: Int,
            lastWarning: String?
        ) {
            self.url = url
            self.isConnected = isConnected
            self.interruptions = interruptions
            self.disconnectedSeconds = disconnectedSeconds
            self.sentMessages = sentMessages
            self.sentBytes = sentBytes
            self.confirmedMessages = confirmedMessages
            self.queuedMessages = queuedMessages
            self.queuedBytes = queuedBytes
            self.queueLimitBytes = queueLimitBytes
            self.droppedMessages = droppedMessages
            self.resentMessages = resentMessages
            self.refusedMessages = refusedMessages
            self.lastWarning = lastWarning
        }
    }
}

extension MessageSink {
    package func status() async -> SinkStatus? { nil }
}
