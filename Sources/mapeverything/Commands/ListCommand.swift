import ArgumentParser
import Platform
import Sessions
import Translation

struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Find the recordings below folders, of every format, and show a line for each.",
        discussion: """
            Recordings are recognised by their content, as folders, .zip and .tar. Nothing is looked for inside of one, and \
            images and depth are not read: `mapeverything check` tells whether they are sound.

            The status is 65 where recordings were found and none can be read, and 1 with --strict where anything is lost, cannot \
            be read or was not looked into; a line on stderr says what could not be read in any case.

            Examples:
              mapeverything list
              mapeverything list phone backup --json
            """
    )

    @Argument(help: "Folders to look through, or recordings. Default: the current folder.", completion: .file())
    var folders: [String] = []

    @OptionGroup var json: JSONOptions

    @Flag(help: "Exit with status 1 if anything is lost, cannot be read or was not looked into.") var strict = false

    @Option(
        parsing: .unconditional,
        help: .rare("Time zone of dates in names: Z, +HH:MM, local or a zone's name. Default: UTC.", "zone")
    )
    var timezone: String?

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let jobs = try workers.count()
        var options = OpenOptions()
        options.assumptions.copiesVideos = false
        options.clock.zoneOffset = try CivilTime.zone(timezone ?? "UTC")
        let folders = folders.isEmpty ? ["."] : folders
        let report = try await progress.run("list") { [options] progress in
            let findings = try RecordingSearch().run(folders, progress: progress)
            var waiting = findings.recordings.makeIterator()
            var lines: [RecordingListReport.Line] = []
            try await forEachOrdered(
                workers: jobs,
                window: jobs * 16,
                next: { waiting.next() },
                makeWorker: {},
                transform: { _, found in try RecordingListReport.Line(found, options) },
                deliver: { line in
                    lines.append(line)
                    progress(WorkProgress("reading", lines.count, of: findings.recordings.count, .files))
                }
            )
            return RecordingListReport(folders: folders, findings: findings, lines: lines).report
        }
        try report.finish(json: json.isGiven, strict: strict)
    }
}
