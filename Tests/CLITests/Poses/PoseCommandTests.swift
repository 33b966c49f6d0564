import Foundation
import TestSupport
import Testing

/// `refine`, `--refine` and `--poses` as a user meets them.
@Suite struct PoseCommandTests {
    private struct Refinement: Decodable {
        struct Loop: Decodable {
            var before_m: Double
            var after_m: Double
        }

        var verdict: String
        var loops: [Loop]
        var moved_most_m: Double
        var overlap_recorded_m: Double?
        var overlap_refined_m: Double?
    }

    private struct Frames: Decodable {
        var stamps: Int
        var poses: Int
        var with_covariance: Int
        var corrections: Int
        var `static`: [String]
        var largest_gap: Double
        var largest_odometry_gap: Double
        var largest_place_gap: Double
        var least_eigenvalue: Double
        var asymmetry: Double
        var sigmas_m: [String: [Double]]
        var odometry: [[Double]]
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func walk(_ more: [String] = []) async throws -> String {
        let path = folder("walk")
        try await Binary.succeed(
            [
                "sample", "-o", path, "--walk", "loop", "--duration", "30", "--fps", "10", "--size", "64x48", "--noise",
                "--imu-rate", "0", "--drift", "1",
            ] + more
        )
        return path
    }

    private func frames(_ bag: String) async throws -> Frames {
        try await Peer.json("pose_frames.py", [bag])
    }

    @Test("evo finds refined poses nearer to the truth", .enabled(if: PeerPython.isAvailable, "needs the Python peers"))
    func judged() async throws {
        let outcome = try await PeerPython.runAside(
            [
                Repository.path("tools/peers/judge_poses.py"), Binary.path, "--seeds", "1", "--walk", "loop=34",
                "--jumps", "1",
            ]
        )
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("improved"), "\(outcome)")
    }

    @Test(
        "the correction is map to odom, and odom to base_link stays as recorded",
        .enabled(if: PeerPython.isAvailable, "needs the Python peers")
    )
    func transforms() async throws {
        let walk = try await walk()
        let (recorded, refined) = (folder("recorded"), folder("refined"))
        try await Binary.succeed([
            "bag", walk, "-o", recorded, "--topics", "/tf", "/tf_static", "/mapping/pose", "/mapping/odom",
        ])
        let outcome = try await Binary.run(["bag", walk, "-o", refined, "--refine"])
        #expect(outcome.status == 0 && outcome.errors.contains("poses: improved by "), "\(outcome)")
        let (before, after) = (try await frames(recorded), try await frames(refined))
        #expect(before.corrections == 0 && before.static.contains("map->odom") && before.with_covariance == 0)
        #expect(after.corrections == after.stamps && !after.static.contains("map->odom") && after.stamps == 300)
        #expect(after.poses == 300 && after.with_covariance == 300)
        for frames in [before, after] {
            #expect(
                frames.largest_gap < 1e-9 && frames.largest_odometry_gap < 1e-12 && frames.largest_place_gap < 1e-12
            )
        }
        #expect(before.odometry == after.odometry)
        // Covariances are ones, and grow with the way where nothing corrects it.
        #expect(after.least_eigenvalue > -1e-12 && after.asymmetry < 1e-12)
        let (odometry, poses) = (try #require(after.sigmas_m["odom"]), try #require(after.sigmas_m["pose"]))
        #expect(try #require(odometry.last) > 0.1 && #require(odometry.last) > 3 * #require(poses.last))
        #expect(poses.allSatisfy { $0 < 0.3 })
    }

