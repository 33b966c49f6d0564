import Messages
import Rosbridge
import Testing

@Suite("Outgoing queue")
struct OutgoingQueueTests {
    private func drain(_ queue: inout OutgoingQueue, now: Int64 = 0) -> [String] {
        var labels: [String] = []
        while let item = queue.next(nowNanoseconds: now) { labels.append(item.label) }
        return labels
    }

    @Test("without dropping, order is kept, but for what is latched")
    func waitKeepsOrder() {
        var queue = OutgoingQueue(policy: .wait)
        for item in [item(text("1")), item(bytes(1)), item(text("2")), item(text("map", on: .fixed)), item(bytes(1))] {
            #expect(queue.offer(item) == true)
        }
        #expect(queue.count == 5 && queue.byteCount == 50)
        #expect(drain(&queue) == ["map", "1", "/cloud", "2", "/cloud"])
        #expect(queue.isEmpty && queue.byteCount == 0)
    }

    @Test("with dropping, control goes before steady before bulk")
    func lanes() {
        var queue = OutgoingQueue(policy: .drop)
        for item in [item(bytes(1)), item(text("1")), item(text("map", on: .fixed)), item(text("2"))] {
            #expect(queue.offer(item) == true)
        }
        #expect(drain(&queue) == ["map", "1", "2", "/cloud"])
    }

