import Foundation
import SystemPackage
import TestSupport
import Testing

/// `export`: what other tools read of a session.
@Suite(.serialized) struct ExportTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var views: Int
        var frames: Int
        var points: Int
        var unusable_images: Int
        var unusable_depth: Int
        var views_without_depth: Int
        var self_test: SelfTest
        var problems: [Problem]

        struct SelfTest: Decodable {
            var points: Int
            var pairs: Int
            var median_px: Double?
            var median_m: Double?
        }

        struct Problem: Decodable {
            var kind: String
            var count: Int
        }
    }

    static let folders = [
        "colmap", "gaussian", "nerfstudio", "ngp", "splatam", "tum-rgbd", "euroc", "kitti", "open3d",
    ]

    private func sample(_ name: String, _ arguments: [String]) async throws -> String {
        let path = folder(name)
        let shape = ["--duration", "2", "--fps", "10", "--size", "480x360", "--noise"]
        try await Binary.succeed(["sample", "-o", path] + shape + arguments)
        return path
    }

    private func isThere(_ name: String) -> Bool { FileManager.default.fileExists(atPath: folder(name)) }

    /// Readers of other people, and ARKit's conventions written down once more, on phones held in all four ways.
    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: ["mixed", "portrait", "landscapeLeft"]
    )
    func everyFormatShowsWhatWasRecorded(orientation: String) async throws {
        let session = try await sample("room", ["--orientation", orientation])
        for format in Self.folders {
            let report: Report = try await Binary.json(
                ["export", session, "--to", format, "-o", folder(format), "--json"]
            )
            #expect(report.views == 20 && report.frames == 20, "\(format)")
            #expect(report.self_test.pairs > 10 && report.self_test.points > 500, "\(format)")
            #expect((report.self_test.median_px ?? 9) < 1e-6 && (report.self_test.median_m ?? 9) < 0.05, "\(format)")
        }
        try await Binary.succeed(["export", session, "--to", "tum", "-o", folder("tum.txt")])
        try await Binary.succeed(["export", session, "--to", "colmap", "-o", folder("binary"), "--binary"])
        let exports = (Self.folders + ["tum.txt", "binary"]).map { folder($0) }
        let judge = Repository.path("tools/peers/check_export.py")
        let verdict = try await PeerPython.runAside([judge, session] + exports)
        #expect(verdict.status == 0, "\(verdict.everything)")
        #expect(verdict.output.split(separator: "\n").count == exports.count)
        // The judge is no rubber stamp: the same files in other axes are wrong.
        for format in ["colmap", "nerfstudio"] {
            try Damage.edit(folder("\(format)/mapeverything.json"), "\"map\"", "\"arkit\"")
            let wrong = try await PeerPython.runAside([judge, session, folder(format)])
            #expect(wrong.status == 1 && wrong.output.contains("differ"), "\(wrong.everything)")
        }
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func optionsOfFormatsKeepTheRecording() async throws {
        let session = try await sample("room", ["--orientation", "portrait"])
        for (name, arguments) in [
            ("shared", ["--to", "colmap", "--share-intrinsics"]),
            ("arkit", ["--to", "nerfstudio", "--world", "arkit"]),
            ("full", ["--to", "open3d", "--size", "full"]), ("small", ["--to", "kitti", "--size", "120x90"]),
            ("kalibr", ["--to", "euroc", "--kalibr"]),
        ] {
            try await Binary.succeed(["export", session, "-o", folder(name)] + arguments)
        }
        let exports = ["shared", "arkit", "full", "small", "kalibr"].map { folder($0) }
        let verdict = try await PeerPython.runAside(
            [Repository.path("tools/peers/check_export.py"), session] + exports
        )
        #expect(verdict.status == 0, "\(verdict.everything)")
        let chain = try String(contentsOfFile: folder("kalibr/kalibr_imucam_chain.yaml"), encoding: .utf8)
        #expect(chain.contains("T_imu_cam") && chain.contains("rostopic: /mapping/imu"))
        // Cut around the principal point: the centre is where the camera says.
        try await Binary.succeed(
            ["export", session, "--to", "gaussian", "-o", folder("cut"), "--centre-principal-point", "--no-binary"]
        )
        let cameras = try String(contentsOfFile: folder("cut/sparse/0/cameras.txt"), encoding: .utf8)
        for line in cameras.split(separator: "\n") where !line.hasPrefix("#") {
            let numbers = line.split(separator: " ").compactMap { Double($0) }
            try #require(numbers.count == 7)
            #expect(abs(numbers[5] - numbers[1] / 2) <= 0.5 && abs(numbers[6] - numbers[2] / 2) <= 0.5, "\(line)")
        }
    }

    @Test func theSameBytesWithAnyNumberOfWorkers() async throws {
        let session = try await Samples.full.value
        for format in ["colmap", "nerfstudio", "kitti"] {
            var trees: [[String: Data]] = []
            for jobs in ["1", "2", "5"] {
                let output = folder("\(format)\(jobs)")
                try await Binary.succeed(["export", session, "--to", format, "-o", output, "-j", jobs])
                trees.append(try FileTree.contents(output))
            }
            #expect(FileTree.differences(trees[0], trees[1]).isEmpty)
            #expect(FileTree.differences(trees[0], trees[2]).isEmpty && trees[0].count > 40)
        }
    }

    @Test func theSelectionIsKeptAndCounted() async throws {
        let session = try await Samples.plain.value
        func views(_ arguments: [String]) async throws -> Int {
            let path = folder("a.txt")
            let command = ["export", session, "--to", "tum", "-o", path, "--force", "--json"]
            let report: Report = try await Binary.json(command + arguments)
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines.filter { !$0.hasPrefix("#") }.count == report.views)
            return report.views
        }
        #expect(try await views([]) == 40)
        #expect(try await views(["--every", "4"]) == 10)
        #expect(try await views(["--start", "1", "--duration", "1"]) == 11)
        let far = try await views(["--min-distance", "0.1"])
        #expect(far > 1 && far < 40)
        let turned = try await views(["--min-angle", "20"])
        #expect(turned > 1 && turned < 40)
        #expect(try await views(["--min-sharpness", "421"]) < 40)
    }

    @Test func nothingIsReplaced() async throws {
        let session = try await Samples.plain.value
        try FileManager.default.createDirectory(atPath: folder("there"), withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("there/file")))
        try await Binary.run(["export", session, "--to", "colmap", "-o", folder("there"), "--force"])
            .expectError(73, naming: folder("there"), "expected an untouched export to colmap to replace")
        #expect(try FileTree.contents(folder("there")).count == 1)
        try Data("# mine".utf8).write(to: URL(fileURLWithPath: folder("a.txt")))
        try await Binary.run(["export", session, "--to", "tum", "-o", folder("a.txt")]).expectError(73, naming: "a.txt")
        try await Binary.succeed(["export", session, "--to", "tum", "-o", folder("a.txt"), "--force"])
        try await Binary.run(["export", session, "--to", "ngp", "-o", folder("no/a")]).expectError(73, naming: "no/a")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")).sorted() == ["a.txt", "there"])
    }

    @Test func whatCannotBeMeantIsRefused() async throws {
        let session = try await Samples.plain.value
        for (format, arguments) in [
            ("tum", ["--binary"]), ("colmap", ["--kalibr"]), ("nerfstudio", ["--size", "64x48"]),
            ("colmap", ["--centre-principal-point"]), ("ply", ["--every", "2"]), ("splatam", ["--world", "arkit"]),
            ("colmap", ["--every", "0"]), ("colmap", ["--min-angle", "0"]), ("tum", ["--voxel-size", "0.1"]),
            ("colmap", ["--voxel-size", "9"]), ("colmap", ["-j", "0"]), ("csv", ["--voxel-size", "0.1"]),
            ("csv", ["--min-confidence", "2"]), ("gpx", ["--max-depth", "2"]), ("tum", ["--min-depth", "1"]),
            ("euroc", ["--no-edge-filter"]), ("ngp", ["--min-confidence", "2"]), ("gpx", ["-j", "2"]),
            ("kml", ["--trust-depth"]), ("ply", ["--epoch", "now"]), ("tum", ["--geoid", "a.gtx"]),
            ("ply", ["--geoid", "a.gtx"]), ("parquet", ["--world", "arkit"]),
        ] {
            let outcome = try await Binary.run(["export", session, "--to", format, "-o", folder("a")] + arguments)
            outcome.expectError(2, naming: arguments[0].replacing("--no-edge", with: "--edge"))
        }
        #expect(!isThere("a") && !isThere("a.partial"))
    }

    @Test func whatIsMissingIsSaidBeforeAnythingIsWritten() async throws {
        let session = try await sample("bare", ["--no-lidar", "--imu-rate", "10"])
        try await Binary.run(["export", session, "--to", "tum-rgbd", "-o", folder("a")])
            .expectError(65, naming: "tum-rgbd", "depth")
        try await Binary.run(["export", session, "--to", "euroc", "-o", folder("a")])
            .expectError(65, naming: "50 Hz", "10")
        #expect(!isThere("a") && !isThere("a.partial"))
        try await Binary.succeed(["export", session, "--to", "euroc", "-o", folder("slow"), "--slow-imu"])
        // Without depth points are taken to be 2 m away: the numbers are compared all the same.
        let report: Report = try await Binary.json(
            ["export", session, "--to", "nerfstudio", "-o", folder("nerf"), "--json"]
        )
        #expect(report.points == 0 && report.self_test.points > 500 && report.self_test.median_m == nil)
        #expect((report.self_test.median_px ?? 9) < 1e-6 && !isThere("nerf/depth"))
        try FileManager.default.removeItem(atPath: session + "/rgb")
        try await Binary.run(["export", session, "--to", "colmap", "-o", folder("b")]).expectError(65, naming: "image")
        #expect(!isThere("b") && !isThere("b.partial"))
        try await Binary.succeed(["export", session, "--to", "tum", "-o", folder("b.txt")])
    }

    @Test func damagedFramesAreLeftOutAndCounted() async throws {
        let session = try await sample("room", [])
        try Damage.cut("\(session)/rgb/000003.jpg", to: 0.5)
        try Damage.cut("\(session)/depth/000007.bin", bytes: 1000)
        let colmap: Report = try await Binary.json(
            ["export", session, "--to", "colmap", "-o", folder("colmap"), "--json"]
        )
        #expect(colmap.views == 19 && colmap.unusable_images == 1 && colmap.problems.contains { $0.count == 1 })
        let nerf: Report = try await Binary.json(
            ["export", session, "--to", "nerfstudio", "-o", folder("nerf"), "--json"]
        )
        #expect(nerf.views == 19 && nerf.views_without_depth == 1)
        let pairs: Report = try await Binary.json(
            ["export", session, "--to", "tum-rgbd", "-o", folder("tum"), "--json"]
        )
        #expect(pairs.views == 18 && pairs.unusable_depth == 1)
        // Numbers are the recording's.
        let images = try FileManager.default.contentsOfDirectory(atPath: folder("tum/rgb")).sorted()
        #expect(images.count == 18 && images.first == "000000.png" && images.last == "000019.png")
        #expect(!images.contains("000003.png") && !images.contains("000007.png"))
        let strict = try await Binary.run(
            ["export", session, "--to", "colmap", "-o", folder("strict"), "--strict"]
        )
        #expect(strict.status == 1)
    }

    /// Real images, matched by COLMAP's own features: our poses triangulate them, turned ones do not.
    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        .enabled(if: Captures.have("logger-chair"), Comment(rawValue: Captures.absence))
    )
    func realPosesTriangulate() async throws {
        let export = folder("chair")
        try await Binary.succeed(
            ["export", Captures.path("logger-chair").string, "--to", "colmap", "-o", export]
        )
        struct Result: Decodable {
            var points: Int
            var mean_px: Double?
        }
        let program = Repository.path("tools/peers/triangulate.py")
        let result = try await PeerPython.runAside([program, export])
        let ours = try JSONDecoder().decode(Result.self, from: Data(result.outputOfSuccess().utf8))
        let turned = try await PeerPython.runAside([program, export, "--wrong"])
        let wrong = try JSONDecoder().decode(Result.self, from: Data(turned.outputOfSuccess().utf8))
        #expect(ours.points > 5000 && (ours.mean_px ?? 9) < 2.5 && wrong.points < ours.points / 20)
    }
}
