import Messages
import Rosbridge
import Testing

@Suite("Delivery ledger")
struct AckTrackerTests {
    @Test("a barrier confirms what was sent before it, and nothing after it")
    func confirm() {
        var ledger = AckTracker.of()
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
        var ledger = AckTracker.of()
        for name in ["a", "b"] {
            ledger.noteSent(item(text(name)), bytes: 1)
            ledger.noteBarrier(id: name, nowNanoseconds: 0)
        }
        #expect(ledger.confirm(id: "b", nowNanoseconds: 0) == true)
        #expect(ledger.outstandingBarriers == 0 && ledger.unconfirmedMessages == 0)
    }

    @Test("by itself a barrier is due after two seconds, and two of them fill the window")
    func usualWindow() {
        var ledger = AckTracker(
            isConfirming: true,
            windowBytes: 1000,
            timeoutNanoseconds: 30_000_000_000,
            resendNanoseconds: 0,
            resendBytes: 0
        )
        ledger.noteSent(item(bytes(1)), bytes: 1)
        #expect(!ledger.isBarrierDue(nowNanoseconds: 1_999_999_999))
        #expect(ledger.isBarrierDue(nowNanoseconds: 2_000_000_000))
        ledger.noteBarrier(id: "a", nowNanoseconds: 0)
        #expect(!ledger.isWindowFull && ledger.silenceNanoseconds(nowNanoseconds: 7) == 7)
        ledger.noteSent(item(bytes(1)), bytes: 1)
        ledger.noteBarrier(id: "b", nowNanoseconds: 0)
        #expect(ledger.isWindowFull)
    }

    @Test("barriers are due by bytes, and by time; two of them fill the window")
    func window() {
        var ledger = AckTracker.of(windowBytes: 1000, maximumBarriers: 2, barrierIntervalNanoseconds: 100)
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
        var ledger = AckTracker.of()
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
        var ledger = AckTracker.of(isConfirming: false)
        ledger.noteSent(item(bytes(1)), bytes: 100_000_000)
        #expect(!ledger.isBarrierDue(nowNanoseconds: .max) && !ledger.isWindowFull)
        #expect(ledger.unconfirmedMessages == 1 && ledger.takeBack().items.isEmpty)
        var given = AckTracker.of()
        given.noteSent(item(bytes(1)), bytes: 1)
        given.noteBarrier(id: "a", nowNanoseconds: 0)
        given.stopConfirming()
        #expect(given.unconfirmedMessages == 1 && given.outstandingBarriers == 0 && given.takeBack().items.isEmpty)
    }

    @Test("a late answer shows that the server does answer, and the next one confirms what was not kept")
    func lateAnswer() {
        var ledger = AckTracker.of()
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
        var ledger = AckTracker.of()
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
        var ledger = AckTracker.of(maximumBarriers: 20_000)
        for number in 0..<100_000 {
            ledger.noteSent(item(text("x")), bytes: 1)
            if number % 10 == 9 { ledger.noteBarrier(id: "\(number)", nowNanoseconds: 0) }
        }
        for number in stride(from: 9, to: 100_000, by: 10) {
            #expect(ledger.confirm(id: "\(number)", nowNanoseconds: 0) == true)
        }
        #expect(ledger.unconfirmedMessages == 0 && ledger.confirmedMessages == 100_000)
    }

