import ArgumentParser
import Bags
import Sessions
import SystemPackage
import Translation

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a session holds and what would be published from it, or what a bag holds.",
        discussion: """
            Examples:
              mapeverything inspect room
              mapeverything inspect room_bag --echo /mapping/pose -n 1
            """,
        aliases: ["info"]
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).", completion: .file()) var path:
        String

    @Flag(help: "Measure sizes by preparing every message, which takes as long as a bag. Default: estimate.")
    var exact = false

    @OptionGroup var progress: ProgressOptions
    @OptionGroup(title: "Bag input") var echo: EchoOptions
    @OptionGroup var unpacking: UnpackingOptions
    @OptionGroup(title: "Session input: what would be published") var publishing: PublishingOptions
    @OptionGroup(title: "Point clouds") var clouds: CloudOptions

    func run() async throws {
        let kind = try InputKind(path)
        try OptionUse("inspect", kind, path).refuseUnused()
        switch kind {
        case .bag: try inspectBag()
        case .session: try await inspectSession()
        }
    }

    private func inspectBag() throws {
        if echo.topic != nil, publishing.reporting.told.report != nil {
            throw UsageError("--report", expected: "no --echo beside it", found: "one")
        }
        // What is told here is what lies in the files: no copy of them is made for it.
        let tolerance = BagTolerance.everything.subtracting(.salvage)
        let reader = try BagReader(opening: FilePath(path), tolerating: tolerance, unpacking: unpacking.limit())
        try reader.refuseIfNothingOpens()
        if echo.topic != nil { return try echo.run(reader, json: publishing.reporting.told.json.isGiven) }
        let summary = try reader.summary(.headers, types: echo.messagePath.resolver())
        try Report(summary, path: path).finish(publishing.reporting)
    }

    private func inspectSession() async throws {
        let plan = try publishing.plan(clouds: clouds)
        let opened = try await publishing.recording.open(path, jobs: plan.jobs, "inspect", progress)
        let setup = try ReplaySetup(opened, plan: plan)
        if exact {
            return try await RunWithProgress(command: "inspect", stage: "preparing", progress: progress)
                .run(.session(setup), into: []).finish(publishing.reporting)
        }
        // Beside the walk: it compares a few frames, and takes as long.
        async let contradiction = opened.session.contradiction()
        var inspection = try await progress.run("inspect") { try await Inspection.run(setup, progress: $0) }
        if let problem = try await contradiction { inspection.diagnostics.record(problem) }
        try Report(setup, inspection).finish(publishing.reporting)
    }
}
