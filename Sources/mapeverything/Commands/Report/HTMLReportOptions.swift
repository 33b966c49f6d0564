import ArgumentParser
import Drawing

/// A page beside what a command does.
struct HTMLReportOptions: ParsableArguments {
    @Option(help: "Also write an HTML page about it, as mapeverything report does. Default: none.")
    var htmlReport: String?

    /// The place for the page, which is refused before the work that it is about; nil where none is wanted.
    func file(replaces: Bool, inputs: [String]) throws -> NewFile? {
        try htmlReport.map { try NewFile($0, .page, replaces: replaces, inputs: inputs) }
    }
}

extension NewFile {
    /// Writes the page of a session that was published.
    func write(
        _ session: String,
        _ publishing: PublishingOptions,
        _ progress: ProgressOptions,
        of command: String
    ) async throws {
        let page = SessionPage(
            command: command,
            progress: progress,
            path: session,
            recording: publishing.recording,
            jobs: try publishing.workers.count(),
            points: ReportCommand.standardPoints
        )
        try write(await page.page().bytes)
    }

    /// Writes the page of a bag that was read or written.
    func write(
        bag: String,
        _ messagePath: MessagePathOptions,
        _ progress: ProgressOptions,
        of command: String
    ) async throws {
        let page = BagPage(
            command: command,
            progress: progress,
            path: bag,
            messagePath: messagePath,
            unpacking: try UnpackingOptions.parse([]),
            points: ReportCommand.standardPoints
        )
        try write(await page.page().bytes)
    }
}
