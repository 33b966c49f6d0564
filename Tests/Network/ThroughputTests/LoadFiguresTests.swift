import Messages
import Testing
import throughput

@Suite("What the benchmark of a server computes")
struct LoadFiguresTests {
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
        ledger.note(LoadSession.Barrier(id: "first", sentNanoseconds: 5))
        ledger.noteSent(stream: 0, jsonBytes: 20)
        #expect(ledger.bytesSinceBarrier == 20 && ledger.unconfirmedBytes == 230)
        ledger.note(LoadSession.Barrier(id: "second", sentNanoseconds: 6))
        ledger.noteSent(stream: 1, jsonBytes: 400)
        #expect(ledger.outstandingBarriers == 2 && ledger.barrier?.id == "first")
        ledger.confirmNext()
        #expect(ledger.barrier?.id == "second" && ledger.barrier?.sentNanoseconds == 6)
        #expect(ledger.confirmed[0] == LoadLedger.Counts(messages: 1, jsonBytes: 10))
        #expect(ledger.confirmed[1] == LoadLedger.Counts(messages: 1, jsonBytes: 200))
        ledger.confirmNext()
        #expect(ledger.confirmed[0] == LoadLedger.Counts(messages: 2, jsonBytes: 30))
        #expect(ledger.sent[1] == LoadLedger.Counts(messages: 2, jsonBytes: 600))
        #expect(ledger.unconfirmedBytes == 400 && ledger.outstandingBarriers == 0)
        ledger.confirmNext()
        #expect(ledger.confirmed.map(\.messages) == [2, 1])
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
        #expect(count(5, 0.1) == 1 && count(30, 3) == 90 && count(LoadStream.unpacedHertz, 600) == 600_000_000)
    }

    @Test("the cloud has as many bytes as asked, points that are whole and finite", arguments: [16, 17, 1_048_576, 1])
    func cloud(byteCount: Int) {
        let cloud = LoadPayload.cloud(byteCount: byteCount, stampNanoseconds: 1_999_999_999)
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
