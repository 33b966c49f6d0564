import Bags
import Foundation
import Glibc
import Messages
import SystemPackage
import TestSupport
import Testing

/// Writers that die by SIGKILL, in processes of their own.
struct KilledWriterTests {
    @Test(arguments: BagOptions.Durability.allCases, [40, 140, 200])
    func whatTheDurabilityPromisesIsThere(_ durability: BagOptions.Durability, _ count: Int) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [path = bag.string as String, name = durability.rawValue as String, count = count as Int] in
            let durability = try #require(BagOptions.Durability(rawValue: name))
            let options = BagOptions(durability: durability, maximumChunkSeconds: 0.5)
            let sink = BagSink(FilePath(path), options: options)
            try await sink.open([SampleTraffic.note])
            for message in KilledWriterTests.notes.prefix(count) { try await sink.write(message) }
            // Far longer than the half second that is promised; the test fails only if they never come.
            for _ in 0..<2_000 where durability == .resilient {
                if (try? BagReader(opening: FilePath(path)).summary().messageCount) == count { break }
                try await Task.sleep(for: .milliseconds(10))
            }
            kill(getpid(), SIGKILL)
        }
        let summary = try BagReader(opening: bag).summary()
        // Fast: whole chunks of 50 messages; the one at hand is lost.
        #expect(summary.messageCount == (durability == .fast ? (count - 1) / 50 * 50 : count))
        #expect(summary.warnings.allSatisfy { $0.contains(".part") }, "\(summary.warnings)")
        if PeerPython.isAvailable && summary.messageCount > 0 {
            try Judge.check(bag, counts: ["/note": summary.messageCount])
        }
    }

    /// Kills writers in the middle of their work, and reads what they leave by rosbags, as it lies.
    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        arguments: BagOptions.Storage.allCases
    )
    func aResilientBagOpensAsItLiesAtAnyMoment(_ storage: BagOptions.Storage) async throws {
        let directory = try TemporaryDirectory()
        for microseconds in [1_000, 57_000, 211_000, 333_000, 402_000, 790_000] {
            let bag = directory.appending("bag\(microseconds)")
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = bag.string as String, name = storage.rawValue as String, delay = microseconds as Int] in
                let storage = try #require(BagOptions.Storage(rawValue: name))
                try await KilledWriterTests.write(storage, FilePath(path), killedAfterMicroseconds: delay)
            }
        }
        let problems: [String] = try PeerPython.json(Self.readAsItLies, [directory.path.string])
        #expect(problems.isEmpty)
    }

    /// Writes without an end; the process dies a while after there is something to read.
    private static func write(
        _ storage: BagOptions.Storage,
        _ bag: FilePath,
        killedAfterMicroseconds delay: Int
    ) async throws {
        let options = BagOptions(storage: storage, durability: .resilient, maximumChunkSeconds: 0.5)
        let sink = BagSink(bag, options: options)
        try await sink.open([SampleTraffic.note])
        Thread.detachNewThread {
            let firstFile = "\(bag.string)/\(bag.lastComponent?.string ?? "")_0.\(storage == .mcap ? "mcap" : "db3")"
            while access(firstFile, F_OK) != 0 { usleep(200) }
            usleep(UInt32(delay))
            kill(getpid(), SIGKILL)
        }
        for index in 0..<1_000_000 {
            try await sink.write(note(index, atMilliseconds: index, String(repeating: "x", count: 20_000)))
            usleep(1_000)
        }
    }

    /// What a reader finds that takes the directory for a closed bag: all messages from the first on, without a gap.
    private static let readAsItLies = """
        import glob, json, sys
        from rosbags.rosbag2 import Reader
        problems = []
        bags = glob.glob(sys.argv[1] + "/bag*")
        for bag in bags:
            try:
                with Reader(bag) as reader: times = [time for _, time, data in reader.messages() if len(data) > 20000]
                gaps = [i for i, time in enumerate(times) if time != times[0] + i * 1_000_000]
                if not times or gaps: problems.append(f"{bag}: {len(times)} messages, gaps at {gaps[:5]}")
            except Exception as error: problems.append(f"{bag}: {error}")
        print(json.dumps(problems if len(bags) == 6 else ["too few bags"]))
        """

    /// A hundred messages a second.
    private static var notes: [StampedMessage] {
        (0..<200).map { note($0, atMilliseconds: 10 * $0, String(repeating: "x", count: 100 * $0)) }
    }

    private static func note(_ index: Int, atMilliseconds time: Int, _ text: String) -> StampedMessage {
        SampleTraffic.stamped(SampleTraffic.note, SampleTraffic.start + Int64(time) * 1_000_000) {
            (message: inout StringMessage, _) in
            message.data = text
        }
    }
}
