import ArgumentParser
import Exports
import Maps
import Platform
import Recording
import Sessions

struct RefineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refine",
        abstract: "Correct the drift and the jumps of a session's poses where the walk returns.",
        discussion: """
            Steps stay as recorded; places that the depth shows again say how far the way is off. Poses that this does \
            not clearly better are left as they are.

            Examples:
              mapeverything refine room
              mapeverything refine room -o room_poses.txt
              mapeverything map room --poses room_poses.txt
            """
    )

    @Argument(help: "A session: folder, .zip or .tar.", completion: .file()) var session: String

    @Option(
        name: .shortAndLong,
        help: .value("path", "File to create: TUM text; - for standard output. Default: NAME_poses.txt."),
        completion: .file()
    )
    var output: String?

    @OptionGroup var force: ForceOptions
    @OptionGroup var workers: WorkerOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var recording: RecordingOptions
    @OptionGroup var reporting: ReportingOptions

    func run() async throws {
        let path = try DefaultOutput.path(output, of: session, "_poses.txt")
        _ = try NewFile(path, .trajectory, replaces: force.isGiven, inputs: [session])
        let jobs = try workers.count()
        var plan = ExportPlan(format: .tum)
        plan.epoch = try recording.policy()
        plan.zoneOffset = try recording.zoneOffset()
        plan.rule.keepsLimitedTracking = true
        plan.toolVersion = Tool.version
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.jobs = jobs
        let session = try recording.openAsRecorded(session)
        let refinement = try await PoseOptions.refinement(of: session, jobs: jobs, "refine", progress)
        let corrected = refinement.correction.map { RefinedSession(session, $0) }
        let folder = try OutputFolder.new(path, replacesFile: force.isGiven)
        do {
            let export = try SessionExport(corrected ?? session, plan)
            _ = try await export.run(into: folder, surface: { SurfaceMesh() }, progress: { _ in })
            try folder.show(file: SessionExport.fileName)
        } catch {
            folder.discard()
            throw OutputError.of(error)
        }
        try Report(refinement, from: session.summary, path: path).finish(reporting)
    }
}
