import Foundation
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// transforms.json, as nerfstudio's tools write it and as NeRFCapture and its receivers do.
@Suite struct TransformsTests {
    /// How a file is laid out, by what the formats' own documents say of it.
    struct Layout {
        var isCapture = false
        var isUpright = false
        var hasTimes = false
        var top = ""
        /// What is written of a frame in place of its `file_path`.
        var imagePath: (Int) -> String = { "./images/frame_\(RelaidFormat.padded($0 + 1, 5)).jpg" }
        var frame: (Int) -> String = { _ in "" }
        var order: [Int]?
        var saysCamera = true
        var worldScale = 1.0

        func lay(_ truth: RelaidTruth) -> Relaid {
            var relaid = Relaid()
            var objects: [String] = []
            for (place, frame) in truth.frames.enumerated() {
                var k = frame.camera
                var rotation = frame.worldFromCamera.rotation
                if isUpright {
                    // The picture is turned clockwise: right in it is up on the sensor, and down is to the right.
                    let (x, y, z) = rotation.columns
                    rotation = Quaternion(columns: y, -1 * x, z)
                    k = CameraIntrinsics(width: 1440, height: 1920, fx: k.fy, fy: k.fx, cx: 1439 - k.cy, cy: k.cx)
                }
                let (x, y, z) = rotation.columns
                // z is up in the world of nerfstudio.
                func stored(_ v: Vector3) -> [Double] { isCapture ? [v.x, v.y, v.z] : [v.x, -v.z, v.y] }
                let columns =
                    [x, y, z].map(stored) + [stored(frame.worldFromCamera.translation).map { $0 * worldScale }]
                let rows = (0..<3).map { row in "[\(columns.map { "\($0[row])" }.joined(separator: ", "))]" }
                var members = ["\"transform_matrix\": [\(rows.joined(separator: ", ")), [0, 0, 0, 1]]"]
                let path = imagePath(place)
                members.append("\"file_path\": \"\(path)\"")
                let half = isCapture ? 0 : 0.5
                if saysCamera {
                    members.append(
                        "\"w\": \(k.width), \"h\": \(k.height), \"fl_x\": \(k.fx), \"fl_y\": \(k.fy), "
                            + "\"cx\": \(k.cx + half), \"cy\": \(k.cy + half)"
                    )
                }
                if hasTimes { members.append("\"timestamp\": \(frame.time.seconds)") }
                let depth = "depth/\(RelaidFormat.padded(place, 4)).png"
                let grid = isUpright ? Self.upright(frame) : (frame.depth.width, frame.depth.height, frame.millimetres)
                if isCapture {
                    members.append("\"depth_path\": \"\(depth)\"")
                    relaid.files[depth] = Self.enlarged(frame)
                } else {
                    members.append("\"depth_file_path\": \"\(depth)\"")
                    relaid.files[depth] = HandmadePNG.gray16(width: grid.0, height: grid.1, grid.2)
                }
                if !self.frame(place).isEmpty { members.append(self.frame(place)) }
                objects.append("{\(members.joined(separator: ", "))}")
                let file = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
                relaid.files[file.hasSuffix(".jpg") ? file : file + ".jpg"] = frame.image
            }
            let ordered = (order ?? Array(objects.indices)).map { objects[$0] }
            let scale = isCapture ? "\"integer_depth_scale\": \(10.0 / 65535), " : ""
            relaid.put("{\(scale)\(top) \"frames\": [\(ordered.joined(separator: ",\n"))]}", "transforms.json")
            return relaid
        }

        private static func upright(_ frame: RelaidTruth.Frame) -> (Int, Int, [UInt16]) {
            let (width, height) = (frame.depth.width, frame.depth.height)
            let millimetres = frame.millimetres
            let turned = (0..<width).flatMap { row in
                (0..<height).map { column in millimetres[(height - 1 - column) * width + row] }
            }
            return (height, width, turned)
        }

        /// Nearly twice as wide by repeated pixels, in units of 10 m / 65535.
        private static func enlarged(_ frame: RelaidTruth.Frame) -> [UInt8] {
            let (width, height) = (480, 360)
            let samples = (0..<height).flatMap { row in
                (0..<width).map { column -> UInt16 in
                    let x = Int((Double(column) + 0.5) * Double(frame.depth.width) / Double(width))
                    let y = Int((Double(row) + 0.5) * Double(frame.depth.height) / Double(height))
                    let metres = frame.depth.metres[y * frame.depth.width + x]
                    return metres.isFinite && metres > 0 ? UInt16(min(65535, (metres * 6553.5).rounded())) : 0
                }
            }
            return HandmadePNG.gray16(width: width, height: height, samples)
        }
    }

