import ArgumentParser
import HTMLReports
import Platform
import Text

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Make one HTML page of a session or a bag: verdict, map, pictures, and everything over time.",
        discussion: """
            The page needs no network and no other file. What it shows is also in it as JSON. Two inputs stand beside each other, \
            with the same scales.

            Examples:
              mapeverything report room
              mapeverything report room -o room.html --open
              mapeverything report room -o room.html --png room_pictures
              mapeverything report room room_bag -o both.html
            """
    )

    @Argument(
        help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap), or two of them to compare.",
        completion: .file()
    )
    var paths: [String]

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
    @OptionGroup var told: ReportOptions

    func run() async throws {
        guard paths.count <= 2, let path = paths.first else {
            throw UsageError("report", expected: "one input, or two to compare", found: "\(paths.count)")
        }
        if paths.count == 2, png != nil {
            throw UsageError("--png", expected: "one input", found: "two")
        }
        let kinds = try paths.map { try InputKind($0) }
        try refuseUnused(kinds)
        let points = try UsageError.count("--points", points, from: 0, to: 2_000_000)
        let output = try DefaultOutput.path(output, of: path, paths.count == 2 ? "_compared.html" : ".html")
        let file = try NewFile(output, .page, replaces: force.isGiven, inputs: paths)
        let opener = try open ? PageOpener() : nil
        var pages: [ReportPage] = []
        for (path, kind) in zip(paths, kinds) { pages.append(try await page(path, kind, points: points)) }
        // What is interrupted until here leaves nothing behind.
        var pictures = try png.map { try PictureFiles(creating: $0) }
        do {
            if let begun = pictures {
                pictures = try await Signals.cancelling { [pages] in
                    var written = begun
                    for page in pages { try written.write(page) }
                    return written
                }
            }
            let isPair = pages.count == 2
            try file.write(isPair ? ReportComparison(pages[0], pages[1]).bytes : pages.flatMap(\.bytes))
            try pictures?.show()
        } catch {
            pictures?.discard()
            throw error
        }
        var lines: [String] = []
        for (path, page) in zip(paths, pages) {
            lines.append("\(pages.count == 2 ? path : output): \(page.verdict.text)")
            lines += page.findings.prefix(10).map { "  \($0.text)" }
            if page.findings.count > 10 { lines.append("  and \(page.findings.count - 10) more in the page") }
        }
        if let pictures { lines.append(pictures.summary) }
        var report = Report()
        report.say(lines)
        report.json("page", output)
        let told = pages.map { page in
            (page.json.object?.members ?? []).filter { $0.key != "sections" }.map { ($0.key, $0.value) }
        }
        if told.count == 1 {
            report.members += told[0]
        } else {
            report.json("compared", told.map { JSONValue.object($0) })
        }
        try report.finish(self.told)
        try opener?.open(output)
    }

    private func page(_ path: String, _ kind: InputKind, points: Int) async throws -> ReportPage {
        switch kind {
        case .session:
            let jobs = try workers.count()
            let new = SessionPage(progress: progress, path: path, jobs: jobs, points: points)
            return try await new.page(of: recording.open(path, for: .page, jobs: jobs, "report", progress))
        case .bag:
            var maker = BagPage(progress: progress, path: path, messagePath: messagePath)
            (maker.unpackLimit, maker.points) = (try unpacking.limit(), points)
            return try await maker.page()
        }
    }

    /// Refuses options that mean something for none of the inputs.
    private func refuseUnused(_ kinds: [InputKind]) throws(UsageError) {
        var refusal: UsageError?
        for (path, kind) in zip(paths, kinds) {
            do throws(UsageError) {
                try OptionUse("report", kind, path).refuseUnused()
                return
            } catch { refusal = error }
        }
        if let refusal { throw refusal }
    }
}
