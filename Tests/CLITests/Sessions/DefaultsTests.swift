import Foundation
import Testing

/// What a command makes without options, and where.
@Suite(.serialized) struct DefaultsTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private static let frameTopics = [
        "/mapping/camera/image/compressed", "/mapping/camera/camera_info", "/mapping/depth/image_raw",
        "/mapping/depth/confidence", "/mapping/depth/camera_info",
    ]

    /// 3 s at 30 Hz of everything.
    private func sample() async throws -> String {
        let path = folder("room")
        let shape = ["--duration", "3", "--fps", "30", "--size", "192x144", "--everything"]
        try await Command.succeed(["sample", "-o", path] + shape)
        return path
    }

    @Test(
        "a bag has images and depth of the same frames, and every sample of the other streams",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func data() async throws {
        let session = try await sample()
        let text = try await Command.succeed(["bag", session, "-o", folder("bag")])
        let listing = try await BagListing.of(folder("bag"))
        func stamps(_ topic: String) -> [Int64] { listing.rows.filter { $0.topic == topic }.compactMap(\.stamp) }
        let images = stamps(Self.frameTopics[0])
        #expect(images.count == 30)
        #expect(zip(images, images.dropFirst()).allSatisfy { abs($1 - $0 - 100_000_000) < 1_000_000 }, "\(images)")
        for topic in Self.frameTopics { #expect(stamps(topic) == images, "\(topic)") }
        // Every line of the recording, as it stands in its files.
        func lines(_ file: String) throws -> Int {
            try String(contentsOfFile: "\(session)/\(file)", encoding: .utf8).split(separator: "\n").count
        }
        #expect(stamps("/mapping/imu").count == (try lines("imu.jsonl")))
        #expect(stamps("/mapping/gps/fix").count == (try lines("gps.jsonl")))
        #expect(
            stamps("/mapping/odom").count == 90 && listing.count("/tf") == 90 && stamps("/mapping/pose").count == 90
        )
        #expect(listing.count("/mapping/map") == 0 && listing.count("/mapping/tags") == 0)
        #expect(
            text.contains("not published: 60 of 90 images, 60 of 90 depth images (profile data; --max-hz all"),
            "\(text)"
        )
        // Each frame is there when all are asked for, and nothing is left to say.
        let whole = try await Command.succeed(["bag", session, "-o", folder("whole"), "--max-hz", "all"])
        let all = try await BagListing.of(folder("whole"))
        for topic in Self.frameTopics { #expect(all.count(topic) == 90, "\(topic)") }
        #expect(!whole.contains("not published:"), "\(whole)")
        try await Conformance.check(folder("bag"), counts: ["/mapping/pointcloud/lidar": 15])
    }

    @Test("what a profile leaves out is one line, and what a format never has another")
    func unpublished() async throws {
        let session = try await sample()
        let text = try await Command.succeed(["replay", session, "--dry-run"])
        let line = "not published: 84 of 90 images, 90 depth images, IMU, odometry, radio samples, indoor positions "
        #expect(text.contains(line + "(profile record; --profile data publishes them)"), "\(text)")
        #expect(!text.contains("\nabsent "), "\(text)")
        // Topics that were chosen by name are no choice of the profile.
        let chosen = try await Command.succeed(["replay", session, "--dry-run", "--topics", "/tf"])
        #expect(!chosen.contains("not published"), "\(chosen)")
        try await Command.succeed(
            [
                "sample", "-o", folder("scan"), "--format", "3d-scanner-app", "--duration", "1", "--fps", "5", "--size",
                "192x144",
            ]
        )
        let scan = try await Command.succeed(["inspect", folder("scan")])
        let never =
            "never in recordings of 3D Scanner App: IMU samples, relative depth, satellite tiles, elevation tiles, "
        #expect(scan.contains(never + "radio samples, indoor positions"), "\(scan)")
        #expect(!scan.contains("/mapping/imu"), "\(scan)")
        for wrong in ["0", "-1", "nan", "some"] {
            try await Command.run(["inspect", session, "--max-hz=\(wrong)"]).expectError(2, naming: "--max-hz", wrong)
        }
    }

    @Test(
        "NAME.mcap is one file, which readers of others open by itself",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func loneFile() async throws {
        let session = try await Samples.plain.value
        let file = folder("room.mcap")
        let text = try await Binary.succeed(["bag", session, "-o", file, "--profile", "record"])
        #expect(text.hasSuffix("bag: \(file)\n"), "\(text)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names == ["room.mcap"], "\(names)")
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--storage", "mcap", "--profile", "record"])
        let rows = try await Peer.json("read_bags.py", [file, folder("bag")]) as [String: [String: Rows]]
        #expect(rows[file]?["files"] == rows[folder("bag")]?["files"] && rows[file]?["files"]?.list?.isEmpty == false)
        try await Command.succeed(["check", file, "--strict"])
        // It is replaced only where that is asked for, and nothing else is.
        try await Command.run(["bag", session, "-o", file]).expectError(73, naming: file)
        try await Binary.succeed(["bag", session, "-o", file, "--force", "--profile", "record", "-q"])
        let other = folder("other.mcap")
        try Data("no bag".utf8).write(to: URL(fileURLWithPath: other))
        try await Command.run(["bag", session, "-o", other, "--force"]).expectError(73, naming: other)
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "no bag")
        for options in [["--storage", "sqlite3"], ["--max-bag-size", "1MB"], ["--chunk-seconds", "1"]] {
            try await Command.run(["bag", session, "-o", folder("new.mcap")] + options).expectError(
                2,
                naming: options[0]
            )
        }
        // A conversion and a recorder's copy make one too.
        try await Command.succeed(["convert", folder("bag"), "-o", folder("copy.mcap")])
        let copy = try await Peer.json("read_bags.py", [folder("copy.mcap")]) as [String: [String: Rows]]
        #expect(copy[folder("copy.mcap")]?["files"] == rows[file]?["files"])
    }

    /// The rows of a reader, or why it refuses.
    private struct Rows: Decodable, Equatable {
        var list: [String]?

        init(from decoder: any Decoder) throws {
            list = try? decoder.singleValueContainer().decode([String].self)
        }
    }

    @Test("- is standard output for one file, and what is told goes to standard error")
    func standardOutput() async throws {
        let session = try await Samples.plain.value
        for (arguments, start) in [
            (["report", session], "<!DOCTYPE html>"), (["map", session], "ply\n"),
            (["export", session, "--to", "tum"], "# mapeverything"), (["export", session, "--to", "pcd"], "# .PCD"),
        ] {
            let outcome = try await Binary.run(arguments + ["-o", "-"], environment: ["TMPDIR": folder.path])
            #expect(outcome.status == 0 && outcome.output.hasPrefix(start), "\(arguments): \(outcome.errors)")
            #expect(outcome.errors.contains("standard output"), "\(outcome.errors)")
            // Nothing stays behind, nor does a file get the name.
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        }
        try await Binary.run(["export", session, "--to", "colmap", "--output=-"]).expectError(
            2,
            naming: "--output",
            "colmap"
        )
        try await Binary.run(["bag", session, "-o", "-"]).expectError(2, naming: "--output")
        let missing = try await Binary.run(["map", folder("nothing"), "-o", "-"])
        #expect(missing.status == 66 && missing.output.isEmpty)
    }

    @Test("habits of ros2 bag: sizes in bytes, 0 for no limit, offsets, spans of a conversion")
    func habits() async throws {
        let session = try await Samples.plain.value
        func files(_ options: String...) async throws -> Int {
            let bag = folder("bag\(options.joined())")
            try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record", "-q"] + options)
            return try SampleBags.files(bag).count
        }
        let count = try await files("--max-bag-size", "500000")
        #expect(count > 2)
        #expect(try await files("--chunk-size-mb", "0.5") == count)
        #expect(try await files("--max-bag-size", "0", "--max-bag-duration", "0") == 1)
        #expect(try await files("--max-bag-duration", "1") == 4)
        #expect(try await files("-s", "mcap") == 1)
        let late = try await Command.succeed(["replay", session, "--dry-run", "--start-offset", "2"])
        #expect(late == (try await Command.succeed(["replay", session, "--dry-run", "--start", "2"])))
        let bag = folder("bag-smcap")
        try await Command.succeed(["convert", bag, "-o", folder("a"), "--start", "1", "--duration", "2"])
        try await Command.succeed(["convert", bag, "-o", folder("b"), "--start", "1", "--end", "3"])
        let (one, other) = (try await BagListing.of(folder("a")), try await BagListing.of(folder("b")))
        #expect(one.digests == other.digests && one.count("/mapping/pose") == 21, "\(one.rows.count)")
        try await Command.run(["convert", bag, "-o", folder("c"), "--duration", "0"]).expectError(
            2,
            naming: "--duration"
        )
    }

    @Test("check takes several, tells of each, and goes on after one that cannot be read")
    func severalChecks() async throws {
        let session = try await Samples.plain.value
        let both = try await Command.succeed(["check", session, session])
        #expect(both.components(separatedBy: "\nsound\n").count == 3, "\(both)")
        let outcome = try await Command.run(["check", folder("nothing"), session])
        #expect(outcome.status == 66 && outcome.output.contains("\nsound\n"), "\(outcome)")
        #expect(outcome.output.contains(folder("nothing")))
        for quiet in ["-q", "-qv", "--quiet"] {
            #expect(try await Command.succeed(["check", session, session, quiet]).isEmpty, "\(quiet)")
        }
    }
}