    /// The truth with the times that a reader makes up.
    private func timed(_ truth: RelaidTruth, framesPerSecond: Double = 10) -> RelaidTruth {
        var timed = truth
        for place in timed.frames.indices {
            timed.frames[place].time = Timestamp(nanoseconds: Int64(Double(place) * 1e9 / framesPerSecond))
        }
        return timed
    }

    @Test func nerfstudio() async throws {
        let truth = try await RelaidTruth.standard.value
        // The order of the pictures' numbers counts, not that of the list.
        for layout in [
            Layout(), Layout(order: truth.frames.indices.reversed()),
            Layout(top: "\"applied_scale\": 0.25,", worldScale: 0.25),
        ] {
            let session = try layout.lay(truth).read()
            try FormatTests.expect(session, timed(truth), hasConfidence: false)
            // Files are named by the numbers of frames, and matched by neighbours.
            #expect(session.frames.map(\.index) == Array(truth.frames.indices))
            #expect(session.summary.format == "nerfstudio" && session.summary.assumedFramesPerSecond == 10)
            #expect(session.diagnostics.entries.map(\.kind) == [.timesAssumed], "\(session.diagnostics.entries)")
            let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
            #expect(report.isSound, "\(report.findings)")
        }
    }

    /// Times that go on for more than a second are times; from 0 to 1 they are a habit of other files.
    @Test func times() async throws {
        let truth = try await RelaidTruth.standard.value
        let session = try Layout(hasTimes: true, order: truth.frames.indices.reversed()).lay(truth).read()
        try FormatTests.expect(session, truth, hasConfidence: false)
        #expect(session.diagnostics.isEmpty && session.summary.assumedFramesPerSecond == nil)
        let relative = try Layout(frame: { "\"timestamp\": \(Double($0) / 19)" }).lay(truth).read()
        #expect(relative.summary.assumedFramesPerSecond == 10)
        var options = OpeningOptions()
        options.framesPerSecond = 4
        let slow = try SessionFormats.open(path: relative.path.string, options: options)
        #expect(abs(slow.summary.durationSeconds - 19.0 / 4) < 1e-6)
    }

    /// ARKit's own axes and pixels; depth as large as the picture and in a unit of its own; frames in any order.
    @Test func nerfCapture() async throws {
        let truth = try await RelaidTruth.standard.value
        var order = Array(truth.frames.indices)
        order.swapAt(0, 13)
        order.swapAt(5, 7)
        let layout = Layout(isCapture: true, hasTimes: true, imagePath: { "images/\($0)" }, order: order)
        let session = try layout.lay(truth).read()
        try FormatTests.expect(session, truth, metres: 0.000_08, hasConfidence: false)
        #expect(session.frames.map(\.index) == Array(truth.frames.indices))
        #expect(session.summary.format == "NeRFCapture" && session.summary.worldAlignment == .gravity)
        #expect(session.diagnostics.isEmpty, "\(session.diagnostics.entries)")
    }

    /// Files that no frame names are lost frames of an app, and a choice of others.
    @Test(arguments: [true, false])
    func framesThatAreGone(isCapture: Bool) async throws {
        let truth = try await RelaidTruth.standard.value
        let order = Array(truth.frames.indices)
        var relaid = Layout(isCapture: isCapture, hasTimes: true).lay(truth)
        let all = relaid.files.keys.sorted()
        // The list of a shorter recording, beside the files of the whole one.
        let shorter = Layout(isCapture: isCapture, hasTimes: true, order: order.filter { $0 != 7 && $0 != 12 }).lay(
            truth
        )
        relaid.files["transforms.json"] = shorter.files["transforms.json"]
        let session = try relaid.read()
        #expect(session.frames.count == 18 && relaid.files.keys.sorted() == all)
        #expect(session.diagnostics.count(of: .lostFrame) == (isCapture ? 2 : 0), "\(session.diagnostics.entries)")
        let orphans = session.session.orphans()
        #expect(isCapture ? orphans.isEmpty : orphans.count(of: .orphanFile) == 4, "\(orphans.entries)")
        let report = try await SessionCheck(path: session.path.string, jobs: 2).run()
        #expect(report.count(of: isCapture ? .lostFrame : .orphanFile) > 0)
    }

