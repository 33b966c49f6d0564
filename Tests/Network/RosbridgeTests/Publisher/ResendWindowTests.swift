import Messages
import Rosbridge
import Testing

/// What is kept of what was confirmed, until the server has shown that it lived on.
@Suite("Resend window")
struct ResendWindowTests {
    private func ledger(bytes: Int = 1 << 20) -> AckTracker {
        AckTracker.of(resendNanoseconds: 100, resendBytes: bytes)
    }

    /// Sends a message at a time, with a barrier that is answered a little later.
    private func send(_ label: String, at time: Int64, answeredAt end: Int64, _ ledger: inout AckTracker) {
        ledger.noteSent(item(text(label)), bytes: 10)
        ledger.noteBarrier(id: label, nowNanoseconds: time)
        #expect(ledger.confirm(id: label, nowNanoseconds: end) == true)
    }

    @Test("what was confirmed in the window before the last sign of life comes back, however late the loss is noticed")
    func comesBack() {
        var ledger = ledger()
        send("1", at: 0, answeredAt: 10, &ledger)
        send("2", at: 50, answeredAt: 60, &ledger)
        send("3", at: 120, answeredAt: 130, &ledger)
        ledger.noteSent(item(text("4")), bytes: 10)
        // The last answer was to a barrier of time 120: the first message was confirmed more than 100 before that.
        #expect(ledger.keptMessages == 2 && ledger.confirmedMessages == 3 && ledger.unconfirmedMessages == 1)
        let lost = ledger.takeBack()
        #expect(lost.items.map(\.label) == ["2", "3", "4"] && lost.confirmed == 2 && lost.forgotten == 0)
        #expect(lost.items.allSatisfy(\.wasSent) && lost.items.map(\.confirmations) == [1, 1, 0])
        #expect(ledger.confirmedMessages == 1 && ledger.sentMessages == 1 && ledger.keptBytes == 0)
        let count = ledger.countByTopic["/chatter"]
        #expect(count?.written == 1 && count?.unconfirmed == 0)
    }

    @Test("an answer shows that the server lived when it was asked, not when the answer came")
    func lateAnswer() {
        var ledger = ledger()
        send("1", at: 0, answeredAt: 10, &ledger)
        // The answer took long to come: the server may have died right after it wrote it.
        send("2", at: 20, answeredAt: 500, &ledger)
        #expect(ledger.takeBack().items.map(\.label) == ["1", "2"])
    }

    @Test("a window after the last confirmation one more barrier makes all of it certain")
    func certainty() {
        var ledger = ledger()
        #expect(ledger.certaintyNanoseconds == nil)
        send("1", at: 0, answeredAt: 10, &ledger)
        #expect(ledger.certaintyNanoseconds == 110 && !ledger.needsBarrier)
        ledger.noteBarrier(id: "early", nowNanoseconds: 109)
        #expect(ledger.confirm(id: "early", nowNanoseconds: 112) == true)
        #expect(ledger.certaintyNanoseconds == 110)
        ledger.noteBarrier(id: "due", nowNanoseconds: 110)
        #expect(ledger.confirm(id: "due", nowNanoseconds: 111) == true)
        #expect(ledger.certaintyNanoseconds == nil && ledger.keptMessages == 0 && ledger.takeBack().items.isEmpty)
        #expect(ledger.confirmedMessages == 1)
    }

    @Test("more than there is room for is forgotten from the front, and counts as not confirmed if it comes to that")
    func forgotten() {
        let each = 10 + 512
        var ledger = ledger(bytes: 3 * each)
        for number in 0..<5 { send("\(number)", at: 0, answeredAt: 10, &ledger) }
        #expect(ledger.keptMessages == 3 && ledger.keptBytes == 3 * each && ledger.confirmedMessages == 5)
        let lost = ledger.takeBack()
        #expect(lost.items.map(\.label) == ["2", "3", "4"] && lost.forgotten == 2)
        let count = ledger.countByTopic["/chatter"]
        #expect(count?.written == 2 && count?.unconfirmed == 2 && count?.confirmed == 0)
        #expect(ledger.unconfirmedMessages == 2 && ledger.confirmedMessages == 0)
        // What was forgotten and is certain by now is no loss.
        for number in 0..<5 { send("\(number)", at: 0, answeredAt: 10, &ledger) }
        send("late", at: 110, answeredAt: 111, &ledger)
        #expect(ledger.takeBack().forgotten == 0)
    }

    @Test("one message larger than the room is kept all the same, alone")
    func large() {
        var ledger = ledger(bytes: 1)
        for label in ["1", "2"] { send(label, at: 0, answeredAt: 10, &ledger) }
        #expect(ledger.takeBack().items.map(\.label) == ["2"])
    }

    @Test("a message is confirmed over so many connections at most, and is unconfirmed if the last of them is lost")
    func bounded() {
        var ledger = ledger()
        var items = [item(text("x"))]
        var connections = 0
        while let message = items.first {
            connections += 1
            ledger.noteSent(message, bytes: 10)
            ledger.noteBarrier(id: "\(connections)", nowNanoseconds: 0)
            #expect(ledger.confirm(id: "\(connections)", nowNanoseconds: 1) == true)
            #expect(ledger.progress == connections)
            let lost = ledger.takeBack()
            items = lost.items
            #expect(lost.forgotten == (items.isEmpty ? 1 : 0))
        }
        #expect(connections == AckTracker.maximumConfirmations)
        #expect(ledger.resentMessages == connections - 1 && ledger.resentAfterConfirmation == connections - 1)
        let count = ledger.countByTopic["/chatter"]
        #expect(ledger.confirmedMessages == 0 && count?.written == 1 && count?.unconfirmed == 1)
    }

    @Test("absurd times and windows change nothing")
    func absurd() {
        for window in [Int64.max, 1, 0] {
            var ledger = AckTracker.of(resendNanoseconds: window)
            send("1", at: .min, answeredAt: .max, &ledger)
            send("2", at: .max, answeredAt: .min, &ledger)
            _ = ledger.certaintyNanoseconds
            #expect(ledger.takeBack().items.count <= 2)
        }
    }
}
