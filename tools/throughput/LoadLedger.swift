/// Counts the messages sent to load a server, by stream, and those that barriers have confirmed.
package struct LoadLedger: Sendable {
    package struct Counts: Equatable, Sendable {
        package var messages = 0
        /// Bytes of JSON.
        package var jsonBytes = 0

        package init(messages: Int = 0, jsonBytes: Int = 0) {
            self.messages = messages
            self.jsonBytes = jsonBytes
        }
    }

    private struct Sent: Sendable {
        var stream: Int
        var jsonBytes: Int
    }

    private struct Mark: Sendable {
        var barrier: LoadSession.Barrier
        /// The number of messages sent before it.
        var position: Int
    }

    package private(set) var sent: [Counts]
    package private(set) var confirmed: [Counts]
    private var underWay: ArraySlice<Sent> = []
    private var marks: ArraySlice<Mark> = []
    private var sentTotal = 0
    private var confirmedTotal = 0
    /// Bytes of JSON since the last barrier.
    package private(set) var bytesSinceBarrier = 0
    /// Bytes of JSON that were sent and are not confirmed.
    package private(set) var unconfirmedBytes = 0

    package init(streamCount: Int) {
        sent = [Counts](repeating: Counts(), count: streamCount)
        confirmed = sent
    }

    package var outstandingBarriers: Int { marks.count }

    package mutating func noteSent(stream: Int, jsonBytes: Int) {
        sent[stream].messages += 1
        sent[stream].jsonBytes += jsonBytes
        underWay.append(Sent(stream: stream, jsonBytes: jsonBytes))
        sentTotal += 1
        bytesSinceBarrier += jsonBytes
        unconfirmedBytes += jsonBytes
    }

    package mutating func note(_ barrier: LoadSession.Barrier) {
        marks.append(Mark(barrier: barrier, position: sentTotal))
        bytesSinceBarrier = 0
    }

    /// The oldest unanswered barrier.
    package var barrier: LoadSession.Barrier? { marks.first?.barrier }

    /// Notes the answer to the oldest barrier: the server has handled everything before it.
    package mutating func confirmNext() {
        guard let mark = marks.popFirst() else { return }
        while confirmedTotal < mark.position, let message = underWay.popFirst() {
            confirmed[message.stream].messages += 1
            confirmed[message.stream].jsonBytes += message.jsonBytes
            confirmedTotal += 1
            unconfirmedBytes -= message.jsonBytes
        }
    }
}