    @Test("what was under way when confirming stopped is confirmed by the next answer, each message once")
    func stopped() {
        var ledger = AckTracker.of()
        for number in 0..<3 { ledger.noteSent(item(text("\(number)")), bytes: 1) }
        ledger.noteSent(item(bytes(1)), bytes: 1)
        ledger.noteBarrier(id: "first", nowNanoseconds: 0)
        ledger.stopConfirming()
        #expect(ledger.unconfirmedMessages == 4 && !ledger.needsBarrier)
        #expect(ledger.confirm(id: "first", nowNanoseconds: 1) == false)
        ledger.noteSent(item(text("3")), bytes: 1)
        // One byte is something to be confirmed.
        #expect(ledger.needsBarrier)
        ledger.noteBarrier(id: "second", nowNanoseconds: 2)
        #expect(ledger.confirm(id: "second", nowNanoseconds: 3) == true)
        #expect(ledger.confirmedMessages == 5 && ledger.unconfirmedMessages == 0 && ledger.progress == 5)
        for topic in ["/chatter", "/cloud"] { #expect(ledger.countByTopic[topic]?.unconfirmed == 0) }
    }

    @Test("a connection begins with eight messages to a barrier, a cautious one with one; nothing is carried over")
    func beginnings() {
        for (isCautious, messages) in [(nil, 8), (false, 8), (true, 1)] as [(Bool?, Int)] {
            var ledger = AckTracker.of(barrierIntervalNanoseconds: .max)
            for number in 0..<5 { ledger.noteSent(item(text("\(number)")), bytes: 100_000) }
            #expect(ledger.isBarrierDue(nowNanoseconds: 0))
            if let isCautious { _ = ledger.takeBack(isCautious: isCautious) } else { _ = ledger.takeBack() }
            for number in 1...messages {
                ledger.noteSent(item(text("\(number)")), bytes: 1)
                #expect(ledger.isBarrierDue(nowNanoseconds: 0) == (number == messages))
            }
            // Bytes of the lost connection do not count either: 256,000 are a window.
            _ = ledger.takeBack()
            ledger.noteSent(item(text("large")), bytes: 255_999)
            #expect(!ledger.isBarrierDue(nowNanoseconds: 0))
            ledger.noteSent(item(text("small")), bytes: 1)
            #expect(ledger.isBarrierDue(nowNanoseconds: 0))
        }
    }

    @Test("each barrier begins a window of its own")
    func windowsOfMessages() {
        var ledger = AckTracker.of(barrierIntervalNanoseconds: .max)
        #expect(!ledger.hasBeenAnswered)
        for name in ["a", "b", "c"] {
            for number in 1...8 {
                ledger.noteSent(item(text("\(number)")), bytes: 1)
                #expect(ledger.isBarrierDue(nowNanoseconds: 0) == (number == 8))
            }
            ledger.noteBarrier(id: name, nowNanoseconds: 0)
        }
        #expect(ledger.confirm(id: "b", nowNanoseconds: 1) == true)
        #expect(ledger.hasBeenAnswered && ledger.confirmedMessages == 16)
    }

    @Test("points of thinned clouds are counted, and taken back with their messages")
    func thinned() throws {
        var cloud = PointCloud2()
        (cloud.width, cloud.height, cloud.pointStep, cloud.rowStep) = (1000, 1, 16, 16_000)
        cloud.data = [UInt8](repeating: 1, count: 16_000)
        let thinning = try #require(CloudThinning(cloud, byteLimit: 12_000))
        #expect(thinning.offeredPoints == 1000 && (100..<1000).contains(thinning.keptPoints))
        var ledger = AckTracker.of()
        func expect(_ count: Int) {
            let found = ledger.countByTopic["/cloud"]
            #expect(found?.thinned == count)
            #expect(found?.offeredPoints == count * 1000 && found?.keptPoints == count * thinning.keptPoints)
        }
        for _ in 0..<3 { ledger.noteSent(item(bytes(1)), bytes: 10, thinning: thinning) }
        ledger.noteSent(item(bytes(1)), bytes: 10)
        expect(3)
        ledger.noteBarrier(id: "a", nowNanoseconds: 0)
        #expect(ledger.confirm(id: "a", nowNanoseconds: 0) == true)
        for _ in 0..<2 { ledger.noteSent(item(bytes(1)), bytes: 10, thinning: thinning) }
        expect(5)
        #expect(ledger.takeBack().items.count == 2)
        expect(3)
    }

    @Test("what was confirmed is kept for a while without being told how much")
    func keptByDefault() {
        var ledger = AckTracker.of(resendNanoseconds: 1_000_000_000)
        for number in 0..<4 { ledger.noteSent(item(text("\(number)"), bytes: 4_000_000), bytes: 4_000_000) }
        ledger.noteBarrier(id: "a", nowNanoseconds: 0)
        #expect(ledger.confirm(id: "a", nowNanoseconds: 1) == true)
        #expect(ledger.keptMessages == 4 && (16_000_000..<16_100_000).contains(ledger.keptBytes))
        #expect(ledger.takeBack().confirmed == 4)
    }
}