    @Test("what has waited for long shares the connection with what is new: the newest of each bulk topic goes first")
    func catchingUp() {
        var queue = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
        // An outage: what must not be dropped has gathered, and images and clouds of now are behind it.
        for number in 0..<6 { #expect(queue.offer(item(text("\(number)"), at: Int64(number))) == true) }
        for time: Int64 in 1000..<1003 {
            #expect(queue.offer(item(bytes(1, on: .image), at: time)) == true)
            #expect(queue.offer(item(bytes(1, on: .cloud), at: time)) == true)
        }
        #expect(drain(&queue, now: 1005) == ["0", "/cloud", "1", "/image", "2", "3", "4", "5"])
        #expect(queue.droppedByTopic == ["/image": 2, "/cloud": 2] && queue.byteCount == 0 && queue.isEmpty)
        // What is too old by now is dropped, however new it is among its kind.
        for number in 0..<2 { #expect(queue.offer(item(text("\(number)"), at: 0)) == true) }
        #expect(queue.offer(item(bytes(1, on: .image), at: 10)) == true)
        #expect(drain(&queue, now: 1005) == ["0", "1"])
        #expect(queue.droppedByTopic["/image"] == 3)
    }

    @Test("a full queue makes the producer wait")
    func full() {
        var queue = OutgoingQueue(byteLimit: 25, policy: .wait)
        #expect(queue.offer(item(bytes(1))) == true)
        #expect(queue.offer(item(bytes(1))) == true)
        #expect(queue.offer(item(bytes(1))) == false)
        #expect(queue.next(nowNanoseconds: 0) != nil)
        #expect(queue.offer(item(bytes(1))) == true)
        #expect(queue.droppedByTopic.isEmpty)
    }

    @Test("a live queue drops the oldest of the same topic, then the oldest bulk message")
    func dropOldest() {
        var queue = OutgoingQueue(byteLimit: 30, policy: .drop)
        #expect(queue.offer(item(bytes(1, on: .image), at: 1)) == true)
        #expect(queue.offer(item(bytes(1, on: .cloud), at: 2)) == true)
        #expect(queue.offer(item(bytes(1, on: .cloud), at: 3)) == true)
        #expect(queue.offer(item(bytes(1, on: .cloud), at: 4)) == true)
        #expect(queue.droppedByTopic == ["/cloud": 1])
        #expect(queue.offer(item(text("pose"), at: 5)) == true)
        #expect(queue.droppedByTopic == ["/cloud": 1, "/image": 1])
        var times: [Int64] = []
        while let item = queue.next(nowNanoseconds: 5) { times.append(item.queuedNanoseconds) }
        #expect(times == [5, 3, 4])
    }

    @Test("what must not be dropped makes a live producer wait, too")
    func dropNothingSteady() {
        var queue = OutgoingQueue(byteLimit: 25, policy: .drop)
        for label in ["1", "2"] { #expect(queue.offer(item(text(label))) == true) }
        #expect(queue.offer(item(text("3"))) == false)
        #expect(queue.offer(item(bytes(1))) == false)
        #expect(queue.droppedByTopic.isEmpty)
    }

    @Test("a message larger than the whole budget is taken alone")
    func oversized() {
        var queue = OutgoingQueue(byteLimit: 5, policy: .wait)
        #expect(queue.offer(item(bytes(1), bytes: 100)) == true)
        #expect(queue.offer(item(text("2"), bytes: 1)) == false)
    }

    @Test("a live queue gives up bulk messages that are too old")
    func liveWindow() {
        var queue = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
        for time in [0, 50, 100] as [Int64] { #expect(queue.offer(item(bytes(1), at: time)) == true) }
        #expect(queue.offer(item(text("old"), at: 0)) == true)
        #expect(queue.next(nowNanoseconds: 151)?.label == "old")
        #expect(queue.next(nowNanoseconds: 151)?.queuedNanoseconds == 100)
        #expect(queue.droppedByTopic == ["/cloud": 2] && queue.byteCount == 0)
    }

    @Test("after an interruption old images and clouds go, and nothing else")
    func stale() {
        var live = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
        var lossless = OutgoingQueue(policy: .wait, liveWindowNanoseconds: 100)
        for item in [item(text("map", on: .fixed)), item(text("old")), item(text("new"), at: 200), item(bytes(1))] {
            #expect(live.offer(item) == true)
            #expect(lossless.offer(item) == true)
        }
        live.dropStale(nowNanoseconds: 250)
        lossless.dropStale(nowNanoseconds: 250)
        #expect(live.droppedByTopic == ["/cloud": 1])
        #expect(drain(&live, now: 250) == ["map", "old", "new"])
        #expect(lossless.count == 4)
    }

    @Test("the live window belongs to what is live, to the nanosecond")
    func windowEdges() {
        for (age, isLive) in [(100, true), (101, false)] as [(Int64, Bool)] {
            var queue = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
            #expect(queue.offer(item(bytes(1), at: 1000)) == true)
            #expect(drain(&queue, now: 1000 + age) == (isLive ? ["/cloud"] : []))
            // A lane lags only beyond the window: then the newest cloud goes before what waits.
            var lagging = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
            for number in 0..<2 { #expect(lagging.offer(item(text("\(number)"), at: 1000)) == true) }
            #expect(lagging.offer(item(bytes(1), at: 1000 + age)) == true)
            #expect(drain(&lagging, now: 1000 + age) == (isLive ? ["0", "1", "/cloud"] : ["0", "/cloud", "1"]))
            // Of what is new among its kind only what is live is sent.
            var old = OutgoingQueue(policy: .drop, liveWindowNanoseconds: 100)
            for number in 0..<2 { #expect(old.offer(item(text("\(number)"), at: 0)) == true) }
            #expect(old.offer(item(bytes(1), at: 1000)) == true)
            #expect(drain(&old, now: 1000 + age) == (isLive ? ["0", "/cloud", "1"] : ["0", "1"]))
            #expect(old.droppedByTopic == (isLive ? [:] : ["/cloud": 1]))
        }
    }

    @Test("long use keeps order and counts")
    func longUse() {
        var queue = OutgoingQueue(policy: .wait)
        var expected = 0
        for number in 0..<1000 {
            #expect(queue.offer(item(text("\(number)"))) == true)
            if number % 3 != 0 {
                #expect(queue.next(nowNanoseconds: 0)?.label == "\(expected)")
                expected += 1
            }
        }
        #expect(queue.count == 1000 - expected && queue.byteCount == 10 * queue.count)
        #expect(drain(&queue) == (expected..<1000).map(String.init))
    }
}
