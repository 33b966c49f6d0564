import Bags
import Foundation
import Messages
import Playback
import SystemPackage
import TestSupport
import Testing

/// What was in a bag is what was played, left out by a filter, or said to be missing.
@Suite("What was in the bag and what was played")
struct AccountTests {
    /// Twelve texts, the fourth of which is cut.
    private static func bag(_ form: BagOptions.Storage) async throws -> TestBag {
        var bag = try TestBag()
        bag.add("/a", StringMessage.self)
        bag.add("/b", StringMessage.self)
        for index in 0..<12 {
            if index == 3 {
                bag.append("/a", Int64(index), [0, 1, 0, 0, 9, 0, 0, 0, 65])
            } else {
                bag.append(index % 2 == 0 ? "/a" : "/b", Int64(index), text: "\(index)")
            }
        }
        try await bag.write { $0.storage = form }
        return bag
    }

    @Test("every message is accounted for", arguments: BagOptions.Storage.allCases)
    func counts(form: BagOptions.Storage) async throws {
        let bag = try await Self.bag(form)
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        #expect(report.inputCount == 12 && report.readCount == 12 && report.brokenCount == 1)
        #expect(report.filteredCount == 0 && report.missingCount == 0 && report.isIncomplete)
        #expect(await sink.messages.count == 11)
        let part = try await bag.play(into: ListSink()) {
            $0.selection.only = ["/b"]
            $0.start = .seconds(0.005)
        }
        #expect(part.inputCount == 12 && part.readCount == 4 && part.filteredCount == 8 && !part.isIncomplete)
    }

    @Test(
        "a broken message of a latched topic before the start is counted, where it would be carried",
        arguments: [true, false]
    )
    func brokenBeforeStart(isLast: Bool) async throws {
        var bag = try TestBag()
        bag.add("/about", StringMessage.self, qos: .latched)
        bag.add("/text", StringMessage.self)
        bag.append("/about", 0, text: "first")
        bag.append("/about", 100, [0, 1, 0, 0, 9, 0, 0, 0, 65])
        if !isLast { bag.append("/about", 150, text: "second") }
        bag.append("/text", 500, text: "later")
        try await bag.write()
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.start = .seconds(0.2) }
        #expect(await sink.texts == [isLast ? "first" : "second", "later"])
        #expect(report.isIncomplete == isLast)
        let counts = report.brokenCounts.map { "\($0.topic): \($0.count)" }
        #expect(counts == (isLast ? ["/about: 1"] : []))
        #expect(report.broken.map(\.timeNanoseconds) == (isLast ? [TestBag.time(100)] : []))
        #expect(report.readCount == 1 && report.filteredCount == (isLast ? 2 : 3) && report.missingCount == 0)
    }

    @Test("a bag that holds less than it says is refused, or what it lacks is counted")
    func refused() async throws {
        let bag = try await Self.bag(.sqlite3)
        let metadata = bag.path.appending("metadata.yaml").string
        let text = try String(contentsOfFile: metadata, encoding: .utf8)
        try text.replacing("message_count: 12", with: "message_count: 15")
            .write(toFile: metadata, atomically: true, encoding: .utf8)
        #expect { try bag.setup() } throws: { "\($0)".contains("says 15 messages, the files have 12") }
        let report = try await bag.play(into: ListSink()) { $0.acceptsDamage = true }
        #expect(report.inputCount == 15 && report.missingCount == 3 && report.readCount == 12)
    }

    @Test("what is damaged on the way costs only itself, and is told at the end")
    func damagedChunk() async throws {
        let bag = try await Self.bag(.mcap)
        let path = bag.path.appending("bag_0.mcap").string
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // A letter in the text of the last message: the checksum of its chunk is wrong.
        let place = try #require(bytes.range(of: Data([3, 0, 0, 0]) + Data("11".utf8)))
        bytes[place.upperBound - 1] = UInt8(ascii: "7")
        try bytes.write(to: URL(fileURLWithPath: path))
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        #expect(await sink.texts.last == "17")
        #expect(report.isIncomplete && report.damage.contains { $0.contains("uncompressed_crc") })
        #expect(report.playback.failure == nil)
    }
}
