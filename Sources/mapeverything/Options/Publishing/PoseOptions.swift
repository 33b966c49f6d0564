import ArgumentParser
import Exports
import Maps
import Recording
import Sessions
import SystemPackage
import Translation

/// Which poses the frames of a session have.
struct PoseOptions: ParsableArguments {
    @Flag(help: .rare("Correct drift and jumps of the poses where the walk returns, as mapeverything refine does."))
    var refine = false

    @Option(
        help: .rare("Take the poses of this file: TUM text, of mapeverything refine or of another odometry.", "file"),
        completion: .file()
    )
    var poses: String?

    /// The option by which other poses than the recorded ones are asked for; nil for none.
    var given: String? { refine ? "--refine" : poses == nil ? nil : "--poses" }

    /// The recording with the poses that are asked for.
    ///
    /// What became of them is a line on standard error.
    func applied(
        to recording: OpenedRecording,
        jobs: Int,
        _ command: String,
        _ progress: ProgressOptions
    ) async throws -> OpenedRecording {
        try UsageError.require(!refine || poses == nil, "--poses", "no --refine beside it", "one")
        let session = recording.session
        if refine {
            let refinement = try await Self.refinement(of: session, jobs: jobs, command, progress)
            Self.tell("poses: " + refinement.line)
            return refinement.correction.map { recording.with(RefinedSession(session, $0)) } ?? recording
        }
        guard let poses else { return recording }
        let match = try Self.match(poses, recording)
        var correction = match.correction
        let comparison = try await progress.run(command) { _ in try PoseComparison(session, match.correction) }
        if let comparison {
            guard !comparison.isWorse else {
                throw InputError(
                    path: poses,
                    problem: "expected poses that fit the depth, found: \(comparison.text)"
                )
            }
            correction.surfaceMetres = (comparison.recordedMetres, comparison.correctedMetres)
        }
        let compared = comparison?.text ?? "not compared with depth, as too few views see the same"
        Self.tell("poses: \(match.text); \(compared)")
        return recording.with(RefinedSession(session, correction))
    }

    private static func match(_ path: String, _ recording: OpenedRecording) throws -> PoseMatch {
        let list = try PoseList(path: path)
        let clock = recording.clock
        let target = try PoseMatch.Target(
            recording.session,
            unixNanoseconds: clock.source.isKnown ? clock.offsetNanoseconds : nil
        )
        // What we write ourselves says its axes.
        let axes = list.origin.map {
            PoseMatch.Axes(
                worldFromListWorld: $0.axes == ExportWorld.map.rawValue
                    ? Coordinates.mapFromWorld.inverse : .identity,
                listCameraFromCamera: Coordinates.opticalFromCamera
            )
        }
        do throws(PoseMatch.Mismatch) {
            return try PoseMatch(list, onto: target, axes: axes, name: FilePath(path).lastComponent?.string ?? path)
        } catch {
            throw InputError(path: path, problem: error.description)
        }
    }

    static func refinement(
        of session: any Session,
        _ landmarks: Landmarks? = nil,
        jobs: Int,
        _ command: String,
        _ progress: ProgressOptions
    ) async throws -> PoseRefinement {
        try await progress.run(command) { tell in
            var refiner = SessionRefiner()
            (refiner.jobs, refiner.landmarks) = (jobs, landmarks)
            return try await refiner.refine(session, span: session.summary.span, progress: tell)
        }
    }

    private static func tell(_ line: String) {
        if !GivenOptions.isQuiet { Terminal.printError(line) }
    }
}

extension PoseMatch {
    var text: String {
        let scaled = scale == 1 ? "" : ", metres of theirs \(Format.number(scale, decimals: 4)) long"
        let off =
            "\(Format.metres(medianMetres)) from the recorded ones in the median, \(Format.metres(mostMetres)) at most"
        return "\(matchedCount) poses by \(clock.rawValue)\(scaled), \(off)"
    }
}
