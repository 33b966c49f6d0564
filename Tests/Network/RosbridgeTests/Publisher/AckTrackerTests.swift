import Messages
import Rosbridge
import Testing

@Suite("Delivery ledger")
struct AckTrackerTests {
    @Test("a barrier confirms what was sent before it, and nothing after it")
    func confirm() {
        var ledger = AckTracker()
        ledger.noteSent(item(text("1")), bytes: 100)
        ledger.noteSent(item(bytes(1)), bytes: 200)
        ledger.noteBarrier(id: "a", nowNanoseconds: 0)
        ledger.noteSent(item(text("2")), bytes: 100)
        #expect(ledger.unconfirmedMessages == 3 && ledger.sentBytes == 400)
        #expect(ledger.confirm(id: "x", nowNanoseconds: 0) == false)
        #expect(ledger.confirm(id: "a", nowNanoseconds: 0) == true)
        #expect(ledger.confirmedMessages == 2 && ledger.unconfirmedMessages == 1 && ledger.outstandingBarriers == 0)
        #expect(ledger.countByTopic["/chatter"] == .init(name: "/chatter", written: 2, unconfirmed: 1, bytes: 200))
        #expect(ledger.countByTopic["/cloud"] == .init(name: "/cloud", written: 1, unconfirmed: 0, bytes: 200))
        #expect(ledger.confirm(id: "a", nowNanoseconds: 0) == false)
    }

    @Test("a later answer confirms the barriers before it")
    func skippedAnswer() {
        var ledger = AckTracker()
        for name in ["a", "b"] {
            ledger.noteSent(item(text(name)), bytes: 1)
            ledger.noteBarrier(id: name, nowNanoseconds: 0)
        }
        #expect(ledger.confirm(id: "b", nowNanoseconds: 0) == true)
        #expect(ledger.outstandingBarriers == 0 && ledger.unconfirmedMessages == 0)
    }

    @Test("barriers are due by bytes, and by time; two of them fill the window")
    func window() {
        var ledger = AckTracker(windowBytes: 1000, maximumBarriers: 2, barrierIntervalNanoseconds: 100)
        #expect(!ledger.isBarrierDue(nowNanoseconds: 10_000))
        ledger.noteSent(item(bytes(1)), bytes: 999)
        #expect(!ledger.isBarrierDue(nowNanoseconds: 99) && ledger.isBarrierDue(nowNanoseconds: 100))
        ledger.noteSent(item(bytes(1)), bytes: 1)
        #expect(ledger.isBarrierDue(nowNanoseconds: 0))
        ledger.noteBarrier(id: "a", nowNanoseconds: 0)
        ledger.noteSent(item(bytes(1)), bytes: 10)
        // While a barrier is open, time alone asks for no other.
        #expect(!ledger.isBarrierDue(nowNanoseconds: 500) && !ledger.isWindowFull)
        ledger.noteSent(item(bytes(1)), bytes: 2000)
        #expect(ledger.isBarrierDue(nowNanoseconds: 0))
        ledger.noteBarrier(id: "b", nowNanoseconds: 0)
        #expect(ledger.isWindowFull)
        #expect(ledger.confirm(id: "a", nowNanoseconds: 0) == true)
        #expect(!ledger.isWindowFull)
    }

    @Test("after a loss everything unconfirmed comes back in order, and counts as not sent")
    func lost() {
        var ledger = AckTracker()
        for number in 0..<5 {
            ledger.noteSent(item(text("\(number)")), bytes: 10)
            if number == 1 || number == 3 { ledger.noteBarrier(id: "\(number)", nowNanoseconds: 0) }
        }
        #expect(ledger.confirm(id: "1", nowNanoseconds: 0) == true)
        #expect(ledger.takeBack().items.map(\.label) == ["2", "3", "4"])
        #expect(ledger.outstandingBarriers == 0 && ledger.sentMessages == 2 && ledger.unconfirmedMessages == 0)
        #expect(ledger.countByTopic["/chatter"]?.written == 2 && ledger.countByTopic["/chatter"]?.unconfirmed == 0)
        #expect(ledger.takeBack().items.isEmpty)
    }

    @Test("without confirmation nothing is kept, and everything counts as unconfirmed")
    func withoutConfirmation() {
        var ledger = AckTracker(isConfirming: false)
        ledger.noteSent(item(bytes(1)), bytes: 100_000_000)
        #expect(!ledger.isBarrierDue(nowNanoseconds: .max) && !ledger.isWindowFull)
        #expect(ledger.unconfirmedMessages == 1 && ledger.takeBack().items.isEmpty)
        var given = AckTracker()
        given.noteSent(item(bytes(1)), bytes: 1)
        given.noteBarrier(id: "a", nowNanoseconds: 0)
        given.stopConfirming()
        #expect(given.unconfirmedMessages == 1 && given.outstandingBarriers == 0 && given.takeBack().items.isEmpty)
    }

    @Test("a late answer shows that the server does answer, and the next one confirms what was not kept")
    func lateAnswer() {
        var ledger = AckTracker()
        ledger.noteBarrier(id: "first", nowNanoseconds: 0)
        ledger.stopConfirming()
        for number in 0..<3 { ledger.noteSent(item(text("\(number)")), bytes: 1) }
        #expect(ledger.confirm(id: "first", nowNanoseconds: 9) == false)
        #expect(ledger.isConfirming && ledger.unconfirmedMessages == 3)
        ledger.noteSent(item(text("3")), bytes: 1)
        ledger.noteBarrier(id: "second", nowNanoseconds: 10)
        #expect(ledger.confirm(id: "second", nowNanoseconds: 11) == true)
        #expect(ledger.unconfirmedMessages == 0 && ledger.countByTopic["/chatter"]?.unconfirmed == 0)
        // What was not kept cannot come back.
        ledger.stopConfirming()
        ledger.noteSent(item(text("4")), bytes: 1)
        #expect(ledger.takeBack().items.isEmpty && ledger.unconfirmedMessages == 1 && ledger.isConfirming)
    }

    @Test("silence counts from the oldest open barrier, or from the last answer")
    func silence() {
        var ledger = AckTracker()
        #expect(ledger.silenceNanoseconds(nowNanoseconds: 100) == nil)
        ledger.noteBarrier(id: "a", nowNanoseconds: 100)
        ledger.noteBarrierTaken(id: "a", nowNanoseconds: 110)
        ledger.noteBarrier(id: "b", nowNanoseconds: 120)
        #expect(ledger.silenceNanoseconds(nowNanoseconds: 150) == 40)
        #expect(ledger.confirm(id: "a", nowNanoseconds: 160) == true)
        #expect(ledger.silenceNanoseconds(nowNanoseconds: 170) == 10)
    }

    @Test("many messages under way are confirmed, barrier by barrier")
    func many() {
        var ledger = AckTracker(maximumBarriers: 20_000)
        for number in 0..<100_000 {
            ledger.noteSent(item(text("x")), bytes: 1)
            if number % 10 == 9 { ledger.noteBarrier(id: "\(number)", nowNanoseconds: 0) }
        }
        for number in stride(from: 9, to: 100_000, by: 10) {
            #expect(ledger.confirm(id: "\(number)", nowNanoseconds: 0) == true)
        }
        #expect(ledger.unconfirmedMessages == 0 && ledger.confirmedMessages == 100_000)
    }
}