    @Test("a file of poses gives what --refine gives; what fits less well is refused")
    func files() async throws {
        let walk = try await walk()
        let poses = folder("poses.txt")
        let report: Refinement = try await Binary.json(["refine", walk, "-o", poses, "--json"])
        #expect(report.verdict == "improved" && report.loops.count > 3 && report.moved_most_m > 0.05)
        #expect(try #require(report.overlap_refined_m) < #require(report.overlap_recorded_m))
        #expect(report.loops.map(\.after_m).max() ?? 1 < 0.05)
        let (first, second) = (folder("a.txt"), folder("b.txt"))
        try await Binary.succeed(["export", walk, "--to", "tum", "-o", first, "--refine"])
        try await Binary.succeed(["export", walk, "--to", "tum", "-o", second, "--poses", poses])
        func numbers(_ path: String) throws -> [[Double]] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { $0.split(separator: " ").compactMap { Double($0) } }
        }
        let (a, b) = (try numbers(first), try numbers(second))
        #expect(a.count == 300 && a.count == b.count)
        #expect(zip(a, b).allSatisfy { zip($0, $1).allSatisfy { abs($0 - $1) < 1e-6 } })
        // A session that is written with them says so, and so does what is made of it.
        let (trimmed, bag) = (folder("trimmed"), folder("trimmed_bag"))
        try await Binary.succeed(["trim", walk, "-o", trimmed, "--poses", poses, "--end", "2"])
        let metadata = try String(contentsOfFile: trimmed + "/metadata.json", encoding: .utf8)
        #expect(metadata.contains("\"poses_made\":\"poses.txt"), "\(metadata)")
        try await Binary.succeed(["bag", trimmed, "-o", bag, "--profile", "record"])
        let yaml = try String(contentsOfFile: bag + "/metadata.yaml", encoding: .utf8)
        #expect(yaml.contains("mapeverything.poses: poses.txt"), "\(yaml)")
        // Without the heading the axes are found by how both move.
        let foreign = folder("foreign.txt")
        let bare = a.map { row in row.map { "\($0)" }.joined(separator: " ") }.joined(separator: "\n")
        try bare.write(toFile: foreign, atomically: true, encoding: .utf8)
        let outcome = try await Binary.run(["map", walk, "-o", folder("map.ply"), "--poses", foreign])
        #expect(outcome.status == 0 && outcome.errors.contains("300 poses by Unix time"), "\(outcome)")
        // Torn poses, and those of another time.
        let torn = a.enumerated().map { index, row in
            var row = row
            row[1] += 0.15 * Double(index * 7 % 3 - 1)
            return row.map { "\($0)" }.joined(separator: " ")
        }.joined(separator: "\n")
        try torn.write(toFile: foreign, atomically: true, encoding: .utf8)
        let refused = try await Binary.run(["map", walk, "-o", folder("torn.ply"), "--poses", foreign])
        #expect(refused.status == 65 && refused.errors.contains("expected poses that fit the depth"), "\(refused)")
        let late = a.map { row in ([row[0] + 9000] + row.dropFirst()).map { "\($0)" }.joined(separator: " ") }
        try late.joined(separator: "\n").write(toFile: foreign, atomically: true, encoding: .utf8)
        let strange = try await Binary.run(["map", walk, "-o", folder("late.ply"), "--poses", foreign])
        #expect(strange.status == 65 && strange.errors.contains("found 0 of 300 poses within it"), "\(strange)")
    }

    @Test("the page shows the way before and after")
    func page() async throws {
        let page = folder("page.html")
        try await Binary.succeed(["report", try await walk(), "-o", page, "--refine", "--points", "0"])
        let text = try String(contentsOfFile: page, encoding: .utf8)
        #expect(text.contains("Poses before and after") && text.contains("places seen again"))
    }

    @Test("poses that cannot be better stay, and it is said why")
    func unchanged() async throws {
        let path = folder("short")
        try await Binary.succeed(["sample", "-o", path, "--duration", "1", "--fps", "5", "--size", "64x48"])
        let outcome = try await Binary.run(["refine", path, "-o", folder("poses.txt")])
        #expect(outcome.status == 0 && outcome.output.contains("unchanged: no loop"), "\(outcome)")
        let both = try await Binary.run(["bag", path, "-o", folder("bag"), "--refine", "--poses", "x.txt"])
        #expect(both.status == 2, "\(both)")
        let missing = try await Binary.run(["bag", path, "-o", folder("bag"), "--poses", folder("x.txt")])
        #expect(missing.status == 65 && missing.errors.contains("x.txt"), "\(missing)")
    }

    private struct Alignment: Decodable {
        var verdict: String
        var submaps_found: Int
        var submaps_tried: Int
    }

    @Test("a second recording of a place gets poses in the world of the first; one of another place none")
    func pair() async throws {
        let first = try await walk()
        let (second, elsewhere, poses) = (folder("second"), folder("elsewhere"), folder("poses.txt"))
        let options = ["--duration", "15", "--fps", "10", "--size", "64x48", "--imu-rate", "0", "--seed", "5"]
        try await Binary.succeed(["sample", "-o", second, "--walk", "room"] + options)
        try await Binary.succeed(["sample", "-o", elsewhere, "--walk", "corridor"] + options)
        let alignment: Alignment = try await Binary.json(["refine", first, second, "-o", poses, "--json"])
        #expect(alignment.verdict == "aligned" && alignment.submaps_found >= 4)
        #expect(alignment.submaps_found <= alignment.submaps_tried)
        // The poses are used as they are, in the world of the first.
        let exported = folder("exported.txt")
        try await Binary.succeed(["export", second, "--to", "tum", "-o", exported, "--poses", poses])
        func numbers(_ path: String) throws -> [[Double]] {
            try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
                .map { $0.split(separator: " ").compactMap { Double($0) } }
        }
        let (a, b) = (try numbers(poses), try numbers(exported))
        #expect(a.count == 150 && b.count == 150)
        #expect(zip(a, b).allSatisfy { zip($0, $1).allSatisfy { abs($0 - $1) < 1e-6 } })
        let apart = try await Binary.run(["refine", first, elsewhere, "-o", folder("apart.txt")])
        #expect(apart.status == 1 && !apart.output.contains("aligned") && !apart.output.contains("written"), "\(apart)")
        #expect(!FileManager.default.fileExists(atPath: folder("apart.txt")))
        let both = try await Binary.run(["refine", first, second, "--gps"])
        #expect(both.status == 2 && both.errors.contains("--gps"), "\(both)")
    }
}
