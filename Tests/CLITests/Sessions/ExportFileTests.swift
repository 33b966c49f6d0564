import Foundation
import SystemPackage
import TestSupport
import Testing

/// Exports, judged by every file that they wrote: how many, how large, and of what numbers.
@Suite(.serialized) struct ExportFileTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var views: Int
        var repeated: Int
        var depth_pixels: Int
        var depth_pixels_left_out: Int
    }

    private static let sensor = ["splatam", "tum-rgbd", "euroc", "kitti", "open3d"]

    private func sample(_ arguments: [String] = []) async throws -> String {
        let path = folder("room")
        let shape = ["--duration", "2", "--fps", "10", "--size", "480x360", "--noise"]
        try await Command.succeed(["sample", "-o", path] + shape + arguments)
        return path
    }

    /// The lines of a session's frames, changed one after the other.
    private func editFrames(_ session: String, _ change: (Int, inout [String: Any]) -> Void) throws {
        let path = session + "/frames.jsonl"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let changed = try lines.enumerated().map { number, line in
            var value = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
            change(number, &value)
            return String(decoding: try JSONSerialization.data(withJSONObject: value), as: UTF8.self)
        }
        try (changed.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    }

    private func files(_ name: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder(name)).sorted()
    }

    /// Width and height of a JPEG, from its frame header (ITU-T T.81, B.2.2).
    private func size(ofJPEG name: String) throws -> [Int] {
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder(name))))
        let start = try #require(
            bytes.indices.dropLast(8).first { bytes[$0] == 0xFF && [0xC0, 0xC2].contains(bytes[$0 + 1]) }
        )
        return [7, 5].map { Int(bytes[start + $0]) << 8 | Int(bytes[start + $0 + 1]) }
    }

    /// Lens distortion of the file or of each frame goes into what holds it; the formula is OpenCV's.
    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), arguments: [true, false])
    func lensDistortion(isOfFrames: Bool) async throws {
        let session = folder("lens")
        let shape = "--format transforms-json --duration 1 --fps 4 --size 96x72".split(separator: " ").map(String.init)
        try await Command.succeed(["sample", "-o", session] + shape)
        let file = URL(fileURLWithPath: session + "/transforms.json")
        var document = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
        )
        let lens = ["k1": -0.21, "k2": 0.08, "p1": 0.013, "p2": -0.021, "k3": isOfFrames ? 0.004 : 0]
        if isOfFrames {
            let frames = try #require(document["frames"] as? [[String: Any]])
            // Every second frame has none.
            document["frames"] = frames.enumerated().map {
                $0.offset % 2 == 0 ? $0.element.merging(lens) { $1 } : $0.element
            }
        } else {
            document.merge(lens) { $1 }
        }
        try JSONSerialization.data(withJSONObject: document).write(to: file)
        try await Command.succeed(["bag", session, "-o", folder("bag"), "--max-hz", "all"])
        var judged = [Checkout.path("tools/peers/check_lens.py").string, session, "--bag", folder("bag")]
        for format in ["colmap", "nerfstudio"] {
            try await Command.succeed(["export", session, "--to", format, "-o", folder(format)])
            judged += ["--" + format, folder(format)]
        }
        let judgement = try PeerPython.run(judged)
        #expect(judgement.status == 0, "\(judgement.everything)")
        // Its frames inherit what the head says.
        try await Command.succeed(["export", session, "--to", "ngp", "-o", folder("ngp")])
        let inherited = try PeerPython.run([judged[0], session, "--nerfstudio", folder("ngp")])
        #expect(inherited.status == 0, "\(inherited.everything)")
        // Out of the bag come the same cameras.
        try await Command.succeed(["export", folder("bag"), "--to", "colmap", "-o", folder("again")])
        let again = try PeerPython.run([judged[0], session, "--colmap", folder("again")])
        #expect(again.status == 0, "\(again.everything)")
    }

    /// Of a bag whose CameraInfo has coefficients, as calibrated cameras of others have them.
    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func lensDistortionOfABag() async throws {
        let session = try await sample()
        try await Command.succeed(["bag", session, "-o", folder("bag")])
        let code = """
            import glob, sqlite3, struct, sys
            for file in glob.glob(sys.argv[1] + "/*.db3"):
                base = sqlite3.connect(file)
                kind = "select m.id, m.data from messages m join topics t on t.id = m.topic_id where t.type = ?"
                for number, data in base.execute(kind, ("sensor_msgs/msg/CameraInfo",)).fetchall():
                    at = data.index(struct.pack("<I", 5), data.index(b"plumb_bob\\0")) + 4
                    at += -(at - 4) % 8
                    assert data[at : at + 40] == bytes(40)
                    lens = struct.pack("<5d", -0.21, 0.08, 0.013, -0.021, 0)
                    base.execute("update messages set data = ? where id = ?", (data[:at] + lens + data[at + 40 :], number))
                base.commit()
            """
        _ = try PeerPython.output(of: code, [folder("bag")])
        try await Command.succeed(["export", folder("bag"), "--to", "euroc", "-o", folder("euroc"), "--kalibr"])
        for (file, key) in [
            ("mav0/cam0/sensor.yaml", "distortion_coefficients"), ("kalibr_imucam_chain.yaml", "distortion_coeffs"),
        ] {
            let text = try String(contentsOfFile: "\(folder("euroc"))/\(file)", encoding: .utf8)
            #expect(text.contains("\(key): [-0.21, 0.08, 0.013, -0.021]"), "\(text)")
        }
    }

    @Test func framesOfOneTimeAreTakenOnce() async throws {
        let session = try await sample()
        var last: Any?
        try editFrames(session) { number, frame in
            if [4, 9, 13].contains(number) { frame["timestamp"] = last }
            last = frame["timestamp"]
        }
        for (format, images, repeated) in [
            ("euroc", "mav0/cam0/data", 3), ("tum-rgbd", "rgb", 3), ("colmap", "images", 0),
        ] {
            let report: Report = try await Command.json(
                ["export", session, "--to", format, "-o", folder(format), "--json"]
            )
            #expect(report.repeated == repeated && report.views >= 19 - repeated, "\(format): \(report)")
            #expect(try files("\(format)/\(images)").count == report.views, "\(format)")
        }
        let strict = try await Command.run(["export", session, "--to", "tum", "-o", folder("a.txt"), "--strict"])
        #expect(strict.status == 1 && strict.output.contains("3 frames of a time"), "\(strict.everything)")
    }

    @Test func imagesHaveTheNumbersOfTheRecording() async throws {
        let session = try await sample()
        for (format, images) in [("nerfstudio", "images"), ("tum-rgbd", "rgb"), ("gaussian", "images")] {
            try await Command.succeed(
                ["export", session, "--to", format, "-o", folder(format), "--start", "frame:10", "--every", "3"]
            )
            let numbers = try files("\(format)/\(images)").map { $0.prefix { $0 != "." } }
            #expect(numbers == ["000010", "000013", "000016", "000019"], "\(format)")
        }
        // KITTI's readers count files: which frame each is of stands beside them.
        try await Command.succeed(
            ["export", session, "--to", "kitti", "-o", folder("kitti"), "--start", "frame:10", "--every", "3"]
        )
        #expect(try files("kitti/sequences/00/image_2") == (0..<4).map { "00000\($0).png" })
        let table = try String(contentsOfFile: folder("kitti/frames.csv"), encoding: .utf8).split(separator: "\n")
        #expect(table.last == "sequences/00/image_2/000003.png,19" && table.count == 5)
    }

    /// Autofocus moves the focal length: formats of one camera resample the images, COLMAP's cannot.
    @Test func focalLengthsThatMove() async throws {
        let session = try await sample(["--orientation", "mixed"])
        try editFrames(session) { number, frame in
            guard var k = frame["camera_intrinsics"] as? [Double] else { return }
            let scale = 1 + 0.04 * sin(Double(number))
            (k[0], k[4]) = (k[0] * scale, k[4] * scale)
            (k[6], k[7]) = (k[6] + 5 * cos(Double(number)), k[7] - 4 * cos(Double(number)))
            frame["camera_intrinsics"] = k
        }
        for format in Self.sensor {
            try await Command.succeed(["export", session, "--to", format, "-o", folder(format)])
        }
        if Peer.isAvailable {
            let judge = Repository.path("tools/peers/check_export.py")
            let verdict = try await PeerPython.runAside([judge, session] + Self.sensor.map { folder($0) })
            #expect(verdict.status == 0, "\(verdict.everything)")
        }
        try await Command.run(["export", session, "--to", "colmap", "-o", folder("shared"), "--share-intrinsics"])
            .expectError(65, naming: "--share-intrinsics", "autofocus")
        #expect(!FileManager.default.fileExists(atPath: folder("shared")))
        // Images that are encoded again anyway are cut alike, and brought to one camera where that is asked for.
        for (name, options) in [("cut", []), ("one", ["--share-intrinsics"])] {
            try await Command.succeed(
                ["export", session, "--to", "gaussian", "-o", folder(name), "--centre-principal-point", "--no-binary"]
                    + options
            )
            let cameras = try lines("\(name)/sparse/0/cameras.txt").map { $0.split(separator: " ") }
            let views = try lines("\(name)/sparse/0/images.txt").map { $0.split(separator: " ") }
            #expect(views.count == 20 && (name == "cut" ? cameras.count == 20 : cameras.count < 5))
            #expect(Set(cameras.map { [$0[2], $0[3]].sorted() }).count == 1, "\(name)")
            for view in views {
                let camera = try #require(cameras.first { $0[0] == view[8] })
                #expect(try size(ofJPEG: "\(name)/images/\(view[9])") == [Int(camera[2]), Int(camera[3])])
            }
        }
    }

    private func lines(_ name: String) throws -> [Substring] {
        try String(contentsOfFile: folder(name), encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
    }

    @Test func depthImagesKeepToTheLimits() async throws {
        let session = try await sample()
        func report(_ name: String, _ options: [String]) async throws -> Report {
            try await Command.json(["export", session, "--to", "nerfstudio", "-o", folder(name), "--json"] + options)
        }
        let all = try await report("all", ["--min-confidence", "0", "--max-depth", "100", "--no-edge-filter"])
        let sure = try await report("sure", ["--min-confidence", "2", "--max-depth", "100", "--no-edge-filter"])
        let near = try await report("near", ["--min-confidence", "0", "--max-depth", "1.5", "--no-edge-filter"])
        let edges = try await report("edges", ["--min-confidence", "0", "--max-depth", "100"])
        #expect(all.depth_pixels > 900_000)
        for part in [sure, near, edges] {
            #expect(part.depth_pixels < all.depth_pixels)
            #expect(part.depth_pixels + part.depth_pixels_left_out == all.depth_pixels + all.depth_pixels_left_out)
        }
    }

    @Test func tracksTellOfDamage() async throws {
        let session = try await sample(["--gps"])
        func camera(_ name: String, _ options: [String] = []) async throws -> Int {
            struct Track: Decodable {
                var lines: [Line]
                struct Line: Decodable {
                    var name: String
                    var points: Int
                }
            }
            let track: Track = try await Command.json(
                ["export", session, "--to", "geojson", "-o", folder(name), "--json"] + options
            )
            return try #require(track.lines.first { $0.name == "camera" }).points
        }
        #expect(try await camera("whole") == 2)
        try editFrames(session) { number, frame in
            if number >= 8 { frame["tracking_state"] = "limited_motion" }
        }
        #expect(try await camera("trusted") == 1)
        #expect(try await camera("all", ["--keep-limited-tracking"]) == 2)
        try await Command.succeed(["export", session, "--to", "gpx", "-o", folder("a.gpx"), "--strict"])
        try Damage.edit(session + "/gps.jsonl", "\"latitude\":", "\"latitude\":x")
        let strict = try await Command.run(["export", session, "--to", "gpx", "-o", folder("b.gpx"), "--strict"])
        #expect(strict.status == 1 && strict.output.contains("gps.jsonl"), "\(strict.everything)")
        try await Command.run(["export", session, "--to", "kml", "-o", folder("c"), "--geoid", "/nothing.gtx"])
            .expectError(2, naming: "--geoid", "/nothing.gtx")
    }

    /// What a killed run has left is no obstacle; what is not of ours stays.
    @Test func leftoversAreReplaced() async throws {
        let session = try await sample()
        let output = folder("a"), partial = folder("a.partial")
        let killed = try Binary.start(["export", session, "--to", "tum-rgbd", "-o", output, "--size", "full"])
        while !FileManager.default.fileExists(atPath: partial + "/rgb") { try await Task.sleep(for: .milliseconds(2)) }
        // As long as it runs, the folder is its own.
        let busy = try await Command.run(["export", session, "--to", "colmap", "-o", output])
        await killed.signal(SIGKILL)
        _ = try await killed.finish()
        busy.expectError(73, naming: "a.partial")
        #expect(FileManager.default.fileExists(atPath: partial))
        try await Command.succeed(["export", session, "--to", "colmap", "-o", output])
        #expect(try files("") == ["a", "room"])
        #expect(try files("a").contains { $0.hasPrefix(".") } == false)
        try FileManager.default.createDirectory(atPath: folder("b.partial"), withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: folder("b.partial/notes")))
        try await Command.run(["export", session, "--to", "colmap", "-o", folder("b")])
            .expectError(73, naming: "b.partial", "no run has left")
        #expect(try files("b.partial") == ["notes"])
    }
}
