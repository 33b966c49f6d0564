import Foundation
import SystemPackage
import TestSupport
import Testing

/// `tags` as a user meets it: from a session to a map, and back to a place in it.
@Suite struct TagCommandTests {
    private struct MapReport: Decodable {
        struct Piece: Decodable {
            struct Tag: Decodable {
                var tag: String
                var error_m: Double?
            }

            var rmse_m: Double
            var spread_before_m: Double
            var spread_after_m: Double
            var is_worse: Bool
            var tags: [Tag]
        }

        var pieces: [Piece]
    }

    private struct Location: Decodable {
        var poses: Int
        var tags: [Int]
        var sigma_worst_m: Double
        var way_m: Double
    }

    private struct Sighting: Decodable {
        var frame: Int
        var family: String
        var id: Int
        var corners_px: [Double]
        var source: String
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample(_ name: String, _ more: [String]) async throws -> String {
        let path = folder(name)
        try await Binary.succeed(
            ["sample", "-o", path, "--tags", "--size", "960x720", "--fps", "2", "--imu-rate", "0"] + more
        )
        return path
    }

    private static let sizes = ["--tag-size", "0.152,1-3=0.173"]

    @Test("a walk that drifts becomes a map that is right, and a later one finds its place in it")
    func roundTrip() async throws {
        let walk = try await sample("walk", ["--duration", "60", "--drift", "1", "--noise"])
        let (map, raw, tum, g2o) = (folder("map.json"), folder("raw.json"), folder("tum.txt"), folder("graph.g2o"))
        let truth = FilePath(walk).appending("tags_truth.txt").string
        let report: MapReport = try await Binary.json(
            [
                "tags", "map", walk, "-o", map, "--raw", raw, "--tum", tum, "--g2o", g2o, "--truth", truth, "--json",
                "--corrected", folder("fixed"), "--picture", folder("map.svg"), "--waypoint", "door=12.5",
            ] + Self.sizes
        )
        let piece = try #require(report.pieces.first)
        #expect(report.pieces.count == 1 && piece.tags.count == 16 && !piece.is_worse)
        #expect(piece.rmse_m < 0.02 && piece.tags.allSatisfy { ($0.error_m ?? 1) < 0.1 }, "\(piece)")
        #expect(piece.spread_after_m < piece.spread_before_m / 3)
        // The optimised poses are the true ones, up to one motion: the second walk, without drift, tells.
        let lines = try String(contentsOfFile: tum, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 121)
        // The corrected session has the true poses, and all else as it was.
        let fixed: MapReport = try await Binary.json(
            ["tags", "map", folder("fixed"), "-o", folder("fixed.json"), "--truth", truth, "--json"] + Self.sizes
        )
        #expect((fixed.pieces.first?.spread_before_m ?? 1) < piece.spread_before_m / 3)
        #expect((fixed.pieces.first?.rmse_m ?? 1) < 0.02)
        for name in ["rgb/000007.jpg", "depth/000007.bin", "metadata.json"] {
            let bytes = try [walk, folder("fixed")].map { root in
                try Data(contentsOf: URL(fileURLWithPath: "\(root)/\(name)"))
            }
            #expect(bytes[0] == bytes[1], "\(name)")
        }
        let check = try await Binary.run(["check", folder("fixed")])
        #expect(check.status == 0, "\(check.output)")
        let picture = try String(contentsOfFile: folder("map.svg"), encoding: .utf8)
        #expect(picture.components(separatedBy: "path class=\"thick").count >= 16 && picture.contains(">door</text>"))
        let toDoor = try await Binary.succeed(["tags", "locate", map, "--path", "door", "7"])
        #expect(toDoor.contains("m from door to 7"))
        // What was seen makes the same map without the images.
        let again = folder("again.json")
        let second: MapReport = try await Binary.json(["tags", "map", raw, "-o", again, "--truth", truth, "--json"])
        #expect(abs((second.pieces.first?.rmse_m ?? 1) - piece.rmse_m) < 1e-6)
        let evaluated = try await Binary.succeed(["tags", "evaluate", map, "--truth", truth])
        #expect(evaluated.contains("of 16 tags, aligned rigidly"))
        let visit = try await sample("visit", ["--duration", "5"])
        let location: Location = try await Binary.json(
            ["tags", "locate", map, visit, "--path", "3", "here", "--json"] + Self.sizes
        )
        #expect(location.poses == 10 && location.tags.count >= 3 && location.sigma_worst_m < 0.1)
        #expect((0.1...6).contains(location.way_m))
    }

    private struct TagFrames: Decodable {
        var messages: Int
        var detections: Int
        var tags: [Int]
        var median_px: Double
        var worst_px: Double
        var homography_px: Double
    }