    /// What the app itself stores as depth is a picture of it.
    @Test func pictureOfDepth() async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = Layout(isCapture: true, hasTimes: true).lay(truth)
        let text = String(decoding: try #require(relaid.files["transforms.json"]), as: UTF8.self)
        relaid.put(
            text.replacing("\"integer_depth_scale\": \(10.0 / 65535)", with: "\"depth_integer_scale\": 1.0"),
            "transforms.json"
        )
        let session = try relaid.read()
        #expect(!session.summary.hasDepth && session.summary.hasImages && session.frames.count == 20)
        #expect(session.diagnostics.entries.map(\.kind) == [.depthNotMetric])
    }

    @Test func uprightPictures() async throws {
        let truth = try await RelaidTruth.portrait.value
        let session = try Layout(isUpright: true).lay(truth).read()
        try FormatTests.expect(session, timed(truth), hasConfidence: false)
        #expect(session.frames.allSatisfy { $0.declaredOrientation == .portrait })
    }

    /// A field of view in place of focal lengths, and the size of the picture where none is written.
    @Test func fieldOfView() async throws {
        let truth = try await RelaidTruth.standard.value
        let session = try Layout(top: "\"camera_angle_x\": 1.2,", saysCamera: false).lay(truth).read()
        let k = session.frames[0].intrinsics
        #expect((k.width, k.height) == (96, 72) && k.cx == 47.5 && k.cy == 35.5)
        #expect(abs(k.fx - 48 / tan(0.6)) < 1e-9 && k.fy == k.fx)
    }

    /// Where no size is written, that of the first picture that reads counts for all: it may be the last one.
    @Test(arguments: [1, 19, 20])
    func sizeOfALaterPicture(damaged: Int) async throws {
        let layout = Layout(top: "\"camera_angle_x\": 1.2,", saysCamera: false)
        var relaid = layout.lay(try await RelaidTruth.standard.value)
        for place in 0..<damaged {
            relaid.files["images/frame_\(RelaidFormat.padded(place + 1, 5)).jpg"] = place % 2 == 0 ? nil : [1, 2, 3]
        }
        guard damaged < 20 else {
            let error = #expect(throws: SessionError.self) { try relaid.read() }
            guard case .noUsableFrame(_, _, 20, let problem?)? = error else { throw error ?? CancellationError() }
            #expect(problem.kind == .badIntrinsics && problem.found == "neither")
            return
        }
        let session = try relaid.read()
        #expect(session.frames.count == 20)
        #expect(session.frames.allSatisfy { ($0.intrinsics.width, $0.intrinsics.height) == (96, 72) })
        let images = session.loadAll().filter { $0.image != nil }
        #expect(images.count == 20 - damaged)
    }

    @Test func distortion() async throws {
        let truth = try await RelaidTruth.standard.value
        let session = try Layout(top: "\"camera_model\": \"OPENCV\", \"k1\": 0.01,").lay(truth).read()
        #expect(session.diagnostics.count(of: .lensDistortion) == 1 && session.frames.count == 20)
        let problem = #expect(throws: Problem.self) {
            try Layout(top: "\"camera_model\": \"OPENCV_FISHEYE\",").lay(truth).read()
        }
        #expect(problem?.field == "camera_model" && problem?.found == "OPENCV_FISHEYE")
        let lens = LensDistortion(k1: 0.01)
        #expect(session.frames.allSatisfy { $0.intrinsics.distortion == lens })
        let whole = #expect(throws: Problem.self) { try Layout(top: "\"is_fisheye\": true,").lay(truth).read() }
        #expect(whole?.found == "is_fisheye")
        // In frames: the first has another lens, the second is a fisheye, and the third has what only a rational model holds.
        var relaid = Layout(top: "\"k1\": 0.01,").lay(truth)
        var text = String(decoding: try #require(relaid.files["transforms.json"]), as: UTF8.self)
        for (place, members) in ["\"k1\": 0, \"p2\": 0.5,", "\"is_fisheye\": true,", "\"k4\": 1,"].enumerated() {
            let name = "\"file_path\": \"./images/frame_\(RelaidFormat.padded(place + 1, 5)).jpg\""
            try #require(text.contains(name))
            text = text.replacing(name, with: members + name)
        }
        relaid.put(text, "transforms.json")
        let mixed = try relaid.read()
        #expect(mixed.frames.count == 19 && mixed.frames[0].intrinsics.distortion == LensDistortion(p2: 0.5))
        #expect(mixed.frames.dropFirst().allSatisfy { $0.intrinsics.distortion == lens })
        #expect(try #require(mixed.only(.badIntrinsics)).field == "frames[1].is_fisheye")
        #expect(try #require(mixed.only(.lensDistortion)).found.contains("k4 is left out"))
    }

