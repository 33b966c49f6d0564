import ArgumentParser
import Maps
import Platform
import Recording
import Replay
import Sessions
import SystemPackage

/// Which poses the frames of a session have.
struct PoseOptions: ParsableArguments {
    @Flag(help: .rare("Correct drift and jumps of the poses where the walk returns, as mapeverything refine does."))
    var refine = false

    @Option(
        help: .rare("Take the poses of this file: TUM text, of mapeverything refine or of another odometry.", "file"),
        completion: .file()
    )
    var poses: String?

    /// The session with the poses that are asked for.
    ///
    /// What became of them is a line on standard error.
    ///
    /// - Parameter clock: tells when the session was recorded; `nil` for what the session says.
    func applied(
        to session: any Session,
        clock: ((any Session) -> EpochAnchor)? = nil,
        jobs: Int,
        _ command: String,
        _ progress: ProgressOptions
    ) async throws -> any Session {
        try UsageError.require(!refine || poses == nil, "--poses", "no --refine beside it", "one")
        if refine {
            let refinement = try await Self.refinement(of: session, jobs: jobs, command, progress)
            Self.tell("poses: " + refinement.line)
            return refinement.correction.map { RefinedSession(session, $0) } ?? session
        }
        guard let poses else { return session }
        let match = try Self.match(try PoseList(path: poses), poses, session, clock?(session) ?? Self.anchor(session))
        if let comparison = try await progress.run(command, { _ in try PoseComparison(session, match.correction) }) {
            guard !comparison.isWorse else {
                throw PoseFileError(
                    path: poses,
                    problem: "expected poses that fit the depth, found: \(comparison.text)"
                )
            }
            Self.tell("poses: \(match.text); \(comparison.text)")
            var correction = match.correction
            correction.surfaceMetres = (comparison.recordedMetres, comparison.correctedMetres)
            return RefinedSession(session, correction)
        }
        Self.tell("poses: \(match.text); not compared with depth, as too few views see the same")
        return RefinedSession(session, match.correction)
    }

    private static func anchor(_ session: any Session) -> EpochAnchor {
        EpochAnchor.resolve(
            .automatic,
            summary: session.summary,
            zoneOffset: { _ in nil },
            nowNanoseconds: WallClock.nowNanoseconds()
        )
    }

    private static func match(
        _ list: PoseList,
        _ path: String,
        _ session: any Session,
        _ anchor: EpochAnchor
    ) throws -> PoseMatch {
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), .everything)
        var frames: [(time: Timestamp, worldFromCamera: Transform)] = []
        while let walked = try walk.nextFrame(takesPicture: false) {
            frames.append((walked.frame.time, walked.frame.worldFromCamera))
        }
        // What we write ourselves says its axes.
        let isOwn = list.heading.hasPrefix("# mapeverything ") && list.heading.hasSuffix(", map axes")
        let axes = PoseMatch.Axes(
            worldFromListWorld: Coordinates.mapFromWorld.inverse,
            listCameraFromCamera: Coordinates.opticalFromCamera
        )
        do throws(PoseMatch.Mismatch) {
            return try PoseMatch(
                list,
                onto: frames,
                unixNanoseconds: anchor.offsetNanoseconds,
                axes: isOwn ? axes : nil,
                origin: FilePath(path).lastComponent?.string ?? path
            )
        } catch {
            throw PoseFileError(path: path, problem: error.description)
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

/// A file of poses that does not fit the recording.
struct PoseFileError: Error, CustomStringConvertible {
    var path: String
    var problem: String

    var description: String { "\(path): \(problem)" }
}

extension PoseMatch {
    var text: String {
        let scaled = scale == 1 ? "" : ", metres of theirs \(Format.number(scale, decimals: 4)) long"
        let off =
            "\(Format.metres(medianMetres)) from the recorded ones in the median, \(Format.metres(mostMetres)) at most"
        return "\(matchedCount) poses by \(clock.rawValue)\(scaled), \(off)"
    }
}
