import Foundation
import Testing

/// Which part of a session is sent, and under what names.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ReplaySelectionTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    struct Span: Sendable {
        var options: [String]
        /// Whether a frame belongs to the span, by its number and its seconds after the first.
        var contains: @Sendable (Int, Double) -> Bool
    }

    /// The sample's first frame is at noon and 50 ms.
    static let spans = [
        Span(options: ["--start", "1"]) { $1 >= 1 },
        Span(options: ["--duration", "1.55"]) { $1 <= 1.55 },
        Span(options: ["--start", "0.95", "--duration", "1"]) { $1 >= 0.95 && $1 <= 1.95 },
        Span(options: ["--start", "frame:10", "--end", "frame:19"]) { frame, _ in (10...19).contains(frame) },
        Span(options: ["--start", "2026-01-01T12:00:02Z"]) { $1 >= 1.95 },
        Span(options: ["--start", "2026-01-01T14:00:01.5+02:00", "--end", "3"]) { $1 >= 1.45 && $1 <= 3 },
    ]

    @Test(arguments: spans)
    func spansAreThoseAskedFor(span: Span) async throws {
        let session = try await Samples.plain.value
        let inspection: SessionInspection = try await Binary.json(["inspect", session, "--json"])
        let times = try FrameTimes.of(session)
        let expected = times.enumerated().filter { index, time in
            span.contains(index, Double(time - times[0]) / 1e9)
        }.map { $0.element + inspection.epoch.offset_ns }
        let options = ["--rate", "max", "--topics", "/mapping/pose"] + span.options
        let (diary, outcome) = try await PeerServer.replay(session, options, into: folder.path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(diary.stamps("/mapping/pose") == expected)
        #expect(!expected.isEmpty && expected.count < times.count)
    }

    struct Choice: Sendable {
        var options: [String]
        var topics: Set<String>
    }

    private static let recorded: Set<String> = [
        "/tf", "/tf_static", "/mapping/pose", "/mapping/camera/image/compressed", "/mapping/camera/camera_info",
        "/mapping/pointcloud/lidar",
    ]

    static let choices = [
        Choice(options: [], topics: recorded),
        Choice(options: ["--topics", "/mapping/pose", "/tf"], topics: ["/mapping/pose", "/tf"]),
        // A topic that the profile does not have comes from the catalogue.
        Choice(options: ["--topics", "/mapping/imu"], topics: ["/mapping/imu"]),
        Choice(
            options: ["--exclude-topics", "/mapping/camera/image/compressed", "/tf"],
            topics: recorded.subtracting(["/mapping/camera/image/compressed", "/tf"])
        ),
        Choice(options: ["--regex", "^/tf"], topics: ["/tf", "/tf_static"]),
        Choice(
            options: ["--regex", "camera", "--exclude-regex", "info$"],
            topics: ["/mapping/camera/image/compressed"]
        ),
        Choice(
            options: ["--topics", "/mapping/pose", "/tf", "--remap", "/mapping/pose:=/robot/pose"],
            topics: ["/robot/pose", "/tf"]
        ),
        Choice(
            options: ["--topics", "/mapping/pose", "/tf", "/tf_static", "--namespace", "robot1"],
            topics: ["/robot1/mapping/pose", "/tf", "/tf_static"]
        ),
    ]

    @Test(arguments: choices)
    func topicsAreThoseAskedFor(choice: Choice) async throws {
        let session = try await Samples.plain.value
        let options = ["--rate", "max"] + choice.options
        let (diary, outcome) = try await PeerServer.replay(session, options, into: folder.path)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(Set(diary.advertised) == choice.topics)
        #expect(Set(diary.publishes.compactMap(\.topic)) == choice.topics)
        // inspect and bag agree.
        let inspect = ["inspect", session, "--profile", "record", "--json"]
        let inspection: SessionInspection = try await Binary.json(inspect + choice.options)
        #expect(Set(inspection.topics.map(\.name)) == choice.topics)
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"] + choice.options)
        let listing = try await BagListing.of(bag)
        #expect(listing.digests == diary.digests)
    }
}
