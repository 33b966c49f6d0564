import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Which row goes into which chunk, at the edges of the rules.
struct ChunkRuleTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func note(_ size: Int, atMilliseconds time: Int) -> StampedMessage {
        SampleTraffic.stamped(SampleTraffic.note, SampleTraffic.start + Int64(time) * 1_000_000) {
            (message: inout StringMessage, _) in
            message.data = String(repeating: "x", count: size)
        }
    }

    private func record(_ options: BagOptions, to path: FilePath, _ notes: [(Int, Int)]) async throws -> SinkReport {
        let sink = BagSink(path, options: options)
        try await sink.open([SampleTraffic.note])
        for (size, time) in notes { try await sink.write(note(size, atMilliseconds: time)) }
        return try await sink.finish()
    }

    /// A text takes nine bytes more in CDR: the header, its length and the zero behind it.
    @Test(arguments: BagOptions.Durability.allCases, [nil, 10_000] as [Int?])
    func bytesAreSummedOverAllChunks(_ durability: BagOptions.Durability, limit: Int?) async throws {
        let options = BagOptions(durability: durability, maximumChunkBytes: limit)
        let report = try await record(options, to: bag, (1...9).map { (1000 * $0, $0) })
        #expect(report.topics.map(\.written) == [9] && report.topics.map(\.bytes) == [45_000 + 9 * 9])
        #expect(report.warnings.isEmpty)
        let files = try BagReader(opening: bag).summary().files
        #expect(limit == nil ? files.count == 1 : files.count > 4)
    }

    @Test func aRowOfTheSameTimeMayBeginAChunk() async throws {
        _ = try await record(BagOptions(maximumChunkBytes: 64 << 10), to: bag, [(300_000, 5), (300_000, 5), (10, 5)])
        #expect(try BagReader(opening: bag).summary().files.map(\.messageCount) == [1, 1, 1])
    }

    @Test(arguments: BagOptions.Storage.allCases, [0, 1, 40])
    func aLoneFileHasEverything(_ storage: BagOptions.Storage, count: Int) async throws {
        var options = BagOptions(storage: storage, maximumChunkBytes: 64 << 10, maximumChunkSeconds: 1)
        options.isLoneFile = true
        let file = directory.appending(storage == .mcap ? "lone.mcap" : "lone.db3")
        let report = try await record(options, to: file, (0..<count).map { (10_000, 100 * $0) })
        #expect(report.topics.map(\.written) == [count])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path.string)
        #expect(names == [storage == .mcap ? "lone.mcap" : "lone.db3"])
        let summary = try BagReader(opening: file).summary()
        #expect(summary.files.map(\.messageCount) == [count] && summary.topics.map(\.topic.name) == ["/note"])
    }

    /// The first chunk ends at 0.9 s and is closed when the third begins; from then on what is older comes too late.
    @Test func rowsAfterTheEndOfTheirChunkAreCounted() async throws {
        let options = BagOptions(durability: .resilient, maximumChunkBytes: nil, maximumChunkSeconds: 1)
        let times = [0, 900, 1_000, 1_100, 3_200, 900, 899, 0, 3_300]
        let report = try await record(options, to: bag, times.map { (5 << 20, $0) })
        #expect(report.warnings == ["2 messages came after the chunk of their time was closed"])
        #expect(report.topics.map(\.written) == [9])
        #expect(try BagReader(opening: bag).summary().topics.map(\.messageCount) == [9])
    }

    /// Rows that come together are committed at once when they are eight MiB, in the order of time.
    private func write(_ seconds: [Double], to sink: BagSink) async throws {
        for (index, time) in seconds.enumerated() {
            let size = index == seconds.count - 1 ? 8 << 20 : 10
            let nanoseconds = SampleTraffic.start + Int64((time * 1e9).rounded())
            try await sink.write(
                BagRow(topic: 0, timeNanoseconds: nanoseconds, bytes: [UInt8](repeating: 7, count: size))
            )
        }
    }

    /// A chunk takes late rows until the next one has rows of two seconds, and not a nanosecond longer.
    @Test(arguments: BagOptions.Storage.allCases)
    func aChunkStaysOpenForTwoSeconds(_ storage: BagOptions.Storage) async throws {
        let options = BagOptions(
            storage: storage,
            durability: .resilient,
            maximumChunkBytes: nil,
            maximumChunkSeconds: 10
        )
        let sink = BagSink(bag, options: options)
        try await sink.open([SampleTraffic.note])
        try await write([0], to: sink)
        #expect(try BagReader(opening: bag).metadata.files.map(\.messageCount) == [1])
        try await write([10, 10, 11.999_999_999], to: sink)
        #expect(try BagReader(opening: bag).metadata.files.map(\.messageCount) == [1, 3])
        #expect(await sink.report().topics.map(\.written) == [4])
        // Into the first chunk; what is as old as the second one's first row is not late for it.
        try await write([5, 10], to: sink)
        #expect(await sink.report().warnings.isEmpty)
        try await write([12], to: sink)
        #expect(await sink.report().topics.map(\.written) == [7])
        // The first chunk ends at 5 s.
        try await write([4, 5], to: sink)
        let report = try await sink.finish()
        #expect(report.warnings == ["1 messages came after the chunk of their time was closed"])
        #expect(report.topics.map(\.written) == [9])
        let files = try BagReader(opening: bag).metadata.files
        #expect(files.map(\.messageCount) == [2, 7])
        #expect(try BagReader(opening: bag).summary().topics.map(\.messageCount) == [9])
    }

    /// A fast bag has each chunk under its name before the next one begins, and writes what comes late into the open one.
    @Test func aFastBagShowsAChunkWhenTheNextBegins() async throws {
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1))
        try await sink.open([SampleTraffic.note])
        for time in [0, 1000] { try await sink.write(note(10, atMilliseconds: time)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: bag.string).sorted()
        #expect(names == ["bag_0.db3", "bag_1.db3.part", "metadata.yaml"])
        #expect(await sink.report().topics.map(\.written) == [2])
        #expect(try BagReader(opening: bag).summary().files.map(\.messageCount) == [1])
        try await sink.write(note(10, atMilliseconds: 900))
        _ = try await sink.finish()
        #expect(try BagReader(opening: bag).metadata.files.map(\.messageCount) == [1, 2])
    }
}
