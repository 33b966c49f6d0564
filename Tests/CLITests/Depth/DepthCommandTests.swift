import Foundation
import TestSupport
import Testing

/// `--dense`, `--depth` and `--depth-model` as a user meets them.
@Suite struct DepthCommandTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func room(_ more: [String]) async throws -> String {
        let path = folder("room")
        try await Binary.succeed(["sample", "-o", path, "--duration", "2", "--fps", "3", "--imu-rate", "0"] + more)
        return path
    }

    private static func model(_ name: String = "coded") -> [String] {
        ["--depth-model", DepthModelFiles.path(name), "--onnxruntime", DepthModelFiles.runtime ?? ""]
    }

    private struct Judgement: Decodable {
        var rmse_m: Double
        var rmse_with_edges_m: Double
        var mean_depth_m: Double
        var share: Double
        var images: Int
    }

    /// How far the depth images of an export are from the truth.
    private func judgement(_ session: String, _ options: [String], truth: String? = nil) async throws -> Judgement {
        let export = folder("export-\(options.count)-\(truth == nil)")
        try await Binary.succeed(
            ["export", session, "--to", "nerfstudio", "-o", export, "--min-confidence", "0", "--no-edge-filter"]
                + options
        )
        return try await Peer.json("depth_images.py", ["judge", truth ?? session, export])
    }

    @Test("dense depth has topics of its own, and clouds and exports of it are as fine as the image")
    func dense() async throws {
        let room = try await room(["--size", "640x480", "--noise", "--mix-lidar", "--truth-depth"])
        let (bag, plain) = (folder("bag"), folder("plain"))
        try await Binary.succeed(["bag", room, "-o", bag, "--dense", "320x240"])
        try await Binary.succeed(["bag", room, "-o", plain])
        let outcome = try await Binary.run(["inspect", bag])
        for topic in ["image_raw", "confidence", "camera_info"] {
            #expect(outcome.output.contains("/mapping/depth_dense/\(topic)"), "\(outcome.output)")
        }
        #expect(!(try await Binary.run(["inspect", plain]).output.contains("depth_dense")))
        let check = try await Binary.run(["check", bag])
        #expect(check.status == 0, "\(check)")
        // Any number of workers makes the same bytes.
        let (one, three) = (folder("one/room.mcap"), folder("three/room.mcap"))
        for name in ["one", "three"] {
            try FileManager.default.createDirectory(atPath: folder(name), withIntermediateDirectories: false)
        }
        let topics = ["--topics", "/mapping/depth_dense/image_raw", "/mapping/pointcloud/lidar", "--epoch", "boot"]
        try await Binary.succeed(["bag", room, "-o", one, "--depth", "dense", "-j", "1"] + topics)
        try await Binary.succeed(["bag", room, "-o", three, "--depth", "dense", "-j", "3"] + topics)
        #expect(try Data(contentsOf: URL(fileURLWithPath: one)) == Data(contentsOf: URL(fileURLWithPath: three)))
    }

    @Test(
        "depth images of an export are at image size, and nearer to the truth at edges",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func export() async throws {
        let room = try await room(["--size", "1024x768", "--noise", "--mix-lidar", "--truth-depth"])
        let dense = try await judgement(room, ["--dense", "1024"])
        let lidar = try await judgement(room, [])
        #expect(dense.images == 6 && dense.share > 0.99)
        #expect(dense.rmse_m < lidar.rmse_m && dense.rmse_m < 0.012, "\(dense) \(lidar)")
    }

    @Test(
        "a network that bends depth is taken out by the grid, not by a line; trim keeps what it gave",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func network() async throws {
        let room = try await room(["--size", "1036x784", "--noise", "--truth-depth"])
        try await Peer.run("depth_images.py", ["code", room])
        let judged = try await judgement(room, ["--depth", "relative"] + Self.model())
        #expect(judged.images == 6 && judged.share > 0.9)
        #expect(judged.rmse_m < 0.005 + 0.003 * judged.mean_depth_m, "\(judged)")
        // What trim stores is what the network gave.
        let trimmed = folder("trimmed")
        try await Binary.succeed(["trim", room, "-o", trimmed] + Self.model())
        let kept = try await judgement(trimmed, ["--depth", "relative"], truth: room)
        #expect(kept.rmse_m == judged.rmse_m && kept.share == judged.share, "\(kept)")
        let check = try await Binary.run(["check", trimmed])
        #expect(check.output.contains("relative depth"), "\(check)")
        // A model of a fixed square gives depth of the image's shape.
        let square = folder("square")
        try await Binary.succeed(["trim", room, "-o", square] + Self.model("coded_square"))
        let metadata = try String(contentsOfFile: square + "/metadata.json", encoding: .utf8)
        // The image is 1036 x 784: 518 x 392.
        #expect(
            metadata.contains("\"depth_made\":\"model coded_square.onnx\"") && metadata.contains("392"),
            "\(metadata)"
        )
        let shaped = try await Binary.run(["map", square, "-o", folder("square.ply"), "--depth", "relative"])
        #expect(shaped.status == 0 && !shaped.everything.contains("aspect"), "\(shaped)")
        let bag = folder("bag")
        try await Binary.succeed(["bag", trimmed, "-o", bag])
        let inspected = try await Binary.run(["inspect", bag])
        #expect(inspected.output.contains("/mapping/pointcloud/depth_anything"), "\(inspected.output)")
    }

    @Test("what cannot be is said: no images, no LiDAR, no model, no runtime")
    func refusals() async throws {
        let room = try await room(["--size", "64x48"])
        let text = folder("text.onnx")
        try "no model".write(toFile: text, atomically: true, encoding: .utf8)
        let cases: [([String], Int32, String)] = [
            (["--depth", "relative"], 2, "expected a recording with relative depth and LiDAR depth"),
            (["--dense", "12"], 2, "expected WIDTHxHEIGHT or WIDTH, 16 to 4096 pixels, or off"),
            (["--depth", "dense", "--dense", "off"], 2, "--dense: expected a size"),
            (["--onnxruntime", "x"], 2, "expected --depth-model beside it"),
            (["--depth", "lidar", "--dense", "64"], 2, "--dense: expected --depth dense beside it"),
            (["--depth-model", text], 2, "--depth-model: expected --depth relative beside it"),
            (
                ["--depth", "relative", "--depth-model", folder("none.onnx")], 65,
                "none.onnx: expected the file of an ONNX model"
            ),
            (
                ["--depth", "relative", "--depth-model", text, "--onnxruntime", folder("no.so")], 69,
                "expected the library of ONNX Runtime"
            ),
        ]
        for (options, status, message) in cases {
            let outcome = try await Binary.run(["map", room, "-o", folder("map.ply")] + options)
            #expect(outcome.status == status && outcome.errors.contains(message), "\(options) \(outcome)")
        }
    }
}
