import Exports
import Recording

extension Report {
    /// The result of writing a LeRobot data set.
    init(_ report: LeRobotReport, path: String) {
        let (features, counts) = (report.features, report.counts)
        func sum(_ value: (LeRobotReport.Recording) -> Int) -> Int { report.recordings.reduce(0) { $0 + value($1) } }
        let milliseconds = Double(counts.largestErrorNanoseconds) / 1e6
        let barren = report.recordings.filter { $0.episodes == 0 }.map(\.name)
        let source = report.isMerged ? "data sets" : "recordings"
        var parts: [String] = []
        if let image = features.image { parts.append("images \(image.width)x\(image.height)") }
        if let depth = features.depth { parts.append("depth \(depth.width)x\(depth.height)") }
        if features.motionSamples > 0 { parts.append("\(features.motionSamples) IMU samples a step") }
        let steps = "\(report.steps) at \(features.framesPerSecond) a second"
        let error = "\(Format.number(milliseconds, decimals: 1)) ms from its frame at most"
        let facts = [
            Fact("data set", "\(path) (LeRobot v3.0)", "export", path), .json("format", "lerobot"),
            Fact("episodes", "\(counts.episodes) of \(report.recordings.count) \(source)", "episodes", counts.episodes),
            Fact("without one", barren.joined(separator: ", "), "without_episode", barren.count),
            Fact("steps", "\(steps), \(error)", "steps", report.steps),
            .json("frames_per_second", features.framesPerSecond), .json("largest_error_ms", milliseconds),
            Fact("content", parts.isEmpty ? "poses only" : parts.joined(separator: ", ")),
            .json("frames", sum(\.frames)),
            .count("left out", sum(\.passedOver), "frames between the steps", "passed_over"),
            .count("repeated", sum(\.repeated), "steps show a frame that another step shows too", "repeated_steps"),
            .count("left out", sum(\.incomplete), "frames without a picture, depth or IMU sample", "incomplete"),
            .count("left out", sum(\.lonely), "frames more than a second from the others", "lonely"),
            .count(
                "unusable",
                counts.unusableFrames,
                "frames whose picture or depth cannot be used",
                "unusable_frames"
            ),
            .count(
                "replaced",
                counts.replacedSteps,
                "steps show the frame before one that cannot be used",
                "replaced_steps"
            ),
            .count("missing", counts.lonelySteps, "steps would be an episode by themselves", "lonely_steps"),
            .count("missing", counts.missingSteps, "steps have no frame within a second", "missing_steps"),
            .count(
                "left out",
                counts.depthPixels.dropped,
                "of \(counts.depthPixels.known) depth pixels, by confidence, distance and edges",
                "depth_pixels_left_out"
            ),
            Fact.bytes("videos", report.videoBytes), .json("video_bytes", report.videoBytes),
            .json("recordings", each: report.recordings) {
                .of(["name": $0.name, "episodes": $0.episodes, "steps": $0.steps, "frames": $0.frames])
            },
        ]
        let isLossy =
            report.unusableCount > 0
            || counts.unusableFrames + counts.missingSteps + counts.lonelySteps + barren.count > 0
        self.init(facts, counts.diagnostics, limitedTracking: sum(\.limitedTracking), hasLosses: isLossy)
        say(report.leftOut.lines(found: report.recordings.count + report.leftOut.count))
        json("warnings", report.warnings)
        json("left_out", report.leftOut)
        say("next:\n  lerobot-dataset-viz --repo-id local/walks --root \(path) --episode-index 0")
    }
}