    @Test(
        "tags are frames of the bag, where the images show them, however the phone was held",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: ["landscapeRight", "portrait"]
    )
    func frames(orientation: String) async throws {
        let walk = try await sample("walk", ["--duration", "10", "--orientation", orientation])
        let (map, bag) = (folder("map.json"), folder("bag"))
        try await Binary.succeed(["tags", "map", walk, "-o", map] + Self.sizes)
        let topics = ["/tf", "/tf_static", "/mapping/camera/camera_info", "/mapping/tags"]
        try await Binary.succeed(
            ["bag", walk, "-o", bag, "--profile", "record", "--tag-map", map, "--topics"] + topics
        )
        let edges = ["0.152", "1=0.173", "2=0.173", "3=0.173"]
        let frames: TagFrames = try await Peer.json("check_tag_frames.py", [bag] + edges)
        #expect(frames.messages == 20 && frames.detections > 10 && frames.tags.count >= 3, "\(frames)")
        #expect(frames.median_px < 0.5 && frames.worst_px < 8 && frames.homography_px < 1e-6, "\(frames)")
        // A map of another family has other names, and a raw map is none.
        try await Binary.run([
            "bag", walk, "-o", folder("x"), "--profile", "record", "--tag-map", map, "--tag-family", "tag1",
        ])
        .expectError(2, naming: "tag36h11")
        try await Binary.run(["bag", walk, "-o", folder("x"), "--profile", "record", "--tag-map", folder("none.json")])
            .expectError(66, naming: "none.json")
    }

    @Test("each tag in an image is one line, in any orientation of the phone, with any number of workers")
    func detect() async throws {
        var seen: [[Sighting]] = []
        for orientation in ["landscapeRight", "portrait", "landscapeLeft"] {
            let walk = try await sample(orientation, ["--duration", "4", "--orientation", orientation])
            let outcome = try await Binary.run(["tags", "detect", walk, "-j", "3"] + Self.sizes)
            #expect(outcome.status == 0 && outcome.errors.contains("tags seen"), "\(outcome)")
            let alone = try await Binary.succeed(["tags", "detect", walk, "-j", "1"] + Self.sizes)
            #expect(outcome.output == alone)
            seen.append(
                try alone.split(separator: "\n").map { try JSONDecoder().decode(Sighting.self, from: Data($0.utf8)) }
            )
        }
        #expect(seen[0].count > 5 && seen[0].allSatisfy { $0.source == "lidar" && $0.corners_px.count == 8 })
        // Turned by 180 degrees the sensor sees the same.
        #expect(seen[0].map(\.id) == seen[2].map(\.id))
        for (a, b) in zip(seen[0], seen[2]) {
            for (x, y) in zip(a.corners_px, b.corners_px) { #expect(abs(x - y) < 1) }
        }
        #expect(!seen[1].isEmpty && seen[1].allSatisfy { $0.source == "lidar" })
    }

    @Test("what cannot be done is said, with what to do")
    func errors() async throws {
        let walk = try await sample("blind", ["--duration", "2", "--no-lidar"])
        try await Binary.run(["tags", "detect", walk]).expectError(2, naming: "--tag-size")
        try await Binary.run(["tags", "detect", walk, "--family", "x"]).expectError(2, naming: "tag36h11")
        try await Binary.run(["tags", "detect", walk, "--tag-size", "big"]).expectError(2, naming: "big")
        let empty = folder("none")
        try await Binary.succeed(["sample", "-o", empty, "--size", "320x240", "--fps", "2", "--duration", "1"])
        try await Binary.run(["tags", "map", empty, "-o", folder("m.json")]).expectError(65, naming: "none")
        #expect(!FileManager.default.fileExists(atPath: folder("m.json")))
        try await Binary.run(["tags", "map", folder("missing"), "-o", folder("m.json")]).expectError(
            66,
            naming: "missing"
        )
        for (place, part) in [("door", "NAME"), ("door=99", "1.5 s"), ("door=2/1", "1 to 1"), ("=1", "NAME")] {
            try await Binary.run(
                ["tags", "map", walk, "-o", folder("m.json"), "--tag-size", "0.152", "--waypoint", place]
            ).expectError(2, naming: part)
        }
        let gps = try await Binary.run(
            ["tags", "map", walk, "-o", folder("g.json"), "--tag-size", "0.152", "--gps"]
        )
        #expect(gps.status == 0 && gps.errors.contains("warning: --gps"), "\(gps)")
        let text = folder("text.json")
        try "{}".write(toFile: text, atomically: true, encoding: .utf8)
        try await Binary.run(["tags", "map", text, "-o", folder("m.json")]).expectError(65, naming: "pose_data")
        try await Binary.run(["tags", "evaluate", walk]).expectError(66, naming: "a readable text file")
        try await Binary.run(["tags", "locate", text]).expectError(2, naming: "--path")
        try await Binary.run(["tags", "detect", text + ".png", "--tag-size", "0.1"]).expectError(
            66,
            naming: "text.json.png"
        )
    }
}
