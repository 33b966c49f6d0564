import ArgumentParser
import Exports
import Platform
import Replay
import Sessions
import SystemPackage

/// How recordings become a data set for learning.
struct LearningOptions: ParsableArguments {
    @Option(help: .rare("lerobot: the task of all episodes. Default: \"\(LeRobotPlan.usualTask)\"", "text"))
    var task: String?

    @Option(
        help: .rare(
            "lerobot: content of action: relative (metres and rotation vector to the next step), absolute (its pose) or none. Default: relative.",
            "content"
        )
    )
    var action: LeRobotPlan.Action?

    @Flag(help: .rare("lerobot: leave depth out, which takes an ffmpeg with libx265 for 12 bits."))
    var noDepthVideo = false
}

extension LeRobotPlan.Action: ExpressibleByArgument {}

/// `export` to a data set, of one recording or of many.
extension ExportCommand {
    func exportDataset() async throws {
        let datasets = paths.filter { LeRobotReading.looksLikeDataset($0) }
        if datasets.count == paths.count { return try await merge() }
        if let first = datasets.first {
            throw UsageError(
                "export",
                expected: "recordings, or data sets to merge",
                found: "both: \(first) is a data set"
            )
        }
        for path in paths { try OptionUse("export", InputKind(path), path, to).refuseUnused() }
        try settleOutput(isOneFile: false)
        let plan = try lerobotPlan()
        // The rate of the steps says nothing of a recording that has no times.
        var recording = selection.recording
        recording.fps = nil
        var recordings: [OpenedRecording] = []
        for path in paths {
            let jobs = try workers.count()
            recordings.append(try await recording.open(path, for: .surface, jobs: jobs, "export", progress))
        }
        try await write { [recordings] folder, tell in
            tell(WorkProgress("reading", 0, of: 1, .steps))
            return try await LeRobotExport(recordings, plan).run(into: folder, progress: tell)
        }
    }

    /// Fills a new folder with a data set, and reports it.
    private func write(
        _ body: @escaping @Sendable (OutputFolder, @escaping ProgressHandler) async throws -> LeRobotReport
    ) async throws {
        let folder = try makeFolder(isFile: false)
        do {
            let report = try await progress.run("export") { tell in try await body(folder, tell) }
            try folder.show()
            try Report(report, path: output).finish(reporting)
        } catch {
            folder.discard()
            throw OutputError.of(error)
        }
    }

    /// Several data sets as one.
    private func merge() async throws {
        let given = GivenOptions.onCommandLine.others(
            than: "--to --format --output -o --progress --quiet -q --verbose -v --json --report --strict"
        )
        guard given.isEmpty else {
            let found = "data sets, which are merged as they are"
            throw UsageError(given.joined(separator: ", "), expected: "recordings", found: found)
        }
        try settleOutput(isOneFile: false)
        try await write { [paths] folder, tell in
            try LeRobotMerge(paths).run(into: folder, version: Tool.version, progress: tell)
        }
    }

    private func lerobotPlan() throws -> LeRobotPlan {
        var plan = LeRobotPlan()
        if let task = learning.task {
            try UsageError.require(!task.isEmpty && task.utf8.count <= 1000, "--task", "1 to 1000 bytes of text", task)
            plan.task = task
        }
        if let fps = selection.recording.fps {
            let isWhole = fps == fps.rounded() && (1...240).contains(fps)
            try UsageError.require(isWhole, "--fps", "a whole number from 1 to 240 for lerobot", fps)
            plan.framesPerSecond = Int(fps)
        }
        plan.action = learning.action ?? .relative
        plan.leavesOutDepth = learning.noDepthVideo
        switch form.size {
        case .sensor: plan.imageSize = nil
        case .pixels(let size): plan.imageSize = size
        case nil: break
        }
        try pixels.apply(to: &plan.depth)
        plan.keepsLimitedTracking = selection.keepLimitedTracking
        plan.span = try selection.span.request()
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        return plan
    }
}
