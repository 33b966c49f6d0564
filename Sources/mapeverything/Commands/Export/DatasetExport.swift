import ArgumentParser
import Exports
import Platform
import Sessions
import SystemPackage
import Translation

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

    @Option(
        parsing: .singleValue,
        help: .rare(
            "lerobot: a recording below a folder that is not taken, by its path or name; may be given again.",
            "path"
        )
    )
    var leaveOut: [String] = []

    /// The recordings that are not to be taken.
    func leftOut(of inputs: [Recordings.Input]) throws(UsageError) -> Set<String> {
        var paths: Set<String> = []
        for name in leaveOut {
            let meant = inputs.map(\.path).filter { $0 == name || FilePath($0).lastComponent?.string == name }
            guard !meant.isEmpty else {
                let found = "none among \(inputs.map(\.path).someNames)"
                throw UsageError("--leave-out", expected: "the path or name of a recording", found: "\(name), \(found)")
            }
            paths.formUnion(meant)
        }
        return paths
    }
}

extension LeRobotPlan.Action: Choice {}

/// `export` to a data set, of one recording or of many.
extension ExportCommand {
    func exportDataset() async throws {
        let datasets = paths.filter { LeRobotReading.looksLikeDataset($0) }
        if datasets.count == paths.count { return try await merge(paths) }
        if let first = datasets.first {
            throw UsageError(
                "export",
                expected: "recordings, or data sets to merge",
                found: "both: \(first) is a data set"
            )
        }
        let found = Result { try Recordings.below(paths) }
        if (try? found.get())?.inputs.isEmpty != false {
            let datasets = paths.flatMap { LeRobotReading.datasets(below: $0) }
            if !datasets.isEmpty { return try await merge(datasets) }
        }
        var recordings = try found.get()
        try recordings.leaveOutUnknown()
        recordings.leaveOut(try learning.leftOut(of: recordings.inputs))
        let bags = recordings.leaveOutBags(besides: paths)
        for kind in [InputKind.session, .bag] {
            guard let input = recordings.inputs.first(where: { $0.kind == kind }) else { continue }
            try OptionUse("export", kind, input.path, to).refuseUnused()
        }
        try settleOutput(isOneFile: false)
        let plan = try lerobotPlan()
        // The rate of the steps says nothing of a recording that has no times.
        var recording = selection.recording
        recording.fps = nil
        var opened: [(path: String, recording: OpenedRecording)] = []
        for input in recordings.inputs {
            do {
                let jobs = try workers.count()
                let one = try await recording.open(input.path, for: .surface, jobs: jobs, "export", progress)
                opened.append((input.path, one))
            } catch {
                guard recordings.areMany, ErrorReport.isOfInput(error) else { throw error }
                recordings.leftOut.append(LeftOut(path: input.path, reason: "\(error)"))
            }
        }
        do {
            try await write { [opened, leftOut = recordings.leftOut] folder, tell in
                tell(WorkProgress("reading", 0, of: 1, .steps))
                guard !opened.isEmpty else {
                    throw LeRobotError.noEpisode(reasons: leftOut.map(\.description).someNames)
                }
                let export = try LeRobotExport(opened, plan)
                if !export.warnings.isEmpty { Terminal.printError(Format.warnings(export.warnings)) }
                var report = try await export.run(into: folder, progress: tell)
                report.unusableCount = leftOut.count + export.leftOut.count
                report.leftOut = leftOut + export.leftOut + bags
                return report
            }
        } catch let error as CancellationError {
            guard opened.count > 1 else { throw error }
            let names = paths.joined(separator: " ")
            Terminal.printError(
                """
                Nothing was kept. What goes on after an interrupt is a data set of each, and then one of all:
                  mapeverything batch plan \(names) --to export:lerobot -o plan.jsonl -- --fps 10
                  mapeverything batch run plan.jsonl -o parts
                  mapeverything export parts --to lerobot -o \(output)
                """
            )
            throw error
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
    private func merge(_ datasets: [String]) async throws {
        let given = GivenOptions.onCommandLine.others(
            than: "--to --format --output -o --progress --quiet -q --verbose -v --json --report --strict"
        )
        guard given.isEmpty else {
            let found = "data sets, which are merged as they are"
            throw UsageError(given.joined(separator: ", "), expected: "recordings", found: found)
        }
        try settleOutput(isOneFile: false)
        try await write { folder, tell in
            try LeRobotMerge(datasets).run(into: folder, version: Tool.version, progress: tell)
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
        plan.span = selection.span.request
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        return plan
    }
}
