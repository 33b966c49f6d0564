import ArgumentParser
import Bags
import JSONText
import Replay
import Sessions
import SystemPackage

struct InspectCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Show what a session holds and what would be published from it, or what a bag holds.",
        discussion: """
            Examples:
              mapeverything inspect room
              mapeverything inspect room_bag --echo /mapping/pose -n 1
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @Flag(help: "Print the report as JSON.")
    var json = false

    @Flag(
        help: "Measure exact sizes by preparing every message, which takes as long as writing a bag. Default: estimate."
    )
    var exact = false

    @OptionGroup
    var progress: ProgressOptions

    @OptionGroup(title: "Bag input")
    var echo: EchoOptions

    @OptionGroup
    var unpacking: UnpackingOptions

    @OptionGroup(title: "Session input: what would be published")
    var publishing: PublishingOptions

    @OptionGroup(title: "Point clouds (advanced)")
    var clouds: CloudOptions

    func run() async throws {
        switch try InputKind(path) {
        case .bag: try inspectBag()
        case .session: try await inspectSession()
        }
    }

    private func inspectBag() throws {
        let exact = GivenOptions(expected: "a session to prepare", [("--exact", self.exact)])
        try InputKind.bag.refuse(publishing.forSessions + clouds.forSessions + publishing.forPublishing + exact, path)
        if echo.topic == nil { try InputKind.bag.refuse(echo.forEcho, path) }
        if echo.topic != nil, publishing.reporting.report != nil {
            throw UsageError("--report", expected: "no --echo beside it", found: "one")
        }
        // What is told here is what lies in the files: no copy of them is made for it.
        let tolerance = BagTolerance.everything.subtracting(.salvage)
        let reader = try BagReader(opening: FilePath(path), tolerating: tolerance, unpacking: unpacking.limit())
        try reader.refuseNothing()
        if echo.topic != nil { return try echo.run(reader, json: json) }
        let report = BagInspectionReport(
            path: path,
            summary: try reader.summary(.headers, types: echo.messagePath.resolver())
        )
        Terminal.print(json ? report.json.text(style: .pretty) : report.text)
        try ReportFile.write(report.json, to: publishing.reporting.report)
    }

    private func inspectSession() async throws {
        try InputKind.session.refuse(echo.forBags + unpacking.forBags, path)
        let session = try SessionFormats.openExamined(path: path, options: publishing.recording.opening())
        let setup = try ReplaySetup(session: session, plan: publishing.plan(clouds: clouds))
        if exact {
            let report = try await RunWithProgress(command: "inspect", stage: "preparing", progress: progress)
                .run(setup, into: [])
            return try Outcome(.session(setup, report))
                .finish(json: json, reporting: publishing.reporting)
        }
        var inspection = try await progress.run("inspect") { try await Inspection.run(setup, progress: $0) }
        if let problem = try session.contradiction() { inspection.diagnostics.record(problem) }
        let report = InspectionReport(setup: setup, inspection: inspection)
        Terminal.print(json ? report.json.text(style: .pretty) : report.text)
        try ReportFile.write(report.json, to: publishing.reporting.report)
        let isLossy = report.inspection.diagnostics.lostCount > 0 || !setup.warnings.isEmpty
        if publishing.reporting.strict, isLossy { throw ExitStatus.lossy }
    }
}
