import JSONText
import Recording

/// Reads the frames out of Record3D's metadata, in one pass over its three arrays side by side.
struct Record3DFrames {
    private let metadata: Record3DMetadata
    private let file: String
    private var index = 0
    /// Whether no pose differs from the one that stands for none: the front camera's recordings have no tracking.
    private let isUntracked: Bool

    private var poses: JSONElements
    private var times: JSONElements
    private var cameras: JSONElements

    /// - Parameters:
    ///   - values: those of ``Record3DMetadata/names``.
    init(_ metadata: Record3DMetadata, _ values: LineValues, file: String) {
        self.metadata = metadata
        self.file = file
        let first = Record3DMetadata.table.fields.count
        poses = JSONElements(values[first])
        times = JSONElements(values[first + 1])
        cameras = JSONElements(values[first + 2])
        var all = JSONElements(values[first])
        var count = 0
        var isUntracked = true
        while isUntracked, let pose = all.next(Record3DMetadata.pose) {
            count += 1
            if let pose, pose != [0, 0, 0, 1, 0, 0, 0] { isUntracked = false }
        }
        self.isUntracked = isUntracked && count > 1
    }

    /// Whether there are poses at all.
    var isThere: Bool { poses.isThere }

    /// The next frame, or what is wrong with it; `nil` at the end.
    mutating func next() -> Result<FrameReference, Problem>? {
        guard let pose = poses.next(Record3DMetadata.pose) else { return nil }
        let time = times.isThere ? times.next(.captureTime) : nil
        let camera = cameras.isThere ? cameras.next(Record3DMetadata.coefficients) : nil
        defer { index += 1 }
        return Result { () throws(Problem) in
            FrameReference(
                index: index,
                line: index + 1,
                time: try self.time(time),
                worldFromCamera: try self.pose(pose),
                intrinsics: try intrinsics(camera),
                tracking: isUntracked ? .notAvailable : .unknown,
                declaredOrientation: metadata.isPortrait ? .portrait : .landscapeRight
            )
        }
    }

    private func time(_ value: Timestamp??) throws(Problem) -> Timestamp {
        if times.isThere {
            if case .some(.some(let time)) = value { return time }
            throw problem(.badField, Record3DMetadata.times, "seconds for each pose", "none for pose \(index)")
        }
        guard let rate = metadata.framesPerSecond else {
            throw problem(.missingField, Record3DMetadata.times, "frameTimestamps, or fps from 0.01 to 1000", "neither")
        }
        return Timestamp(nanoseconds: Int64((Double(index) / rate * 1e9).rounded()))
    }

    /// World from camera in ARKit's camera axes, but of the picture as it is stored.
    private func pose(_ numbers: [Double]?) throws(Problem) -> Transform {
        guard let n = numbers else {
            throw problem(.badTransform, Record3DMetadata.poses, Record3DMetadata.pose.expected, "another value")
        }
        do throws(FieldRefusal) {
            var pose = try Transform(
                recorded: Quaternion(x: n[0], y: n[1], z: n[2], w: n[3]),
                Vector3(n[4], n[5], n[6]),
                expected: "a unit quaternion and a place in metres"
            )
            if metadata.isPortrait { pose.rotation = pose.rotation * UprightPicture.fromLandscape }
            return pose
        } catch {
            throw problem(error.kind, Record3DMetadata.poses, error.expected, error.found)
        }
    }

    private func intrinsics(_ coefficients: [Double]??) throws(Problem) -> CameraIntrinsics {
        let (field, stored): (StaticString, [Double])
        if case .some(.some(let own)) = coefficients {
            (field, stored) = (Record3DMetadata.cameras, own)
        } else if let k = metadata.camera {
            (field, stored) = ("K", [k[0], k[4], k[6], k[7]])
        } else {
            throw problem(.badIntrinsics, "K", "a pinhole matrix by columns", "none")
        }
        do throws(FieldRefusal) {
            var picture = CameraIntrinsics(width: metadata.width, height: metadata.height, fx: 0, fy: 0, cx: 0, cy: 0)
            try picture.setPinhole(fx: stored[0], fy: stored[1], cx: stored[2], cy: stored[3])
            return metadata.isPortrait ? UprightPicture.landscape(picture) : picture
        } catch {
            throw problem(error.kind, field, error.expected, error.found)
        }
    }

    private func problem(
        _ kind: ProblemKind,
        _ field: StaticString,
        _ expected: String,
        _ found: String
    ) -> Problem {
        Problem(kind, file: file, field: "\(field)[\(index)]", expected: expected, found: found)
    }
}
