import ArgumentParser
import Platform
import Replay
import Reports
import Sessions
import SystemPackage
import Text

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make one HTML page of a session or a bag: verdict, map, pictures, and everything over time.",
        discussion: """
            The page needs no network and no other file. What it shows is also in it as JSON.

            Examples:
              mapeverything report room
              mapeverything report room -o room.html --open
              mapeverything report room -o room.html --png room_pictures
              mapeverything report room_bag -o room_bag.html
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).", completion: .file()) var path:
        String

    @Option(
        name: .shortAndLong,
        help: .value("path", "HTML file to create. Default: NAME.html in the current folder."),
        completion: .file()
    )
    var output: String?

    @Option(
        help: .value(
            "folder",
            "Also write each picture by itself: a folder to create, with PNG files of at most 300 kB."
        ),
        completion: .directory
    )
    var png: String?

    @Flag(help: "Open the page in a browser.") var open = false

    static let standardPoints = 300_000

    @Option(help: .value("count", "Most points of the cloud that can be turned; 0 for none.")) var points =
        standardPoints

    @OptionGroup var recording: RecordingOptions
    @OptionGroup var workers: WorkerOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup(title: "Bag input") var messagePath: MessagePathOptions
    @OptionGroup var unpacking: UnpackingOptions
    @OptionGroup var force: ForceOptions

    func run() async throws {
        let kind = try InputKind(path)
        try OptionUse("report", kind, path).refuseUnused()
        let points = try UsageError.count("--points", points, from: 0, to: 2_000_000)
        let jobs = try workers.count()
        let output = try DefaultOutput.path(output, of: path, ".html")
        let file = try NewFile(output, .page, replaces: force.isGiven, inputs: [path])
        let opener = try open ? PageOpener() : nil
        var pictures = try png.map { try PictureFiles(creating: $0) }
        let page: ReportPage
        do {
            switch kind {
            case .session:
                let new = SessionPage(progress: progress, path: path, recording: recording, jobs: jobs, points: points)
                page = try await new.page()
            case .bag:
                var maker = BagPage(progress: progress, path: path, messagePath: messagePath)
                (maker.unpackLimit, maker.points) = (try unpacking.limit(), points)
                page = try await maker.page()
            }
            if let begun = pictures {
                pictures = try await Signals.cancelling {
                    var written = begun
                    try written.write(page)
                    return written
                }
            }
            try file.write(page.bytes)
            try pictures?.show()
        } catch {
            pictures?.discard()
            throw error
        }
        var lines = ["\(output): \(page.verdict.text)"]
        lines += page.findings.prefix(10).map { "  \($0.text)" }
        if page.findings.count > 10 { lines.append("  and \(page.findings.count - 10) more in the page") }
        if let pictures { lines.append(pictures.summary) }
        var report = Report()
        report.say(lines)
        try report.finish()
        try opener?.open(output)
    }
}
