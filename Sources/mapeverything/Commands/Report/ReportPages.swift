import ArgumentParser
import BagTools
import Bags
import HTMLReports
import Platform
import Playback
import Sessions
import SystemPackage
import Translation

/// A page beside what a command does.
struct HTMLReportOptions: ParsableArguments {
    @Option(
        help: .rare("Also write an HTML page about it, as mapeverything report does. Default: none.", "file"),
        completion: .file()
    )
    var htmlReport: String?

    /// The place for the page, which is refused before the work that it is about; nil where none is wanted.
    func file(replaces: Bool, inputs: [String]) throws -> NewFile? {
        try htmlReport.map { try NewFile($0, .page, replaces: replaces, inputs: inputs) }
    }
}

extension NewFile {
    /// Of what a page is about, on disk.
    fileprivate static func byteCount(of path: String) -> Int {
        if case .file(let count) = FileEntry(at: path) { return count }
        return FileTree.byteCount(FilePath(path))
    }

    /// Writes the page of a session that was published, as it was opened for that.
    func write(
        _ recording: OpenedRecording,
        at path: String,
        _ publishing: PublishingOptions,
        _ progress: ProgressOptions,
        of command: String
    ) async throws {
        let jobs = try publishing.workers.count()
        let page = SessionPage(command: command, progress: progress, path: path, jobs: jobs)
        try write(await page.page(of: recording).bytes)
    }

    /// Writes the page of a bag that was read or written.
    func write(
        bag: String,
        _ messagePath: MessagePathOptions,
        _ progress: ProgressOptions,
        of command: String
    ) async throws {
        let page = BagPage(command: command, progress: progress, path: bag, messagePath: messagePath)
        try write(await page.page().bytes)
    }
}

/// The page of a bag: its check, and one walk over all of its messages.
struct BagPage {
    var command = "report"
    let progress: ProgressOptions
    let path: String
    let messagePath: MessagePathOptions
    var unpackLimit = UnpackLimit()
    var points = ReportCommand.standardPoints

    func page() async throws -> ReportPage {
        let options = try PictureCheck.options(types: messagePath.resolver(), unpackLimit: unpackLimit)
        let path = path
        let check = try await progress.run(command, endsAtOnce: true) { tell in
            var options = options
            options.progress = tell
            return try BagChecker.check(FilePath(path), options: options)
        }
        var plan = BagPlaybackPlan()
        plan.skipsUnknown = true
        // What is damaged stands in the findings.
        plan.acceptsDamage = true
        plan.resolver = try messagePath.resolver()
        plan.unpackLimit = unpackLimit
        plan.playback.rate = nil
        let setup = try BagPlaybackSetup(opening: FilePath(path), plan: plan)
        let reader = setup.reader
        let counts = reader.topics.indices.map { (reader.topics[$0].name, reader.heldCount(ofTopic: $0)) }
        let sink = BagReportSink(span: setup.span, counts: Dictionary(counts, uniquingKeysWith: max))
        let played = try await RunWithProgress(command: command, stage: "reading", progress: progress)
            .run(.bag(setup, acceptsDamage: true), into: [sink])
        if let failure = played.playback.failure { throw failure }
        guard !played.playback.wasInterrupted else { throw CancellationError() }
        var page = await sink.page(
            title: ForeignPath.name(of: FilePath(path)) ?? path,
            subtitle: setup.reader.metadata.storageIdentifier,
            verdict: check.verdict,
            findings: check.findings.map { finding in
                var text = "\(finding.severity.rawValue): \(finding.meaning)"
                if let topic = finding.topic { text += ": \(topic)" }
                if finding.count > 1 { text += " (\(finding.count) times)" }
                if let place = finding.places.first { text += ". First: \(place.description)" }
                return (finding.severity == .error ? .warn : .plain, text, Advice.text(finding.advice, on: path))
            } + setup.leftOut.map { (.plain, "not on this page: \($0.name), \($0.messageCount) messages", $0.reason) },
            doubted: Set(check.findings.filter { $0.severity != .note }.compactMap(\.topic)),
            points: points,
            byteCount: NewFile.byteCount(of: path),
            version: Tool.version
        )
        page.commands = NextSteps.ofBag(at: path, check.verdict)
        return page
    }
}

/// The page of a session: its check, and a look at some of its frames.
struct SessionPage {
    var command = "report"
    let progress: ProgressOptions
    let path: String
    let jobs: Int
    var points = ReportCommand.standardPoints

    func page(of recording: OpenedRecording) async throws -> ReportPage {
        let session = recording.session
        var report = SessionReport(anchor: recording.clock)
        (report.points, report.jobs, report.toolVersion) = (points, jobs, Tool.version)
        report.byteCount = NewFile.byteCount(of: path)
        let (path, jobs) = (path, jobs)
        // All images take longer than everything else.
        let step = max(1, session.summary.frameCount / 60)
        return try await progress.run(command) { [report] tell in
            let check = try await SessionCheck(path: path, jobs: jobs, imageStep: step).run(progress: tell)
            var page = try await report.page(of: session, check: check, imageStep: step, progress: tell)
            page.commands = NextSteps.of(session.summary, at: path, check.verdict)
            return page
        }
    }
}
