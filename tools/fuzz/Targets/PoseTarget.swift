import Recording
import Sessions

extension FuzzTarget {
    /// A list of poses as TUM's text, brought onto a recording.
    static let poses = FuzzTarget(
        name: "poses",
        seeds: { [Array(text.utf8), Array(text.replacing(" ", with: ",").utf8)] },
        dictionary: [
            "# poses of recording cbf29ce484222325, capture time is 7 ns before the timestamps, map axes\n", "1e308",
            "nan", "-0", "\n", " 0 0 0 0 0 0 1\n",
            "1700000000.123456789",
        ],
        run: { input in
            let files = MemoryFiles(files: ["poses.txt": Array(input)])
            guard let stream = try? files.stream("poses.txt"), let list = try? PoseList(stream, file: "poses.txt")
            else {
                return
            }
            let entries = list.entries
            let isAscending = Swift.zip(entries, entries.dropFirst()).allSatisfy { $0.nanoseconds < $1.nanoseconds }
            require(isAscending && entries.count >= 2, "times that do not go on")
            let match = try? PoseMatch(list, onto: target, axes: nil, name: "poses.txt")
            guard let match else { return }
            for frame in walk {
                let pose = match.correction.corrected(frame.worldFromCamera, at: frame.time)
                require(pose.translation.length.isFinite && abs(pose.rotation.norm - 1) < 1e-6, "a pose that is none")
            }
        }
    )

    private static let target = PoseMatch.Target(frames: walk, unixNanoseconds: .max)

    private static let walk: [(time: Timestamp, worldFromCamera: Transform)] = (0..<20).map { index in
        let t = Double(index) / 5
        let turn =
            Quaternion(angleRadians: t, axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: t / 2, axis: Vector3(1, 0, 0))
        return (
            Timestamp(nanoseconds: Int64(index) * 200_000_000), Transform(rotation: turn, translation: Vector3(t, 0, 1))
        )
    }

    private static var text: String {
        walk.map { time, pose in
            let (t, q) = (pose.translation, pose.rotation)
            return "\(time.seconds) \(t.x) \(t.y) \(t.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }.joined()
    }
}
