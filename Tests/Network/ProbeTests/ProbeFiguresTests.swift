import Messages
import Rosbridge
import Testing
import throughput

@Suite("What a probe computes")
struct ProbeFiguresTests {
    @Test("the median is in the middle, a share is the nearest rank, nothing is nothing")
    func roundTrips() {
        var times = RoundTrips()
        #expect(times.medianSeconds == nil && times.seconds(within: 0.99) == nil)
        #expect(times.leastSeconds == nil && times.mostSeconds == nil)
        for value in (1...200).reversed() { times.add(nanoseconds: Int64(value) * 1_000_000_000) }
        #expect(times.count == 200 && times.medianSeconds == 100.5)
        #expect(times.seconds(within: 0.99) == 198 && times.seconds(within: 1) == 200)
        #expect(times.leastSeconds == 1 && times.mostSeconds == 200)
        let odd = RoundTrips(nanoseconds: [5_000_000_000, 1_000_000_000, 2_000_000_000])
        #expect(odd.medianSeconds == 2 && odd.seconds(within: 0.99) == 5)
        #expect(RoundTrips(nanoseconds: [7_000_000_000]).seconds(within: 0.01) == 7)
    }

    @Test("a ledger counts by stream what each barrier confirms, and what it does not")
    func ledger() {
        var ledger = LoadLedger(streamCount: 2)
        ledger.noteSent(stream: 0, jsonBytes: 10)
        ledger.noteSent(stream: 1, jsonBytes: 200)
        ledger.noteBarrier("first", sentNanoseconds: 5)
        ledger.noteSent(stream: 0, jsonBytes: 20)
        #expect(ledger.bytesSinceBarrier == 20 && ledger.unconfirmedBytes == 230 && ledger.unconfirmedMessages == 3)
        ledger.noteBarrier("second", sentNanoseconds: 6)
        ledger.noteSent(stream: 1, jsonBytes: 400)
        #expect(ledger.outstandingBarriers == 2 && ledger.nextBarrier?.name == "first")
        ledger.confirmNext(atNanoseconds: 100)
        #expect(ledger.nextBarrier?.name == "second" && ledger.nextBarrier?.sentNanoseconds == 6)
        #expect(ledger.confirmed[0] == LoadLedger.Counts(messages: 1, jsonBytes: 10))
        #expect(ledger.confirmed[1] == LoadLedger.Counts(messages: 1, jsonBytes: 200))
        ledger.confirmNext(atNanoseconds: 200)
        #expect(ledger.confirmed[0] == LoadLedger.Counts(messages: 2, jsonBytes: 30))
        #expect(ledger.sent[1] == LoadLedger.Counts(messages: 2, jsonBytes: 600))
        #expect(ledger.unconfirmedBytes == 400 && ledger.confirmedMessages == 3 && ledger.outstandingBarriers == 0)
        ledger.confirmNext(atNanoseconds: 300)
        #expect(ledger.confirmedMessages == 3)
    }

    /// A server that takes a second for each message, asked after every one.
    private func steadyLedger(_ answers: [Int64]) -> LoadLedger {
        var ledger = LoadLedger()
        for (index, answer) in answers.enumerated() {
            ledger.noteSent(jsonBytes: 1000)
            ledger.noteBarrier("\(index)", sentNanoseconds: 0)
            ledger.confirmNext(atNanoseconds: answer * 1_000_000_000)
        }
        return ledger
    }

    @Test("a sustained rate is that between two answers, without the time until the first and without a warm-up")
    func sustained() {
        let ledger = steadyLedger([7, 8, 9, 10, 11])
        let all = ledger.sustained(startNanoseconds: 0, warmUpNanoseconds: 0)
        #expect(all == SustainedRate(seconds: 4, messages: 4, jsonBytes: 4000))
        #expect(all?.messagesPerSecond == 1 && all?.jsonBytesPerSecond == 1000)
        let warm = ledger.sustained(startNanoseconds: 0, warmUpNanoseconds: 8_500_000_000)
        #expect(warm == SustainedRate(seconds: 2, messages: 2, jsonBytes: 2000))
        // Where the warm-up would leave too little, all of it counts.
        let late = ledger.sustained(startNanoseconds: 0, warmUpNanoseconds: 10_500_000_000)
        #expect(late == all)
        #expect(ledger.latestBytesPerSecond == 1000)
    }

    @Test("no rate is claimed of less than two answers, or of none", arguments: [[], [7], [7, 7]])
    func noRate(answers: [Int64]) {
        #expect(steadyLedger(answers).sustained(startNanoseconds: 0, warmUpNanoseconds: 0) == nil)
        #expect(steadyLedger(answers).latestBytesPerSecond == nil)
    }

    @Test("messages of several streams are due in their order, those of one time as the streams are")
    func schedule() {
        var schedule = LoadSchedule([(rateHertz: 2, count: 4), (rateHertz: 1, count: 2), (rateHertz: 0.1, count: 1)])
        var entries: [LoadSchedule.Entry] = []
        while let entry = schedule.next() { entries.append(entry) }
        #expect(entries.map(\.stream) == [0, 1, 2, 0, 0, 1, 0])
        #expect(entries.map { $0.nanoseconds / 1_000_000 } == [0, 0, 0, 500, 1000, 1000, 1500])
    }

    @Test("as many messages are due as fit into the time, the first at once")
    func due() {
        func count(_ rate: Double, _ seconds: Double) -> Int {
            LoadStream(
                name: "",
                topic: Topic(name: "/chatter", type: StringMessage.self),
                rateHertz: rate,
                payloadBytes: 0
            ) { _ in StringMessage() }
            .dueCount(seconds: seconds)
        }
        #expect(count(10, 30) == 300 && count(1.0 / 60, 30) == 1 && count(1.0 / 60, 61) == 2)
        #expect(count(5, 0.1) == 1 && count(30, 3) == 90)
    }

    @Test("the cloud has as many bytes as asked, points that are whole and finite", arguments: [16, 17, 1_048_576, 1])
    func cloud(byteCount: Int) {
        let cloud = ProbePayload.cloud(byteCount: byteCount, stampNanoseconds: 1_999_999_999)
        #expect(cloud.data.count == byteCount)
        #expect(Int(cloud.width) * Int(cloud.pointStep) == byteCount && Int(cloud.rowStep) == byteCount)
        #expect(cloud.header.stamp.sec == 1 && cloud.header.stamp.nanosec == 999_999_999)
        guard cloud.pointStep == 16 else { return }
        for offset in stride(from: 0, to: byteCount, by: 4) {
            let bits = (0..<4).reduce(UInt32(0)) { $0 | UInt32(cloud.data[offset + $1]) << ($1 * 8) }
            #expect(Float(bitPattern: bits).isFinite && abs(Float(bitPattern: bits)) < 10)
        }
    }
}
