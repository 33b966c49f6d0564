import Recording
import Sessions
import TestSupport
import Testing

private struct Bytes: ByteStream {
    var rest: ArraySlice<UInt8>

    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = rest.prefix(min(buffer.count, 7))
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

private func list(_ text: String) throws -> PoseList {
    try PoseList(Bytes(rest: Array(text.utf8)[...]), file: "poses.txt")
}

@Suite("Poses of others")
struct PoseMatchTests {
    /// A walk that turns about all axes.
    private static let frames: [(time: Timestamp, worldFromCamera: Transform)] = (0..<200).map { index in
        let t = Double(index) / 10
        let rotation =
            Quaternion(angleRadians: 0.8 * sine(0.5 * t), axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: 0.3 * sine(0.9 * t), axis: Vector3(1, 0, 0))
            * Quaternion(angleRadians: 0.2 * sine(1.3 * t), axis: Vector3(0, 0, 1))
        let place = Vector3(sine(0.4 * t), 0.1 * sine(t), 2 * sine(0.25 * t))
        let time = Timestamp(nanoseconds: 1_000_000_000_000 + Int64(index) * 100_000_000)
        return (time, Transform(rotation: rotation.normalized, translation: place))
    }

    private static let target = PoseMatch.Target(frames: frames)

    private static func text(_ poses: [(seconds: Double, pose: Transform)]) -> String {
        poses.map { seconds, pose in
            let (t, q) = (pose.translation, pose.rotation)
            return "\(seconds) \(t.x) \(t.y) \(t.z) \(q.x) \(q.y) \(q.z) \(q.w)"
        }.joined(separator: "\n")
    }

    private static let axes: [(name: String, camera: Quaternion)] = [
        ("as recorded", .identity), ("optical", Quaternion(x: 1, y: 0, z: 0, w: 0)),
        ("body", Quaternion(columns: Vector3(0, -1, 0), Vector3(0, 0, 1), Vector3(-1, 0, 0))),
    ]

    @Test(
        "whatever their world, their camera's axes, their metre and their clock are",
        arguments: [0, 1, 2],
        [1.0, 0.37]
    )
    func anyAxes(axes: Int, scale: Double) throws {
        let world = Transform(
            rotation: Quaternion(angleRadians: 1.9, axis: Vector3(0.6, 0, 0.8)),
            translation: Vector3(5, -3, 2)
        )
        let camera = Self.axes[axes].camera
        let origins = [0.0, 1000, 1_700_000_000]
        for (clock, origin) in zip([PoseMatch.Clock.start, .capture, .unix], origins) {
            let poses = Self.frames.enumerated().map { index, frame in
                var pose = world * frame.worldFromCamera
                pose.translation = pose.translation * scale
                pose.rotation = (pose.rotation * camera).normalized
                return (seconds: origin + Double(index) / 10, pose: pose)
            }
            let match = try PoseMatch(
                list(Self.text(poses)),
                onto: PoseMatch.Target(
                    frames: Self.frames,
                    unixNanoseconds: 1_700_000_000_000_000_000 - 1_000_000_000_000
                ),
                axes: nil,
                name: "poses.txt"
            )
            #expect(match.clock == clock && match.matchedCount == 200)
            #expect(abs(match.scale * scale - 1) < 1e-3)
            #expect(match.mostMetres < 1e-3, "\(Self.axes[axes].name) \(match.mostMetres)")
            let turns = match.correction.knots.map {
                ($0.recorded.rotation.inverse * $0.corrected.rotation).angleRadians
            }
            #expect(turns.allSatisfy { $0 < 1e-3 })
        }
    }

    @Test("better ones move the frames between them as the recording moved")
    func between() throws {
        let lifted = Self.frames.enumerated().filter { $0.offset % 10 == 0 }.map { index, frame in
            var pose = frame.worldFromCamera
            pose.translation.y += Double(index) / 200
            return (seconds: Double(index) / 10, pose: pose)
        }
        let axes = PoseMatch.Axes(worldFromListWorld: .identity, listCameraFromCamera: .identity)
        let match = try PoseMatch(
            list(Self.text(lifted)),
            onto: Self.target,
            axes: axes,
            name: "poses.txt"
        )
        for (index, frame) in Self.frames.enumerated().prefix(190) {
            let pose = match.correction.corrected(frame.worldFromCamera, at: frame.time)
            let up = pose.translation.y - frame.worldFromCamera.translation.y
            #expect(abs(up - Double(index) / 200) < 1e-9)
        }
    }

    @Test("of another recording are refused, with what was expected and what was found")
    func others() throws {
        let late = Self.frames.map { (seconds: 5000 + $0.time.seconds, pose: $0.worldFromCamera) }
        #expect(throws: PoseMatch.Mismatch.self) {
            try PoseMatch(list(Self.text(late)), onto: Self.target, axes: nil, name: "")
        }
        let backwards = Self.frames.enumerated().map { index, _ in
            (seconds: Double(index) / 10, pose: Self.frames[199 - index * 7 % 200].worldFromCamera)
        }
        #expect(throws: PoseMatch.Mismatch.self) {
            try PoseMatch(list(Self.text(backwards)), onto: Self.target, axes: nil, name: "")
        }
        let still = Self.frames.enumerated().map { (seconds: Double($0.offset) / 10, pose: Transform.identity) }
        #expect(throws: PoseMatch.Mismatch.self) {
            try PoseMatch(list(Self.text(still)), onto: Self.target, axes: nil, name: "")
        }
    }

    @Test("lines that are no poses are counted, with their place")
    func damage() throws {
        let good = "0.1 0 0 0 0 0 0 1\n"
        let lines = [
            ("0.2 0 0 0 0 0 1\n", "8 numbers"), ("x 0 0 0 0 0 0 1\n", "seconds"), ("0.2 nan 0 0 0 0 0 1\n", "finite"),
            ("0.2 0 0 0 0 0 0 2\n", "unit quaternion"), ("0.2 1e9 0 0 0 0 0 1\n", "10000 km"),
            ("0.1 0 0 0 0 0 0 1\n", "after"), ("0.05 0 0 0 0 0 0 1\n", "after"),
        ]
        for (line, expected) in lines {
            let read = try list("# a comment\n" + good + line + "0.3,1,2,3,0,0,0,1\n\n")
            #expect(read.entries.map(\.nanoseconds) == [100_000_000, 300_000_000])
            let problem = try #require(read.diagnostics.entries.first?.examples.first)
            #expect(problem.line == 3 && problem.file == "poses.txt" && "\(problem)".contains(expected), "\(problem)")
        }
        #expect(throws: Problem.self) { try list("") }
        #expect(throws: Problem.self) { try list(good) }
        #expect(throws: Problem.self) { try list(String(repeating: "\0", count: 100)) }
    }
}
