import ROS
import Rosbridge
import Testing

@Suite("Delivery ledger")
struct DeliveryLedgerTests {
    @Test("a barrier confirms what was sent before it, and nothing after it")
    func confirm() {
        var ledger = DeliveryLedger()
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
        var ledger = DeliveryLedger()
        for name in ["a", "b"] {
            ledger.noteSent(item(text(name)), bytes: 1)
            ledger.noteBarrier(id: name, nowNanoseconds: 0)
        }
        #expect(ledger.confirm(id: "b", nowNanoseconds: 0) == true)
        #expect(ledger.outstandingBarriers == 0 && ledger.unconfirmedMessages == 0)
    }

    @Test("barriers are due by bytes, and by time; two of them fill the window")
    func window() {
        var ledger = DeliveryLedger(windowBytes: 1000, maximumBarriers: 2, barrierIntervalNanoseconds: 100)
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
        var ledger = DeliveryLedger()
        for number in 0..<5 {
            ledger.noteSent(item(text("\(number)")), bytes: 10)
            if number == 1 || number == 3 { ledger.noteBarrier(id: "\(number)", nowNanoseconds: 0) }
        }
        #expect(ledger.confirm(id: "1", nowNanoseconds: 0) == true)
        #expect(ledger.takeUnconfirmed().map(\.label) == ["2", "3", "4"])
        #expect(ledger.outstandingBarriers == 0 && ledger.sentMessages == 2 && ledger.unconfirmedMessages == 0)
        #expect(ledger.countByTopic["/chatter"]?.written == 2 && ledger.countByTopic["/chatter"]?.unconfirmed == 0)
        #expect(ledger.takeUnconfirmed().isEmpty)
    }

    @Test("without confirmation nothing is kept, and everything counts as unconfirmed")
    func withoutConfirmation() {
        var ledger = DeliveryLedger(isConfirming: false)
        ledger.noteSent(item(bytes(1)), bytes: 100_000_000)
        #expect(!ledger.isBarrierDue(nowNanoseconds: .max) && !ledger.isWindowFull)
        #expect(ledger.unconfirmedMessages == 1 && ledger.takeUnconfirmed().isEmpty)
        var given = DeliveryLedger()
        given.noteSent(item(bytes(1)), bytes: 1)
        given.noteBarrier(id: "a", nowNanoseconds: 0)
        given.stopConfirming()
        #expect(given.unconfirmedMessages == 1 && given.outstandingBarriers == 0 && given.takeUnconfirmed().isEmpty)
    }
}
