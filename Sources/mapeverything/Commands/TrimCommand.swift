import ArgumentParser
import Exports
import Platform
import Sessions
import Translation

struct TrimCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trim",
        abstract: "Write a part of a session, or some of its frames, as a session in the native layout.",
        discussion: """
            A session of any format becomes a native one. JPEGs are copied byte for byte.

            Examples:
              mapeverything trim room -o kitchen --start 20 --end 45
              mapeverything trim room -o room_app.zip --max-hz 5 --min-sharpness 80
              mapeverything trim scan.r3d -o scan_native
            """
    )

    @Argument(help: "A session (folder, .zip, .tar, .r3d), or a bag of one.", completion: .file()) var path: String

    @Option(
        name: .shortAndLong,
        help: .value("path", "Folder to create; a file where the name ends in .zip."),
        completion: .file()
    )
    var output: String

    @OptionGroup var force: ForceOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup(title: "Which frames") var selection: FrameOptions

    @Option(help: .value("hz", "Keep at most this many frames a second. Default: all.")) var maxHz: String?

    @Option(
        help: .rare("Leave out frames taken while the camera moved faster, in metres a second. Default: none.", "m/s")
    )
    var maxSpeed: Double?

    @Option(
        help: .rare(
            "Leave out frames taken while the camera turned faster, in degrees a second. Default: none.",
            "degrees/s"
        )
    )
    var maxTurn: Double?

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var reporting: ReportingOptions

    func run() async throws {
        let rule = try rule()
        let jobs = try workers.count()
        let request = selection.span.request
        let opened = try await selection.recording.open(path, for: .recording, jobs: jobs, "trim", progress)
        var trim = SessionTrim(opened)
        trim.rule = rule
        trim.span = try opened.times(request)
        trim.jobs = jobs
        let folder = try OutputFolder.new(output, replacing: force.isGiven ? .trimmed : nil)
        do {
            let trim = trim
            let report = try await progress.run("trim") { tell in try await trim.run(into: folder, progress: tell) }
            try Report(report, of: opened.summary, path: output).finish(reporting)
        } catch {
            throw OutputError.of(error)
        }
    }

    private func rule() throws -> FrameRule {
        var plan = try selection.rule()
        plan.framesPerSecond = try maxHz.map { try PublishingOptions.ceiling($0) }.flatMap { $0 == 0 ? nil : $0 }
        plan.maximumMetresPerSecond = try positive("--max-speed", maxSpeed, "metres a second")
        plan.maximumRadiansPerSecond = try positive("--max-turn", maxTurn, "degrees a second").map { $0 * .pi / 180 }
        return plan
    }

    private func positive(_ option: String, _ value: Double?, _ unit: String) throws(UsageError) -> Double? {
        guard let value else { return nil }
        try UsageError.require(value > 0 && value <= 1_000_000, option, "\(unit) above 0, at most 1000000", value)
        return value
    }
}
