import Platform
package import Recording

/// Foreign poses brought onto a recording: in time, in axes, in scale.
///
/// Whose world the poses are in, which way their camera looks and, for a monocular odometry, how long its metre is are
/// found by comparing how both move: turns give the camera's axes (the rotation that takes one list of rotation vectors to
/// the other: Horn 1987), lengths the scale, and all poses together the world.
package struct PoseMatch: Sendable {
    /// What the times of the list count from.
    package enum Clock: String, Sendable, CaseIterable {
        case capture = "the recording's clock"
        case unix = "Unix time"
        case start = "the first frame"
    }

    /// Why a list does not belong to a recording.
    package struct Mismatch: Error, Sendable, CustomStringConvertible {
        package var description: String
    }

    /// The recording that a list is brought onto.
    package struct Target {
        /// The recorded poses of all frames, in the order of time.
        package private(set) var frames: [(time: Timestamp, worldFromCamera: Transform)]
        package private(set) var fingerprint = RecordingFingerprint()
        /// Unix time at zero of the recording's clock; `nil` where it is not known.
        package let unixNanoseconds: Int64?

        package init(frames: [(time: Timestamp, worldFromCamera: Transform)], unixNanoseconds: Int64? = nil) {
            (self.frames, self.unixNanoseconds) = (frames, unixNanoseconds)
        }

        package init(_ session: any Session, unixNanoseconds: Int64?) throws {
            self.init(frames: [], unixNanoseconds: unixNanoseconds)
            let walk = try FrameWalk(session, RecordRequest(streams: [.frames], resolvesPayloads: false), .everything)
            while let frame = try walk.nextFrame(takesPicture: false)?.frame {
                frames.append((frame.time, frame.worldFromCamera))
                fingerprint.add(frame)
            }
        }
    }

    /// The axes of a list that says them: its world and its camera in those of the recording.
    package struct Axes: Sendable {
        package var worldFromListWorld: Transform
        package var listCameraFromCamera: Transform

        package init(worldFromListWorld: Transform, listCameraFromCamera: Transform) {
            self.worldFromListWorld = worldFromListWorld
            self.listCameraFromCamera = listCameraFromCamera
        }
    }

    package private(set) var clock: Clock
    /// Poses of the list at whose time the recording has a pose.
    package private(set) var matchedCount = 0
    /// Metres of the recording for one of the list's.
    package private(set) var scale = 1.0
    /// How far the poses are from the recorded ones, median and most.
    package private(set) var medianMetres = 0.0
    package private(set) var mostMetres = 0.0
    package private(set) var correction: PoseCorrection

    /// Poses farther from a frame in time than this are of something else.
    private static let longestGapSeconds = 0.25
    private static let leastTurnRadians = 0.15
    private static let leastStepMetres = 0.2

    /// - Parameters:
    ///   - axes: `nil` to find them.
    ///   - name: As the provenance names the list.
    /// - Throws: a ``Mismatch``: for a list of ours where it was made of another recording, for others where they do not fit.
    package init(_ list: PoseList, onto target: Target, axes: Axes?, name: String) throws(Mismatch) {
        guard !target.frames.isEmpty else {
            throw Mismatch(description: "expected a recording with poses, found none")
        }
        let (clock, pairs): (Clock, [Pair])
        if let origin = list.origin {
            (clock, pairs) = (.capture, try Self.pairs(list, target, of: origin))
        } else {
            (clock, pairs) = try Self.pairs(list, target)
        }
        (self.clock, matchedCount) = (clock, pairs.count)
        let found: (world: Transform, camera: Quaternion, scale: Double)
        if let axes {
            found = (axes.worldFromListWorld, axes.listCameraFromCamera.rotation, 1)
        } else {
            found = try Self.axes(pairs)
        }
        scale = found.scale
        let knots = pairs.map { pair in
            let pose = pair.listed
            let place = found.world.rotation.rotating(pose.translation * found.scale) + found.world.translation
            let rotation = (found.world.rotation * pose.rotation * found.camera).normalized
            return PoseCorrection.Knot(
                time: pair.time,
                recorded: pair.recorded,
                corrected: Transform(rotation: rotation, translation: place)
            )
        }
        correction = PoseCorrection(knots, origin: name)
        let off = knots.map { ($0.corrected.translation - $0.recorded.translation).length }.sorted()
        (medianMetres, mostMetres) = (off[off.count / 2], off[off.count - 1])
    }

    private struct Pair {
        var time: Timestamp
        var recorded: Transform
        var listed: Transform
    }

    /// The poses of a list of ours, by the capture times that it tells.
    private static func pairs(
        _ list: PoseList,
        _ target: Target,
        of origin: PoseFileOrigin
    ) throws(Mismatch) -> [Pair] {
        guard origin.recording == "\(target.fingerprint)" else {
            throw Mismatch(
                description: "expected poses of this recording (\(target.fingerprint)),"
                    + " found those of another (\(origin.recording))"
            )
        }
        let pairs = pairs(list, target.frames, 0 &- origin.epochOffsetNanoseconds, isExact: true)
        guard pairs.count == list.entries.count else {
            throw Mismatch(
                description: "expected times of the recording's frames, found \(list.entries.count - pairs.count)"
                    + " of \(list.entries.count) others, as with another --fps"
            )
        }
        return pairs
    }

    /// The poses of any other list, by the clock with which most of them lie within the recording.
    private static func pairs(_ list: PoseList, _ target: Target) throws(Mismatch) -> (Clock, [Pair]) {
        var best: (clock: Clock, pairs: [Pair])?
        for clock in Clock.allCases {
            let offset: Int64
            switch clock {
            case .capture: offset = 0
            case .unix:
                guard let unixNanoseconds = target.unixNanoseconds else { continue }
                offset = 0 &- unixNanoseconds
            case .start: offset = target.frames[0].time.nanoseconds
            }
            let pairs = pairs(list, target.frames, offset)
            if pairs.count > best?.pairs.count ?? 0 { best = (clock, pairs) }
        }
        guard let best, best.pairs.count >= 2, 2 * best.pairs.count >= list.entries.count else {
            throw Mismatch(
                description:
                    "expected times of the recording (\(Clock.allCases.map(\.rawValue).joined(separator: ", "))),"
                    + " found \(best?.pairs.count ?? 0) of \(list.entries.count) poses within it"
            )
        }
        return best
    }

    /// The poses of the list with the recorded pose of the same time.
    ///
    /// - Parameter isExact: false to take a time between two frames, too.
    private static func pairs(
        _ list: PoseList,
        _ frames: [(time: Timestamp, worldFromCamera: Transform)],
        _ offset: Int64,
        isExact: Bool = false
    ) -> [Pair] {
        var next = 0
        return list.entries.compactMap { entry in
            let (nanoseconds, overflow) = entry.nanoseconds.addingReportingOverflow(offset)
            guard !overflow else { return nil }
            let time = Timestamp(nanoseconds: nanoseconds)
            while next < frames.count, frames[next].time < time { next += 1 }
            guard next < frames.count else { return nil }
            let after = frames[next]
            if after.time == time {
                return Pair(time: time, recorded: after.worldFromCamera, listed: entry.worldFromCamera)
            }
            guard next > 0, !isExact else { return nil }
            let before = frames[next - 1]
            let gap = after.time.seconds(since: before.time)
            guard gap > 0, gap <= longestGapSeconds else { return nil }
            let fraction = time.seconds(since: before.time) / gap
            let pose = before.worldFromCamera.interpolated(to: after.worldFromCamera, fraction: fraction)
            return Pair(time: time, recorded: pose, listed: entry.worldFromCamera)
        }
    }

    /// The axes of the list's world and camera, and its scale.
    private static func axes(
        _ pairs: [Pair]
    ) throws(Mismatch) -> (world: Transform, camera: Quaternion, scale: Double) {
        let (turns, lengths) = movements(pairs)
        guard turns.count >= 3 else {
            throw Mismatch(description: "expected poses that turn, to tell the axes of the camera, found none that do")
        }
        let cameraFromList = RigidAlignment.rotation(turns.map(\.listed), to: turns.map(\.recorded))
        let listFromCamera = snapped(cameraFromList.inverse)
        let off = turns.map { (listFromCamera.rotating($0.recorded) - $0.listed).length }.median() ?? 0
        guard off < 0.1 else {
            throw Mismatch(
                description: "expected poses of this recording, found turns that differ by"
                    + " \(Int((off * 180 / .pi).rounded())) degrees in the median"
            )
        }
        var scale = 1.0
        if let ratio = lengths.median() {
            guard ratio > 1e-3, ratio < 1e3 else {
                throw Mismatch(description: "expected a scale of 0.001 to 1000, found \(ratio)")
            }
            // Two in a hundred are drift, not another unit.
            if abs(ratio - 1) > 0.05 { scale = ratio }
        }
        let worlds = pairs.map {
            ($0.recorded.rotation * (listFromCamera.inverse * $0.listed.rotation.inverse)).normalized
        }
        guard let turn = mean(worlds) else { throw Mismatch(description: "expected rotations, found none") }
        let middles = pairs.reduce((Vector3.zero, Vector3.zero)) { sum, pair in
            (sum.0 + pair.recorded.translation, sum.1 + turn.rotating(pair.listed.translation * scale))
        }
        let shift = (middles.0 - middles.1) / Double(pairs.count)
        return (Transform(rotation: turn, translation: shift), listFromCamera, scale)
    }

    /// How both move over the same times: turns as rotation vectors in each camera's axes, and the ratio of lengths.
    private static func movements(
        _ pairs: [Pair]
    ) -> (turns: [(recorded: Vector3, listed: Vector3)], lengths: [Double]) {
        var turns: [(recorded: Vector3, listed: Vector3)] = []
        var lengths: [Double] = []
        var (turned, moved) = (pairs[0], pairs[0])
        for pair in pairs {
            let turn = turned.recorded.rotation.inverse * pair.recorded.rotation
            if turn.angleRadians >= leastTurnRadians {
                let listed = turned.listed.rotation.inverse * pair.listed.rotation
                turns.append((turn.rotationVector, listed.rotationVector))
                turned = pair
            }
            let length = (pair.recorded.translation - moved.recorded.translation).length
            if length >= leastStepMetres {
                let listed = (pair.listed.translation - moved.listed.translation).length
                if listed > 0 { lengths.append(length / listed) }
                moved = pair
            }
        }
        return (turns, lengths)
    }

    /// The nearest rotation whose axes are those of the camera, where it is within six degrees.
    private static func snapped(_ rotation: Quaternion) -> Quaternion {
        let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].flatMap { [$0, -1 * $0] }
        for x in axes {
            for y in axes where dot(x, y) == 0 {
                let whole = Quaternion(columns: x, y, cross(x, y))
                if (whole.inverse * rotation).angleRadians < 0.1 { return whole }
            }
        }
        return rotation
    }

    /// The mean of rotations (Markley and others 2007).
    private static func mean(_ rotations: [Quaternion]) -> Quaternion? {
        var rows = [[Double]](repeating: [0, 0, 0, 0], count: 4)
        for q in rotations {
            let v = [q.x, q.y, q.z, q.w]
            for i in 0..<4 { for j in 0..<4 { rows[i][j] += v[i] * v[j] } }
        }
        let vector = SymmetricMatrix.largestEigenvector(rows)
        guard vector.count == 4 else { return nil }
        return Quaternion(x: vector[0], y: vector[1], z: vector[2], w: vector[3]).normalized
    }
}
