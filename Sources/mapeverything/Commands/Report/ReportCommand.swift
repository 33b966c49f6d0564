import ArgumentParser
import Drawing
import Files
import JSONText
import Replay
import Reports
import Sessions
import SystemPackage

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make one HTML page of a session: verdict, map, pictures, and everything over time.",
        discussion: """
            The page needs no network and no other file. What it shows is also in it as JSON.

            Examples:
              mapeverything report room -o room.html
              mapeverything report room -o room.html --pictures room_pictures
            """
    )

    @Argument(help: "A session (folder, .zip or .tar).")
    var path: String

    @Option(name: .shortAndLong, help: "HTML file to create.")
    var output: String

    @Option(help: "Also write each picture by itself: a folder to create, with SVG and PNG files.")
    var pictures: String?

    @Option(help: "Most points of the cloud that can be turned; 0 for none.")
    var points = 300_000

    @OptionGroup
    var clock: ClockOptions

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: "Number of worker threads. Default: one for each core, at most 16."
    )
    var jobs: Int?

    @Flag(help: "Replace an existing file.")
    var force = false

    func run() async throws {
        guard case .session = try InputKind(path) else {
            throw UsageError("report", expected: "a session", found: "a bag (\(path)): inspect and check look at bags")
        }
        let points = try UsageError.count("--points", points, from: 0, to: 2_000_000)
        let jobs = try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
        let file = try NewFile(output, replaces: force)
        let folder = try pictures.map { try OutputFolder(creating: FilePath($0)) }
        let page: ReportPage
        do {
            page = try await self.page(points: points, jobs: jobs)
            for figure in page.sections.flatMap(\.figures) {
                if let (name, bytes) = figure.file { try folder.map { try OutputFile.write(bytes, to: $0.file(name)) } }
            }
            try folder?.show()
        } catch {
            folder?.discard()
            throw error
        }
        try file.write(page.bytes)
        Terminal.print(summary(page))
    }

    private func page(points: Int, jobs: Int) async throws -> ReportPage {
        let session = try SessionFormats.open(path: path)
        let anchor = EpochAnchor.resolve(
            try clock.policy(),
            summary: session.summary,
            zoneOffset: try clock.zoneOffset(),
            nowNanoseconds: WallClock.nowNanoseconds()
        )
        var report = SessionReport(anchor: anchor)
        (report.points, report.jobs, report.toolVersion) = (points, jobs, Tool.version)
        let path = path
        // All images take longer than everything else.
        let step = max(1, session.summary.frameCount / 100)
        let made = try await Signals.cancelling { [report] in
            let check = try await SessionCheck(path: path, jobs: jobs, imageStep: step).run()
            return try await report.page(of: session, check: check, imageStep: step) { share in
                if Terminal.isErrorInteractive { Terminal.showProgress(Format.percent(share)) }
            }
        }
        if Terminal.isErrorInteractive { Terminal.showProgress("") }
        return made
    }

    private func summary(_ page: ReportPage) -> String {
        var lines = ["\(output): \(page.verdict.text)"]
        lines += page.findings.prefix(10).map { "  \($0.text)" }
        if page.findings.count > 10 { lines.append("  and \(page.findings.count - 10) more in the page") }
        return lines.joined(separator: "\n")
    }
}