    /// Nothing outside of the folder is read, whatever the list says.
    @Test(arguments: ["../secret.jpg", "/etc/passwd", "a/../../secret.jpg", "..\\\\secret.jpg"])
    func pathsThatLeadOut(_ path: String) async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = Layout().lay(truth)
        let text = String(decoding: try #require(relaid.files["transforms.json"]), as: UTF8.self)
        relaid.put(text.replacing("./images/frame_00004.jpg", with: path), "transforms.json")
        let session = try relaid.read()
        #expect(session.frames.filter { !$0.hasImage }.map(\.index) == [3])
        let example = try #require(session.only(.missingImage))
        #expect(!example.file.contains("..") && !example.file.hasPrefix("/"))
    }

    /// Converters leave the file beside what they converted.
    @Test func originalsCountMore() async throws {
        let truth = try await RelaidTruth.standard.value
        for format in RelaidFormat.allCases {
            var relaid = try await format.laid
            relaid.files["transforms.json"] = Layout().lay(truth).files["transforms.json"]
            #expect(try relaid.read().summary.format == format.name)
        }
    }

    /// A matrix by columns, or one of OpenCV's axes, leads to clouds that contradict each other: none are made.
    @Test func wrongAxes() async throws {
        let truth = try await RelaidTruth.standard.value.inOpenCVAxes
        let session = try Layout().lay(truth).read()
        #expect(try session.examined().summary.depthRefusal?.kind == .cloudsDisagree)
    }

    /// Each frame that does not read costs itself, and is named by its place.
    @Test(arguments: [
        ("\"transform_matrix\": [[", "\"transform_matrix\": [[[", ProblemKind.badField),
        ("\"transform_matrix\"", "\"matrix\"", .missingField),
        ("\"fl_x\": ", "\"fl_x\": 1e9, \"other\": ", .badIntrinsics),
    ])
    func damagedFrames(_ old: String, _ new: String, _ kind: ProblemKind) async throws {
        let truth = try await RelaidTruth.standard.value
        var relaid = Layout().lay(truth)
        var lines = String(decoding: try #require(relaid.files["transforms.json"]), as: UTF8.self)
            .components(separatedBy: "\n")
        lines[6] = lines[6].replacing(old, with: new)
        if new.hasSuffix("[[[") { lines[6] = lines[6].replacing("[0, 0, 0, 1]]", with: "[0, 0, 0, 1]]]") }
        relaid.put(lines.joined(separator: "\n"), "transforms.json")
        let session = try relaid.read()
        #expect(
            session.frames.count == 19 && session.diagnostics.count(of: kind) == 1,
            "\(session.diagnostics.entries)"
        )
        let example = try #require(session.diagnostics.entries.first { $0.kind == kind }?.examples.first)
        #expect(example.field?.hasPrefix("frames[6]") == true)
    }

    /// Flipped, cut, doubled and inserted bytes: always a session or a documented error.
    @Test func mutatedTexts() async throws {
        let whole = Layout().lay(try await RelaidTruth.standard.value)
        let directory = try TemporaryDirectory()
        let root = try whole.write(into: directory)
        let original = try #require(whole.files["transforms.json"])
        var numbers = SeededRandomNumbers(seed: 9)
        let words = ["1e999", "-", "null", "[", "}", ",", "NaN", "99999999999999999999", "\"frames\"", "\"", "../"]
        var sessions = 0
        for _ in 0..<300 {
            try SessionBuilder.write(
                mutated(original, words: words, using: &numbers),
                to: root.appending("transforms.json")
            )
            if try ReadSession.orRefused(directory, path: root) != nil { sessions += 1 }
        }
        #expect(sessions > 40)
    }
}
