import Messages
import NIOCore

/// Confirmed messages that are kept until the server has lived long enough to have passed them on.
///
/// A confirmation proves that the bridge has handled a message, not that DDS has delivered it: messages that a bridge
/// handled shortly before it dies can be lost. So a message is kept until the server is known to have been alive a
/// whole window after the confirmation. Each answer shows that the server was alive when it was asked. The time at
/// which a loss is noticed may be much later and does not matter.
struct ResendWindow: Sendable {
    /// Messages that are neither kept nor certain, by topic.
    typealias Forgotten = [String: Int]

    private struct Kept: Sendable {
        var entry: AckTracker.Entry
        var confirmedNanoseconds: Int64
    }

    /// The estimated memory of a message besides its data.
    private static let overheadBytes = 512

    /// The length of the window; 0 keeps nothing.
    let nanoseconds: Int64
    let byteLimit: Int
    private(set) var byteCount = 0
    private var kept: CircularBuffer<Kept> = []
    /// Counts by topic, one entry for each time of confirmation.
    private var forgotten: CircularBuffer<(confirmedNanoseconds: Int64, counts: Forgotten)> = []

    init(nanoseconds: Int64, byteLimit: Int) { (self.nanoseconds, self.byteLimit) = (nanoseconds, byteLimit) }

    var count: Int { kept.count }

    /// The earliest time for a barrier whose answer makes everything in the window certain.
    var endNanoseconds: Int64? {
        let last = [kept.last?.confirmedNanoseconds, forgotten.last?.confirmedNanoseconds].compactMap { $0 }.max()
        return last.map { $0.addingReportingOverflow(nanoseconds) }.map { $0.overflow ? .max : $0.partialValue }
    }

    /// Keeps a message that is confirmed now, and drops the oldest ones if the limit is exceeded.
    mutating func keep(_ entry: AckTracker.Entry, confirmedNanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        kept.append(Kept(entry: entry, confirmedNanoseconds: confirmedNanoseconds))
        byteCount += Self.size(entry)
        while byteCount > byteLimit, kept.count > 1, let oldest = kept.popFirst() {
            byteCount -= Self.size(oldest.entry)
            forget(oldest.entry, confirmedNanoseconds: oldest.confirmedNanoseconds)
        }
    }

    /// Counts a confirmed message that is not kept, until it is certain.
    mutating func forget(_ entry: AckTracker.Entry, confirmedNanoseconds: Int64) {
        guard nanoseconds > 0 else { return }
        let name = entry.item.message.topic.name
        // Entries stay in order of time: an earlier confirmation is counted with the last entry.
        if let last = forgotten.indices.last, forgotten[last].confirmedNanoseconds >= confirmedNanoseconds {
            forgotten[last].counts[name, default: 0] += 1
        } else {
            forgotten.append((confirmedNanoseconds, [name: 1]))
        }
    }

    /// Drops messages that were confirmed at least a window before a time at which the server was alive.
    mutating func release(aliveNanoseconds: Int64) {
        let (latest, overflow) = aliveNanoseconds.subtractingReportingOverflow(nanoseconds)
        guard !overflow else { return }
        while let first = kept.first, first.confirmedNanoseconds <= latest {
            byteCount -= Self.size(first.entry)
            kept.removeFirst()
        }
        while let first = forgotten.first, first.confirmedNanoseconds <= latest { forgotten.removeFirst() }
    }

    /// Empties the window; returns the kept messages in order, and the counts of those that could not be kept.
    mutating func takeAll() -> (entries: [AckTracker.Entry], forgotten: Forgotten) {
        defer { self = ResendWindow(nanoseconds: nanoseconds, byteLimit: byteLimit) }
        let counts = forgotten.reduce(into: Forgotten()) { $0.merge($1.counts, uniquingKeysWith: +) }
        return (kept.map(\.entry), counts)
    }

    private static func size(_ entry: AckTracker.Entry) -> Int { entry.item.byteCount + overheadBytes }
}

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
