import NIOCore

/// Recognises what a publisher sends again after a lost connection, although it had arrived.
///
/// A client cannot know what became of the last messages before a loss, and sends them again over its next connection.
/// A message is taken for such a copy if another connection, which was lost lately or is silent, brought the same text.
package struct ResendFilter {
    /// The mark by which a publish operation is recognised.
    package struct Mark: Sendable {
        /// The hash of its whole text.
        var digest: Int
        /// True if its content makes it the only one of its kind: it has a stamp, or its topic is latched.
        ///
        /// Others, such as plain texts, are copies only directly behind one.
        var isUnique: Bool

        package init(digest: Int, isUnique: Bool) { (self.digest, self.isUnique) = (digest, isUnique) }
    }

    private struct Sender {
        var lastNanoseconds: Int64
        var lostNanoseconds: Int64?
        /// True if its last message was a copy.
        var isSendingAgain = false
    }

    /// Messages that are remembered, of all clients.
    private static let limit = 65_536
    /// How long what a lost connection brought may come again.
    private static let memoryNanoseconds: Int64 = 120_000_000_000
    /// A connection that is silent for so long may be lost without our knowledge.
    private static let silenceNanoseconds: Int64 = 1_000_000_000
    private static let mostSenders = 4_096

    /// The client that brought a message last, by the hash of its text.
    private var owners: [Int: Int] = [:]
    private var order: CircularBuffer<Int> = []
    /// Clients that are connected, or were lost.
    private var senders: [Int: Sender] = [:]

    package init() {}

    /// Notes messages of a client; returns which of them are copies.
    package mutating func sift(_ marks: [Mark], of client: Int, nowNanoseconds now: Int64) -> [Bool] {
        var sender = senders[client] ?? Sender(lastNanoseconds: now)
        defer {
            sender.lastNanoseconds = now
            senders[client] = sender
        }
        return marks.map { mark in
            let owner = owners.updateValue(client, forKey: mark.digest)
            if owner == nil { remember(mark.digest) }
            guard let owner, owner != client, mark.isUnique || sender.isSendingAgain else {
                sender.isSendingAgain = false
                return false
            }
            sender.isSendingAgain = mayBeSentAgain(by: owner, now)
            return sender.isSendingAgain
        }
    }

    /// Notes that a client has left; one that has closed its connection properly sends nothing again.
    package mutating func end(_ client: Int, isLost: Bool, nowNanoseconds now: Int64) {
        guard isLost, senders[client] != nil else { return senders[client] = nil }
        senders[client]?.lostNanoseconds = now
        guard senders.count > Self.mostSenders else { return }
        senders = senders.filter { $0.value.lostNanoseconds == nil }
    }

    private func mayBeSentAgain(by owner: Int, _ now: Int64) -> Bool {
        guard let sender = senders[owner] else { return false }
        if let lost = sender.lostNanoseconds { return now &- lost < Self.memoryNanoseconds }
        return now &- sender.lastNanoseconds > Self.silenceNanoseconds
    }

    private mutating func remember(_ digest: Int) {
        order.append(digest)
        if order.count > Self.limit, let oldest = order.popFirst() { owners[oldest] = nil }
    }
}
