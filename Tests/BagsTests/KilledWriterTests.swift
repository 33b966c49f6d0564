import Bags
import Foundation
import Glibc
import ROS
import SystemPackage
import TestSupport
import Testing

/// Writers that die by SIGKILL, in processes of their own.
struct KilledWriterTests {
    @Test(arguments: BagOptions.Durability.allCases, [40, 90, 140, 200])
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
            // Half a second is promised; a busy machine gets more.
            if durability == .resilient { try await Task.sleep(for: .seconds(2)) }
            kill(getpid(), SIGKILL)
        }
        let summary = try BagReader(opening: bag).summary()
        // Fast: whole chunks of 50 messages; the one at hand is lost.
        #expect(summary.messageCount == (durability == .fast ? (count - 1) / 50 * 50 : count))
        #expect(summary.warnings.allSatisfy { $0.contains(".part") }, "\(summary.warnings)")
        if Judge.isAvailable && summary.messageCount > 0 {
            try Judge.check(bag, counts: ["/note": summary.messageCount])
        }
    }

    /// A hundred messages a second.
    private static var notes: [StampedMessage] {
        (0..<200).map { index in
            SampleTraffic.stamped(SampleTraffic.note, SampleTraffic.start + Int64(index) * 10_000_000) {
                (message: inout StringMessage, _) in
                message.data = String(repeating: "x", count: 100 * index)
            }
        }
    }
}
