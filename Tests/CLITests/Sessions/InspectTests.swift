import Foundation
import SystemPackage
import TestSupport
import Testing

/// `inspect` against what is known of a session, and of a bag.
@Suite(.serialized) struct InspectTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func inspect(_ path: String, _ options: [String] = []) async throws -> SessionInspection {
        try await Command.json(["inspect", path, "--json"] + options)
    }

    @Test func sessionsAreWhatTheyWereMadeToBe() async throws {
        let session = try await Samples.full.value
        let inspection = try await inspect(session, ["--profile", "full"])
        let times = try FrameTimes.of(session)
        #expect(inspection.kind == "session" && inspection.generation == 2 && inspection.device == "Synthetic")
        #expect(inspection.frames == 40 && inspection.frames_with_image == 40)
        #expect(inspection.frames_with_depth == 40 && inspection.frames_with_relative_depth == 40)
        #expect(inspection.image_size == [480, 360] && inspection.depth_size == [256, 192])
        #expect(inspection.orientations == ["landscapeRight": 40] && inspection.orientation_changes == 0)
        #expect(inspection.tracking == ["normal": 40])
        let duration = Double(times[39] - times[0]) / 1e9
        #expect(abs(inspection.duration_s - duration) < 1e-9)
        // Noise takes 0.8 and 0.6 % of the pixels, and what is too near or far.
        #expect(inspection.valid_depth_share > 0.95 && inspection.valid_depth_share < 0.995)
        #expect(abs(inspection.confidence_shares.reduce(0, +) - 1) < 0.001)
        #expect(inspection.imu.source == "imu.jsonl" && inspection.imu.samples == 400)
        #expect(abs((inspection.imu.rate_hz ?? 0) - 100) < 0.01)
        #expect((inspection.imu.gravity_median_degrees ?? 90) < 0.5)
        #expect(inspection.gps_fixes == 4)
        // The first fix is at noon, 50 ms before the first frame.
        #expect(inspection.epoch.source.contains("location"))
        #expect(inspection.first_stamp_ns == 1_767_268_800_050_000_000)
        #expect(inspection.epoch.offset_ns == inspection.first_stamp_ns - times[0])
        #expect(inspection.problems.isEmpty)
        let expected = [
            "/mapping/pose": (40, 10.0), "/mapping/imu": (400, 100), "/mapping/gps/fix": (4, 1),
            "/mapping/pointcloud/lidar": (20, 5), "/mapping/camera/image/compressed": (8, 2), "/tf": (40, 10),
        ]
        for (name, (count, hertz)) in expected {
            let topic = try #require(inspection.topic(name))
            #expect(topic.count == count, "\(name)")
            #expect(abs((topic.rate_hz ?? 0) - hertz) < 0.05, "\(name)")
        }
    }

    @Test func textSaysTheSameAsJSON() async throws {
        let session = try await Samples.full.value
        let inspection = try await inspect(session)
        let text = try await Command.succeed(["inspect", session])
        for fact in [
            "generation 2", "Synthetic", "2026-01-01T12:00:00", "480x360", "256x192", "landscapeRight 40",
            "400 samples, 100.0 Hz", "4 fixes", "3.900 s", "no problem found",
        ] {
            #expect(text.contains(fact), "\(fact) is not in\n\(text)")
        }
        for topic in inspection.topics {
            let row = try #require(text.split(separator: "\n").first { $0.hasPrefix(topic.name + " ") })
            let cells = row.split(separator: " ").map(String.init)
            #expect(cells.contains(topic.type) && cells.contains("\(topic.count)"), "\(row)")
        }
        for absence in inspection.absent { #expect(text.contains(absence.name) && text.contains(absence.reason)) }
    }

    /// The sample's fixes are those of a phone in the hand, with the errors of GPS.
    @Test func fixesAreComparedWithTheTerrain() async throws {
        let session = try await Samples.full.value
        let terrain = try await inspect(session).terrain
        #expect(terrain.fixes == 4 && terrain.compared == 4 && terrain.reason == nil)
        let median = try #require(terrain.median_difference_m)
        #expect(abs(median) < 20)
        #expect(terrain.p10_difference_m ?? .nan <= median && median <= terrain.p90_difference_m ?? .nan)
        #expect(terrain.fixes_above == "sea level" && terrain.vertical_datums == ["unknown"])
        let text = try await Command.succeed(["inspect", session])
        let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("terrain ") })
        #expect(line.contains("4 of 4 fixes: median ") && line.contains("vertical datum unknown"))
        let plain = try await Samples.plain.value
        #expect(try await inspect(plain).terrain.reason == "the session has no elevation tiles")
        #expect(try await !Command.succeed(["inspect", plain]).contains("\nterrain "))
    }

    /// Metadata that says other sizes than the frames have is named beside those that are used.
    @Test func sizesAreThoseOfTheFrames() async throws {
        var builder = try SessionBuilder()
        builder.metadata?["depthResolution"] = "[256,192]"
        builder.metadata?["relative_depth"] = "{\"resolution\":[4,3]}"
        builder.lines[0]["relative_depth_resolution"] = "[8,6]"
        builder.files["relative_depth/000000.bin"] = [UInt8](repeating: 0, count: 4 * 48)
        let session = try builder.write(into: FilePath(folder.path)).string
        #expect(try await inspect(session).depth_size == [16, 12])
        let text = try await Command.succeed(["inspect", session])
        #expect(text.contains("depth           4 (100 %), 16x12 (metadata.json says 256x192)"))
        #expect(text.contains("relative depth  1 (25 %), 8x6 (metadata.json says 4x3), inverse_depth"))
    }

    /// Without a known heading nothing is said of a place on the Earth, and every report says why.
    @Test func headingIsKnownOrSaidToBeUnknown() async throws {
        let session = folder("aligned")
        try FileManager.default.copyItem(atPath: try await Samples.full.value, toPath: session)
        let known = try await inspect(session).georeference
        #expect(known.heading.known && known.heading.degrees == 0 && known.earth && known.reason == nil)
        let origin = try #require(known.origin)
        #expect(abs(origin.latitude - 48.137) < 0.01 && abs(origin.height_m - 565) < 10)
        let metadata = session + "/metadata.json"
        let text = try String(contentsOfFile: metadata, encoding: .utf8)
        #expect(text.contains("\"gravity_and_heading\""))
        try text.replacingOccurrences(of: "\"gravity_and_heading\"", with: "\"gravity\"")
            .write(toFile: metadata, atomically: false, encoding: .utf8)
        let unknown = try await inspect(session).georeference
        #expect(!unknown.heading.known && !unknown.earth && unknown.origin == nil)
        #expect(try #require(unknown.reason).hasPrefix("heading unknown"))
        #expect(try await Command.succeed(["inspect", session]).contains("no earth -> map: heading unknown"))
        // The app's convention is no knowledge, and none at all where the session says something else.
        #expect(!(try await inspect(session, ["--profile", "app"]).georeference.heading.assumed))
        try text.replacingOccurrences(of: "\"world_alignment\"", with: "\"another_key\"")
            .write(toFile: metadata, atomically: false, encoding: .utf8)
        let assumed = try await inspect(session, ["--profile", "app"]).georeference
        #expect(assumed.heading.assumed && !assumed.heading.known && assumed.heading.degrees == 0 && assumed.earth)
        try text.replacingOccurrences(of: "\"gravity_and_heading\"", with: "\"gravity\"")
            .write(toFile: metadata, atomically: false, encoding: .utf8)
        let bag = folder("bag")
        let written = try await Binary.succeed([
            "bag", session, "-o", bag, "--profile", "record", "--topics", "/tf_static", "/mapping/pose",
        ])
        #expect(written.contains("heading unknown (world_alignment gravity); no earth -> map"))
        let provenance = try String(contentsOfFile: bag + "/metadata.yaml", encoding: .utf8)
        #expect(provenance.contains("mapeverything.heading: ") && provenance.contains("unknown"))
        #expect(!provenance.contains("georeferenced"))
        #expect(
            try await Command.succeed(["inspect", session, "--heading", "-0"]).contains(" 0.0 degrees (--heading)")
        )
        let given = try await inspect(session, ["--heading", "-90.5"]).georeference
        #expect(given.heading.degrees == 269.5 && given.heading.source == "--heading" && given.earth)
    }

    /// The way to the place on the Earth is chosen, and named in every report.
    @Test func georeferenceIsChosen() async throws {
        let session = try await Samples.full.value
        let whole = try await inspect(session).georeference
        #expect(whole.mode == "auto" && whole.method == "4 of 4 fixes along the track" && whole.earth)
        // Four fixes within a metre tell no heading: that of the metadata counts, whose accuracy nobody says.
        #expect(whole.heading.source.contains("world_alignment") && whole.heading.sigma_degrees == nil)
        let covariance = try #require(whole.origin).covariance
        #expect(covariance.count == 16 && covariance[15] == nil && covariance.dropLast().allSatisfy { $0 != nil })
        let first = try await inspect(session, ["--georeference", "first-fix"]).georeference
        #expect(first.mode == "first-fix" && first.method == "the first accurate fix" && first.earth)
        #expect(try await inspect(session, ["--profile", "app"]).georeference.mode == "first-fix")
        let off = try await inspect(session, ["--georeference", "off"]).georeference
        #expect(!off.earth && off.reason == "--georeference off" && off.method == nil)
        let track = try await inspect(session, ["--georeference", "track"]).georeference
        #expect(!track.earth && !track.heading.known)
        #expect(try await Command.succeed(["inspect", session]).contains("m by 4 of 4 fixes along the track"))
        let refused = try await Command.run(["inspect", session, "--georeference", "track", "--heading", "3"])
        #expect(refused.status == 2 && refused.errors.contains("--georeference track"))
    }

    @Test func exactSizesAreThoseOfTheBag() async throws {
        let session = try await Samples.full.value
        let bag = folder("bag")
        let written: RunReport = try await Command.json(["bag", session, "-o", bag, "--json"])
        let exact: RunReport = try await Command.json(["inspect", session, "--exact", "--json"])
        let estimate = try await inspect(session)
        for topic in written.topics {
            #expect(exact.topics.first { $0.name == topic.name }?.bytes == topic.bytes, "\(topic.name)")
            let guess = try #require(estimate.topic(topic.name))
            #expect(guess.count == topic.count, "\(topic.name)")
            let ratio = Double(guess.bytes) / Double(max(1, topic.bytes))
            #expect(guess.bytes_are_estimated ? (0.8...1.25).contains(ratio) : guess.bytes == topic.bytes)
        }
    }

    @Test func clocksAreSetByTheBestEvidence() async throws {
        let session = folder("session_20260327_142233")
        try FileManager.default.copyItem(atPath: try await Samples.full.value, toPath: session)
        let first = try FrameTimes.of(session)[0]
        func anchor(_ options: [String] = []) async throws -> (Int64, String) {
            let inspection = try await inspect(session, options)
            #expect(inspection.epoch.offset_ns == inspection.first_stamp_ns - first)
            return (inspection.first_stamp_ns, inspection.epoch.source)
        }
        #expect(try await anchor().1.contains("location"))
        #expect(try await anchor(["--epoch", "boot"]).0 == first)
        #expect(try await anchor(["--epoch", "2026-03-27T14:22:33.25+01:00"]).0 == 1_774_617_753_250_000_000)
        let now = Int64(time(nil))
        #expect(abs(try await anchor(["--epoch", "now"]).0 / 1_000_000_000 - now) < 60)
        try FileManager.default.removeItem(atPath: session + "/gps.jsonl")
        let metadata = try await anchor()
        #expect(metadata.1.contains("metadata.json") && metadata.0 == 1_767_268_800_050_000_000)
        try FileManager.default.removeItem(atPath: session + "/metadata.json")
        // The name says when recording began; the first frame is as good as that.
        let zones = [("Z", 14), ("+01:00", 13), ("-05:00", 19), ("Europe/Berlin", 13), ("America/New_York", 18)]
        for (zone, hour) in zones {
            guard zone.count < 7 || FileManager.default.fileExists(atPath: "/usr/share/zoneinfo/" + zone) else {
                continue
            }
            let (stamp, source) = try await anchor(["--timezone", zone])
            #expect(source.contains("name"))
            #expect(stamp / 1_000_000_000 == 1_774_569_600 + Int64(hour) * 3600 + 22 * 60 + 33, "\(zone)")
        }
        let unnamed = folder("unnamed")
        try FileManager.default.moveItem(atPath: session, toPath: unnamed)
        #expect(try await inspect(unnamed).epoch.source.contains("files"))
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), arguments: ["zip", "tar"])
    func archivesAreTheFolder(format: String) async throws {
        let session = try await Samples.full.value
        let archive = folder("packed.\(format)")
        try await Peer.run("pack.py", [session, archive])
        let outside = try await Command.succeed(["inspect", session]),
            inside = try await Command.succeed(["inspect", archive])
        // The first line has the name.
        #expect(outside.split(separator: "\n").dropFirst() == inside.split(separator: "\n").dropFirst())
        let bags = [folder("outside/bag"), folder("inside/bag")]
        for (bag, input) in zip(bags, [session, archive]) {
            let parent = URL(fileURLWithPath: bag).deletingLastPathComponent()
            try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
            try await Binary.succeed(["bag", input, "-o", bag, "--profile", "record"])
        }
        let listings = [try await BagListing.of(bags[0]), try await BagListing.of(bags[1])]
        #expect(listings[0].rows == listings[1].rows)
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func bagsAreWhatIsInThem() async throws {
        let bag = folder("bag")
        let session = try await Samples.full.value
        let rotation = ["--chunk-seconds", "1", "--profile", "full"]
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"] + rotation)
        let inspection: BagInspection = try await Command.json(["inspect", bag, "--json"])
        let listing = try await BagListing.of(bag)
        #expect(inspection.kind == "bag" && inspection.storage == "sqlite3" && inspection.warnings == [])
        #expect(inspection.messages == listing.rows.count)
        #expect(inspection.first_stamp_ns == listing.rows.map(\.time).min())
        #expect(inspection.last_stamp_ns == listing.rows.map(\.time).max())
        #expect(Dictionary(uniqueKeysWithValues: inspection.topics.map { ($0.name, $0.type) }) == listing.topics)
        for topic in inspection.topics { #expect(topic.count == listing.count(topic.name), "\(topic.name)") }
        for file in inspection.files {
            #expect(file.messages == listing.rows.count { $0.file == file.name }, "\(file.name)")
        }
        let text = try await Command.succeed(["inspect", bag])
        for topic in inspection.topics { #expect(text.contains(topic.name) && text.contains("\(topic.count)")) }
        #expect(inspection.custom_data.values.allSatisfy { !$0.contains("/tmp") && !$0.contains(folder.path) })
        // One chunk by itself, and a bag made by others.
        let chunk: BagInspection = try await Command.json(["inspect", bag + "/bag_1.db3", "--json"])
        #expect(chunk.messages == listing.rows.count { $0.file == "bag_1.db3" })
    }

    @Test func tenThousandFramesAreReadWithoutTheirImages() async throws {
        let session = folder("long")
        let shape = ["--duration", "334", "--fps", "30", "--size", "64x48", "--images", "4", "--imu-rate", "0"]
        try await Command.succeed(["sample", "-o", session] + shape)
        // Reading more of an image than its header would show that the rest is gone.
        let images = try FileManager.default.contentsOfDirectory(atPath: session + "/rgb")
        #expect(images.count == 10_020)
        for name in images.sorted().prefix(4) {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: "\(session)/rgb/\(name)"))
            try handle.truncate(atOffset: 640)
            try handle.close()
        }
        let inspection = try await inspect(session)
        #expect(inspection.frames == 10_020 && inspection.frames_with_image == 10_020)
        #expect(inspection.topic("/mapping/pose")?.count == 10_020)
        #expect(inspection.topic("/mapping/pointcloud/lidar")?.count == 1670)
        #expect(inspection.problems.map(\.kind) == ["truncatedImage"])
        #expect(inspection.problems.allSatisfy { $0.count <= 20 }, "only a sample is looked at")
    }
}
