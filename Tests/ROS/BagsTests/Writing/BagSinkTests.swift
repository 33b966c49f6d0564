import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// What the sink promises, seen from its files.
struct BagSinkTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [256 << 10, 1 << 20, 16 << 20], BagOptions.Durability.allCases)
    func chunksComeUpToTheirLimit(_ limit: Int, _ durability: BagOptions.Durability) async throws {
        let options = BagOptions(durability: durability, maximumChunkBytes: limit)
        let points = limit / 400
        _ = try await BagSink(bag, options: options).record(SampleTraffic.messages(ticks: 600, points: points))
        let sizes = try BagReader(opening: bag).summary().files.map(\.bytes)
        #expect(sizes.count > 2)
        #expect(sizes.allSatisfy { $0 <= limit }, "\(sizes)")
        #expect(sizes.dropLast().allSatisfy { Double($0) > 0.8 * Double(limit) }, "\(sizes)")
    }

    @Test func aMessageAboveTheLimitHasAChunkOfItsOwn() async throws {
        let sink = BagSink(bag, options: BagOptions(maximumChunkBytes: 64 << 10))
        try await sink.open([SampleTraffic.note])
        for (index, size) in [10, 10, 300_000, 10, 10].enumerated() {
            try await sink.write(note(size, atMilliseconds: index))
        }
        _ = try await sink.finish()
        #expect(try BagReader(opening: bag).summary().files.map(\.messageCount) == [2, 1, 2])
    }

    @Test func chunksEndByMessageTime() async throws {
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1))
        try await sink.open([SampleTraffic.note])
        for time in [0, 400, 999, 1_000, 1_999, 5_000] { try await sink.write(note(1, atMilliseconds: time)) }
        _ = try await sink.finish()
        #expect(try BagReader(opening: bag).summary().files.map(\.messageCount) == [3, 2, 1])
    }

    @Test func rowsThatComeLateGoToTheChunkOfTheirTime() async throws {
        let options = BagOptions(durability: .resilient, maximumChunkBytes: nil, maximumChunkSeconds: 1)
        let sink = BagSink(bag, options: options)
        try await sink.open([SampleTraffic.note])
        // Above four megabytes everything is committed at once: the late ones come in a batch of their own.
        for time in [0, 900, 1_000, 1_100] { try await sink.write(note(2 << 20, atMilliseconds: time)) }
        for time in [950, 50, 1_200] { try await sink.write(note(2 << 20, atMilliseconds: time)) }
        let report = try await sink.finish()
        #expect(report.warnings.isEmpty)
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.files.map(\.messageCount) == [4, 3])
        #expect(summary.warnings.isEmpty)
        let cursor = try BagReader(opening: bag).rows()
        var times: [Int64] = []
        while let row = try cursor.next() { times.append((row.timeNanoseconds - SampleTraffic.start) / 1_000_000) }
        #expect(times == [0, 50, 900, 950, 1_000, 1_100, 1_200])
    }

    @Test func aTopicMayBeAddedWhileChunksAreOpen() async throws {
        for durability in BagOptions.Durability.allCases {
            let bag = directory.appending("\(durability)")
            let sink = BagSink(bag, options: BagOptions(durability: durability))
            try await sink.open([SampleTraffic.note])
            try await sink.write(note(5 << 20, atMilliseconds: 0))
            try await sink.add(SampleTraffic.imu)
            try await sink.add(SampleTraffic.imu)
            try await sink.write(
                SampleTraffic.stamped(SampleTraffic.imu, SampleTraffic.start + 5) { (_: inout Imu, _) in }
            )
            _ = try await sink.finish()
            let summary = try BagReader(opening: bag).summary()
            #expect(summary.topics.map(\.topic.name) == ["/note", "/imu"])
            #expect(summary.topics.map(\.messageCount) == [1, 1])
            #expect(summary.warnings.isEmpty)
        }
    }

    @Test func aResilientBagShowsALoneMessageByItself() async throws {
        let sink = BagSink(bag, options: BagOptions(durability: .resilient))
        try await sink.open([SampleTraffic.note])
        try await sink.write(note(1, atMilliseconds: 0))
        var count = 0
        // Far longer than it takes; the test fails only if it never comes.
        for _ in 0..<2_000 where count == 0 {
            try await Task.sleep(for: .milliseconds(10))
            // The bag may change under the reader while it is written.
            count = (try? BagReader(opening: bag).summary().messageCount) ?? 0
        }
        #expect(count == 1)
        _ = try await sink.finish()
    }

    @Test func aCancelledTaskStillClosesTheBag() async throws {
        let sink = BagSink(bag)
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await sink.record(SampleTraffic.messages(ticks: 10))
        }
        _ = try await task.value
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.messageCount == SampleTraffic.messages(ticks: 10).count)
        #expect(summary.warnings.isEmpty)
    }

    @Test func wrongTopicsAndTimesAreErrorsOfTheMessageAlone() async throws {
        let sink = BagSink(bag)
        try await sink.open([SampleTraffic.note])
        await #expect(throws: BagError.self) {
            try await sink.write(SampleTraffic.fixedTransform(of: "a", at: 1))
        }
        await #expect(throws: BagError.self) { try await sink.add(Topic(name: "/note", type: Imu.self)) }
        await #expect(throws: BagError.self) {
            try await sink.write(SampleTraffic.stamped(SampleTraffic.note, -1) { (_: inout StringMessage, _) in })
        }
        try await sink.write(note(1, atMilliseconds: 0))
        #expect(try await sink.finish().topics.map(\.written) == [1])
    }

    private func note(_ size: Int, atMilliseconds time: Int) -> StampedMessage {
        SampleTraffic.stamped(SampleTraffic.note, SampleTraffic.start + Int64(time) * 1_000_000) {
            (message: inout StringMessage, _) in
            message.data = String(repeating: "x", count: size)
        }
    }
}
