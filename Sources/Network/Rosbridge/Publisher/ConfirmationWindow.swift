/// The amount that may be sent before the next barrier, adapted to what the server handles in about a second.
///
/// It starts small and doubles while answers come quickly. So a server that needs a second for each message is not
/// taken for dead because thousands of them are queued.
package struct ConfirmationWindow: Sendable {
    package let maximumBytes: Int
    /// Bytes after which a barrier is due.
    package private(set) var bytes: Int
    /// Messages after which a barrier is due.
    package private(set) var messages: Int

    private static let initialBytes = 256_000
    private static let initialMessages = 8
    private static let maximumMessages = 1 << 20
    private let quickNanoseconds: Int64
    private let slowNanoseconds: Int64

    /// - Parameters:
    ///   - timeoutNanoseconds: the silence after which the server is taken for dead; answers have to come well before.
    ///   - isCautious: whether to begin with a barrier after each message, as is done after a connection that was lost
    ///     before anything was confirmed.
    package init(maximumBytes: Int, timeoutNanoseconds: Int64 = 30_000_000_000, isCautious: Bool = false) {
        self.maximumBytes = maximumBytes
        quickNanoseconds = min(1_000_000_000, timeoutNanoseconds / 8)
        slowNanoseconds = min(4_000_000_000, timeoutNanoseconds / 4)
        bytes = min(ConfirmationWindow.initialBytes, maximumBytes)
        messages = isCautious ? 1 : ConfirmationWindow.initialMessages
    }

    /// Adapts to an answer: the time since its barrier was sent, and the time since the answer before.
    package mutating func noteAnswer(afterNanoseconds time: Int64, bytes: Int, messages: Int) {
        if time > slowNanoseconds {
            self.bytes = max(self.bytes / 2, 1)
            self.messages = max(self.messages / 2, 1)
        } else if time < quickNanoseconds {
            // A window that was hardly used is no evidence for a larger one.
            if bytes * 2 >= self.bytes { self.bytes = min(self.bytes * 2, maximumBytes) }
            if messages * 2 >= self.messages {
                self.messages = min(self.messages * 2, ConfirmationWindow.maximumMessages)
            }
        }
    }
}
