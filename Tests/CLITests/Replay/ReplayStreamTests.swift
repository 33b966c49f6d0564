import Foundation
import Testing

/// What a rosbridge server gets from `replay`, and in what order.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ReplayStreamTests {
    private let directory: Scratch
    private let folder: String

    init() throws {
        directory = try Scratch()
        folder = directory.path
    }

    @Test(arguments: ["record", "full"])
    func everythingArrivesAsInTheMirror(profile: String) async throws {
        let bag = "\(folder)/bag"
        let options = ["--rate", "max", "--save-local", bag, "--profile", profile, "--clock"]
        let (diary, outcome) = try await PeerServer.replay(try await Samples.full.value, options, into: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(diary.all("refused").map(\.why) == [])
        let listing = try await BagListing.of(bag)
        #expect(diary.digests == listing.digests)
        #expect(diary.publishes.count > 150)
        // Transforms are there before what needs them, though images and clouds may be overtaken.
        var placed: Set<Int64> = []
        for message in diary.publishes {
            guard let topic = message.topic, let stamp = message.stamp else { continue }
            if topic == "/tf" { placed.insert(stamp) }
            if topic == "/mapping/pose" || topic.contains("camera") || topic.contains("cloud") {
                #expect(placed.contains(stamp), "\(topic) of \(stamp) came before its transform")
            }
        }
        try expectOrderlyEnd(diary)
    }

    /// Advertised first, confirmed last, then unadvertised, then closed.
    private func expectOrderlyEnd(_ diary: Diary) throws {
        let events = diary.entries.map(\.event)
        let firstPublish = try #require(events.firstIndex { $0 == "publish" || $0 == "fragment" })
        let lastPublish = try #require(events.lastIndex(of: "publish"))
        let advertised = diary.all("advertise")
        #expect(events[..<advertised.count].allSatisfy { $0 == "advertise" })
        #expect(advertised.count < firstPublish)
        #expect(Set(advertised.map(\.topic)).count == advertised.count)
        #expect(Set(advertised.map(\.topic)) == Set(diary.publishes.map(\.topic)))
        let latched = advertised.filter { $0.latch == true }.compactMap(\.topic)
        #expect(
            Set(latched).isSubset(of: ["/tf_static", "/mapping/session", "/map"]) && latched.contains("/tf_static")
        )
        let tail = Array(diary.entries[(lastPublish + 1)...])
        #expect(tail.first?.event == "call_service")
        #expect(tail.filter { $0.event == "unadvertise" }.map(\.topic) == advertised.map(\.topic))
        #expect(tail.last?.event == "closed" && tail.last?.code == 1000 && tail.last?.forgotten == 0)
    }

    @Test func messagesAboveTheLimitComeAsFragments() async throws {
        let session = try await Samples.plain.value
        let (whole, _) = try await PeerServer.replay(session, ["--rate", "max"], into: folder)
        let options = ["--rate", "max", "--max-message-size", "2000"]
        let (diary, outcome) = try await PeerServer.replay(
            session,
            options,
            into: folder,
            server: ["--max-message-size", "2000"]
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(diary.all("refused").map(\.why) == [])
        #expect(diary.digests == whole.digests)
        #expect(diary.all("fragment").count > 100)
        #expect(diary.all("closed").map(\.code) == [1000])
        let refused = try await PeerServer.replay(
            session,
            options + ["--no-fragments", "--reconnect", "off"],
            into: folder
        ).1
        refused.expectError(69, hasReported: true)
    }

    @Test func paceFollowsTheCaptureClock() async throws {
        let session = try await Samples.plain.value
        let (diary, outcome) = try await PeerServer.replay(
            session,
            ["--rate", "2", "--topics", "/mapping/pose"],
            into: folder
        )
        #expect(outcome.status == 0, "\(outcome)")
        let poses = diary.publishes
        #expect(poses.count == 40)
        let first = try #require(poses.first?.at), last = try #require(poses.last?.at)
        // 3.9 s at twice the speed. Never early; how late depends on who else needs the machine.
        #expect(last - first > 1.8 && last - first < 10)
    }

    @Test func loopsGoOnInTime() async throws {
        let session = try await Samples.plain.value
        let (diary, outcome) = try await PeerServer.replay(session, ["--rate", "max", "--loop", "2"], into: folder)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(diary.count("/mapping/pose") == 80)
        for topic in ["/mapping/pose", "/tf", "/mapping/pointcloud/lidar"] {
            let stamps = diary.publishes.filter { $0.topic == topic }.compactMap(\.stamp)
            #expect(zip(stamps, stamps.dropFirst()).allSatisfy { $0 < $1 }, "\(topic)")
        }
        #expect(diary.count("/tf_static") == 1)
    }

    @Test func stampsOfNowAreOfNow() async throws {
        let session = try await Samples.plain.value
        let before = Int64(time(nil)) * 1_000_000_000
        let (diary, _) = try await PeerServer.replay(
            session,
            ["--rate", "max", "--stamp", "now", "--topics", "/mapping/pose"],
            into: folder
        )
        let stamps = diary.publishes.compactMap(\.stamp)
        #expect(stamps.count == 40)
        #expect(stamps.allSatisfy { $0 >= before && $0 <= Int64(time(nil) + 1) * 1_000_000_000 })
    }

    @Test func dryRunNeedsNoServer() async throws {
        let session = try await Samples.full.value
        let dry: RunReport = try await Binary.json(["replay", session, "--dry-run", "--json"])
        let (diary, outcome) = try await PeerServer.replay(session, ["--rate", "max", "--json"], into: folder)
        #expect(outcome.status == 0, "\(outcome)")
        let counts = Dictionary(uniqueKeysWithValues: dry.topics.map { ($0.name, $0.count) })
        #expect(counts.filter { $0.value > 0 } == diary.digests.mapValues(\.count))
    }

    @Test func progressIsALineOfJSONASecond() async throws {
        let session = try await Samples.plain.value
        let (_, outcome) = try await PeerServer.replay(session, ["--rate", "2", "--progress", "json"], into: folder)
        #expect(outcome.status == 0, "\(outcome)")
        let lines = try outcome.errors.split(separator: "\n").map {
            try JSONDecoder().decode(ProgressLine.self, from: Data($0.utf8))
        }
        #expect(!lines.isEmpty)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.captured_s <= $1.captured_s })
        #expect(lines.allSatisfy { $0.rate == 2 && $0.total_s > 3.8 && $0.total_s < 4 })
        // The last line comes when the connection is closed.
        #expect(lines.dropLast().allSatisfy { $0.connected && $0.state == "running" && $0.unit == "seconds" })
        let last = try #require(lines.last)
        #expect(last.state == "done" && last.done == last.total && last.sent_messages > 0 && !last.connected)
        let (_, silent) = try await PeerServer.replay(session, ["--rate", "max"], into: folder)
        #expect(silent.errors.isEmpty, "\(silent)")
    }

    private struct ProgressLine: Decodable {
        var state: String
        var done: Double
        var total: Double
        var unit: String
        var captured_s: Double
        var total_s: Double
        var rate: Double?
        var connected: Bool
        var sent_messages: Int
        var dropped: [String: Int]
    }
}
