import Recording
package import Sessions
import Translation

/// Makes the steps of episodes of the frames that stand for them, in their order.
///
/// Poses are those of the body (x forward, y left, z up) in a frame of the episode's own: its origin is where the first step
/// is, z is up by gravity, and x is where the first step looks, level.
final class EpisodeBuilder {
    private let dataset: LeRobotDataset
    private let features: LeRobotFeatures
    private let anchor: EpochAnchor
    private var episodeFromMap = Transform.identity
    private var start: Timestamp?
    /// How many steps of the grid have passed since ``start``.
    private var stepsSinceStart = 0
    /// The last step, which waits for the pose of the next one.
    private var waiting: (step: EpisodeStep, pose: Transform)?
    private var latest: EpisodeFrame?
    private(set) var report = EpisodeCounts()

    init(_ dataset: LeRobotDataset, _ features: LeRobotFeatures, _ anchor: EpochAnchor) {
        (self.dataset, self.features, self.anchor) = (dataset, features, anchor)
    }

    func add(_ prepared: EpisodeFrame) throws {
        report.diagnostics.append(prepared.diagnostics)
        report.depthPixels.append(prepared.depthPixels)
        if prepared.beginsEpisode {
            try endEpisode()
            (start, stepsSinceStart) = (prepared.frame.time, 0)
        }
        if !prepared.isUsable { report.unusableFrames += 1 }
        for _ in 0..<prepared.steps { try addStep(prepared) }
    }

    /// What stands in place of a frame that cannot be used: the one before it, where that is not too old.
    private func addStep(_ prepared: EpisodeFrame) throws {
        guard let start else { return }
        let rate = features.framesPerSecond
        let time = start.advanced(
            byNanoseconds: EpisodeGrid.nanoseconds(ofStep: stepsSinceStart, framesPerSecond: rate)
        )
        stepsSinceStart += 1
        let frame = prepared.isUsable ? prepared : latest
        guard let frame, abs(time.seconds(since: frame.frame.time)) <= EpisodeGrid.largestGapSeconds else {
            report.missingSteps += 1
            return try endEpisode()
        }
        if !prepared.isUsable { report.replacedSteps += 1 }
        let error = abs(time.nanoseconds - frame.frame.time.nanoseconds)
        report.largestErrorNanoseconds = max(report.largestErrorNanoseconds, error)
        latest = frame
        try add(frame.frame, of: frame)
    }

    private func add(_ frame: FrameReference, of prepared: EpisodeFrame) throws {
        let mapFromBase = Coordinates.mapFromBase(frame.worldFromCamera, policy: .ros)
        if waiting == nil { episodeFromMap = Self.level(mapFromBase).inverse }
        var pose = episodeFromMap * mapFromBase
        pose.rotation = pose.rotation.normalized
        // Of the two quaternions of a rotation the one that is nearer to the last.
        let last = waiting?.pose.rotation ?? .identity
        let q = pose.rotation
        if q.x * last.x + q.y * last.y + q.z * last.z + q.w * last.w < 0 {
            pose.rotation = Quaternion(x: -q.x, y: -q.y, z: -q.z, w: -q.w)
        }
        try pass(to: pose)
        var step = EpisodeStep(prepared)
        step.captureTimeSeconds = Double(anchor.stamp(frame.time)) / 1e9
        step.state = Self.values(pose)
        waiting = (step, pose)
    }

    /// Writes the step that waits, whose action leads to a pose.
    private func pass(to next: Transform) throws {
        guard let waiting else { return }
        let pose = waiting.pose
        var step = waiting.step
        switch features.action {
        case .relative:
            let motion = pose.inverse * next
            let (t, r) = (motion.translation, motion.rotation.rotationVector)
            step.action = [t.x, t.y, t.z, r.x, r.y, r.z].map { Float($0) }
        case .absolute: step.action = Self.values(next)
        case .none: break
        }
        try dataset.append(step)
    }

    /// The last step stays where it is.
    func endEpisode() throws {
        defer { (waiting, latest) = (nil, nil) }
        guard let waiting else { return }
        guard dataset.isInEpisode else {
            // An episode of one step has no action.
            report.lonelySteps += 1
            return
        }
        try pass(to: waiting.pose)
        try dataset.endEpisode()
        report.episodes += 1
    }

    private static func values(_ pose: Transform) -> [Float] {
        let (t, q) = (pose.translation, pose.rotation)
        return [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map { Float($0) }
    }

    /// The place of a body, with z up, and x along its heading; of a body that looks up or down, along that of its top.
    private static func level(_ mapFromBase: Transform) -> Transform {
        let (forward, _, up) = mapFromBase.rotation.columns
        let isSteep = Vector3(forward.x, forward.y, 0).length < 0.2
        let heading = isSteep ? up * (forward.z < 0 ? 1 : -1) : forward
        let yaw = arcTangent(heading.y, heading.x)
        return Transform(
            rotation: Quaternion(angleRadians: yaw, axis: Vector3(0, 0, 1)),
            translation: mapFromBase.translation
        )
    }
}

/// The results of making episodes.
package struct EpisodeCounts: Sendable {
    package var episodes = 0
    /// Frames that were chosen, and whose picture or depth cannot be used.
    package var unusableFrames = 0
    /// Steps that show the frame before for that.
    package var replacedSteps = 0
    /// Steps that are missing, as there was no frame within a second.
    package var missingSteps = 0
    /// Steps that would have been an episode by themselves.
    package var lonelySteps = 0
    package var largestErrorNanoseconds: Int64 = 0
    package var depthPixels = DepthPixelCounts()
    package var diagnostics = Diagnostics()

    mutating func append(_ other: EpisodeCounts) {
        episodes += other.episodes
        unusableFrames += other.unusableFrames
        replacedSteps += other.replacedSteps
        missingSteps += other.missingSteps
        lonelySteps += other.lonelySteps
        largestErrorNanoseconds = max(largestErrorNanoseconds, other.largestErrorNanoseconds)
        depthPixels.append(other.depthPixels)
        diagnostics.append(other.diagnostics)
    }
}

/// One step of an episode.
struct EpisodeStep {
    var state: [Float] = []
    var action: [Float] = []
    var captureTimeSeconds = 0.0
    let frame: EpisodeFrame

    init(_ frame: EpisodeFrame) { self.frame = frame }

    /// The values of a row in the order of ``LeRobotFeatures/columns``.
    func values(_ features: LeRobotFeatures) -> [[Float]] {
        func values(_ camera: CameraIntrinsics) -> [Float] {
            [camera.fx, camera.fy, camera.cx, camera.cy].map { Float($0) }
        }
        return [state] + (features.action == .none ? [] : [action]) + (features.motionSamples > 0 ? [frame.motion] : [])
            + (features.image == nil ? [] : [values(frame.camera)])
            + (features.depth == nil ? [] : [values(frame.depthCamera)])
    }
}
