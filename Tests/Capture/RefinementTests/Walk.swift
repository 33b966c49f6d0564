import Foundation
import Maps
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport

/// A drifted sample, its recorded poses and the true ones.
final class Walk {
    let directory: TemporaryDirectory
    let session: any Session
    let frames: [FrameReference]
    let truth: [Transform]

    static func options(_ walk: SampleWalk, seconds: Double, drift: Double, seed: UInt64 = 1) -> SampleOptions {
        var options = SampleOptions()
        (options.walk, options.durationSeconds, options.seed) = (walk, seconds, seed)
        options.drift = .percent(drift)
        (options.framesPerSecond, options.imuRateHertz, options.hasNoise) = (10, 0, true)
        options.imageSize = GridSize(width: 64, height: 48)
        options.jobs = 2
        return options
    }

    /// - Parameter depthScale: What all depths are multiplied by, as those of a LiDAR that is wrong as a whole.
    static func sample(_ options: SampleOptions, depthScale: Float = 1) async throws -> Walk {
        let directory = try TemporaryDirectory()
        try await SyntheticSession.write(to: directory.appending("walk"), options: options)
        if depthScale != 1 { try scale(directory.appending("walk/depth").string, depthScale) }
        return try Walk(directory, options)
    }

    private static func scale(_ folder: String, _ factor: Float) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let place = URL(fileURLWithPath: "\(folder)/\(name)")
            let depths = try Data(contentsOf: place).withUnsafeBytes { bytes in
                bytes.bindMemory(to: Float.self).map { $0 * factor }
            }
            try depths.withUnsafeBytes { Data($0) }.write(to: place)
        }
    }

    init(_ directory: TemporaryDirectory, _ options: SampleOptions) throws {
        self.directory = directory
        session = try SessionFormats.open(path: directory.appending("walk").string)
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), .everything)
        var frames: [FrameReference] = []
        while let walked = try walk.nextFrame(takesPicture: false) { frames.append(walked.frame) }
        self.frames = frames
        let trajectory = SyntheticSession.trajectory(options)
        truth = frames.map { trajectory.worldFromCamera(atSeconds: Double($0.index) / options.framesPerSecond) }
    }

    func refined(jobs: Int = 2) async throws -> PoseRefinement {
        var refiner = SessionRefiner()
        refiner.jobs = jobs
        return try await refiner.refine(session, span: session.summary.firstTime...session.summary.lastTime)
    }

    /// The error of poses as recorded, and with a correction: root mean square over the places, best aligned, in metres.
    func errors(_ correction: PoseCorrection?) -> (recorded: Double, refined: Double) {
        let recorded = frames.map(\.worldFromCamera.translation)
        let refined = frames.map { frame in
            correction.map { $0.corrected(frame.worldFromCamera, at: frame.time).translation }
                ?? frame.worldFromCamera.translation
        }
        let true_ = truth.map(\.translation)
        return (Self.trajectoryError(recorded, true_), Self.trajectoryError(refined, true_))
    }

    /// The ATE after the best rotation about the vertical and translation, in closed form: samples are level.
    static func trajectoryError(_ found: [Vector3], _ expected: [Vector3]) -> Double {
        let count = Double(found.count)
        let (a, b) = (found.reduce(.zero, +) / count, expected.reduce(.zero, +) / count)
        var (along, across) = (0.0, 0.0)
        for (f, e) in zip(found, expected) {
            let (p, q) = (f - a, e - b)
            along += p.x * q.x + p.z * q.z
            across += p.z * q.x - p.x * q.z
        }
        let turn = Quaternion(angleRadians: arcTangent(across, along), axis: Vector3(0, 1, 0))
        let squares = zip(found, expected).reduce(0.0) { sum, pair in
            let off = turn.rotating(pair.0 - a) - (pair.1 - b)
            return sum + dot(off, off)
        }
        return (squares / count).squareRoot()
    }
}
