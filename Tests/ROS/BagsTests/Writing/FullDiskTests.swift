import Bags
import Foundation
import Glibc
import Messages
import SystemPackage
import TestSupport
import Testing

/// A file that may not grow any more, in a process of its own, stands for a full disk.
struct FullDiskTests {
    @Test(arguments: BagOptions.Durability.allCases)
    func whatWasWrittenBeforeStaysValid(_ durability: BagOptions.Durability) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        await #expect(processExitsWith: .success) {
            [path = bag.string as String, name = durability.rawValue as String] in
            signal(SIGXFSZ, SIG_IGN)
            let durability = try #require(BagOptions.Durability(rawValue: name))
            let options = BagOptions(durability: durability, maximumChunkSeconds: 1)
            let sink = BagSink(FilePath(path), options: options)
            try await sink.open(SampleTraffic.topics)
            // The third chunk is the one that does not fit.
            var limit = rlimit(rlim_cur: 6 << 20, rlim_max: 6 << 20)
            let isLimited = setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0
            #expect(isLimited)
            let small = SampleTraffic.messages(ticks: 250, points: 6_000)
            for message in small { try await sink.write(message) }
            await #expect { try await sink.fill() } throws: {
                if case BagError.io = $0 { true } else { false }
            }
            await #expect(throws: BagError.self) { _ = try await sink.finish() }
            // What the report counts, for the comparison with what is there.
            let counts = await sink.report().topics.map { "\($0.name) \($0.written)" }
            try Data(counts.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path + ".counts"))
        }
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.files.count >= 2)
        #expect(summary.warnings.isEmpty)
        let names = try FileManager.default.contentsOfDirectory(atPath: bag.string)
        #expect(names.allSatisfy { $0 == "metadata.yaml" || $0.hasSuffix(".db3") }, "\(names)")
        if durability == .resilient { #expect(summary.messageCount >= 250 * 2) }
        let reported = try String(contentsOfFile: bag.string + ".counts", encoding: .utf8)
        let there = summary.topics.filter { !$0.topic.isLatched }.map { "\($0.topic.name) \($0.messageCount)" }
        #expect(Set(reported.split(separator: "\n").map(String.init)).isSuperset(of: there), "\(reported)")
        #expect(!there.isEmpty)
        if PeerPython.isAvailable { try Judge.check(bag, counts: [:]) }
    }
}

/// Bags whose content ended by an error of reading.
struct GivenUpBagTests {
    /// What can be made again must not look finished; what happened once stays as far as it came.
    @Test(arguments: BagOptions.Durability.allCases)
    func onlyWhatHappensOnceIsKept(_ durability: BagOptions.Durability) async throws {
        let directory = try TemporaryDirectory()
        let file = directory.appending("bag.mcap")
        var options = BagOptions(storage: .mcap, durability: durability)
        options.isLoneFile = true
        let sink = BagSink(file, options: options)
        try await sink.open(SampleTraffic.topics)
        for message in SampleTraffic.messages(ticks: 20) { try await sink.write(message) }
        await sink.giveUp()
        _ = try await sink.finish()
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path.string)
        #expect(names == (durability == .fast ? [] : ["bag.mcap"]))
    }

    /// A folder without a message would be in the way of the next try.
    @Test func foldersWithoutAChunkAreRemoved() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        for _ in 0..<2 {
            let sink = BagSink(bag)
            try await sink.open(SampleTraffic.topics)
            for message in SampleTraffic.messages(ticks: 5) { try await sink.write(message) }
            await sink.giveUp()
            _ = try await sink.finish()
            #expect(!FileManager.default.fileExists(atPath: bag.string))
        }
    }

    @Test func wholeChunksOfAFolderStay() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        let sink = BagSink(bag, options: BagOptions(maximumChunkSeconds: 1))
        try await sink.open(SampleTraffic.topics)
        for message in SampleTraffic.messages(ticks: 250) { try await sink.write(message) }
        await sink.giveUp()
        let report = try await sink.finish()
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.files.count == 2 && summary.warnings.isEmpty)
        #expect(report.topics.contains { $0.name == "/imu" && $0.written > 0 && $0.written < 250 })
        let names = try FileManager.default.contentsOfDirectory(atPath: bag.string)
        #expect(names.allSatisfy { $0 == "metadata.yaml" || $0.hasSuffix(".db3") }, "\(names)")
    }
}

extension BagSink {
    /// Writes into the chunk at hand until it is above any limit of the test.
    fileprivate func fill() async throws {
        for message in SampleTraffic.messages(ticks: 400, points: 50_000).drop(while: {
            $0.timeNanoseconds < SampleTraffic.start + 2_500_000_000
        }) {
            try write(message)
        }
    }
}
