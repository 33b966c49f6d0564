import Earth
import Exports
import Files
import JSONText
import Messages
import Playback
import Replay
import Sessions
import SystemPackage
import Work

/// `export --to csv` or parquet of a session: every record of what is numbers in columns, as the messages of the bags.
struct TableExport {
    let command: ExportCommand
    let form: TableSink.Form

    func run() async throws {
        var plan = ReplayPlan(profile: .tables)
        plan.span = try command.selection.span.request()
        plan.epoch = try command.selection.recording.policy()
        plan.zoneOffset = try command.selection.recording.zoneOffset()
        plan.keepsLimitedTracking = command.selection.keepLimitedTracking
        plan.geoid = try command.geoid.grid()
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.jobs = try command.workers.count()
        plan.toolVersion = Tool.version
        let setup = try ReplaySetup(
            session: SessionFormats.openExamined(path: command.path, options: command.selection.recording.opening()),
            plan: plan
        )
        let folder = try command.makeFolder(isFile: false)
        let report = try await RunWithProgress(command: "export", stage: "writing", progress: command.progress)
            .run(setup, into: [TableSink(folder, form)])
        try folder.write(provenance: setup.provenance, format: form.rawValue)
        try folder.keep(unless: report.playback.failure, wasInterrupted: report.playback.wasInterrupted)
        try Outcome(.session(setup, report), filesPath: command.output)
            .finish(json: command.json, reporting: command.reporting)
    }
}

/// `export` of a session's fixes and of the camera's way on the Earth.
struct TrackFileExport {
    let command: ExportCommand
    let form: TrackExport.Form

    func run() async throws {
        let file = try command.newFile()
        let heights = FixHeights(geoid: try command.geoid.grid())
        let keepsLimitedTracking = command.selection.keepLimitedTracking
        let session = try SessionFormats.openExamined(
            path: command.path,
            options: command.selection.recording.opening()
        )
        let anchor = EpochAnchor.resolve(
            try command.selection.recording.policy(),
            summary: session.summary,
            zoneOffset: try command.selection.recording.zoneOffset(),
            nowNanoseconds: WallClock.nowNanoseconds()
        )
        let span = try command.selection.span.request()
        let export = try await command.progress.run("export", endsAtOnce: true) { tell in
            tell(WorkProgress("reading", 0, of: 1, .steps))
            return try TrackExport(
                session,
                span: span,
                anchor: anchor,
                keepsLimitedTracking: keepsLimitedTracking,
                heights: heights
            )
        }
        try file.write(export.bytes(form, version: Tool.version))
        try TrackOutcome(export, form, path: command.output).finish(json: command.json, command.reporting)
    }
}

extension OutputFolder {
    /// Says in `mapeverything.json` where an export comes from.
    func write(provenance: [String: String], format: String) throws {
        let members = provenance.sorted { $0.key < $1.key }.map { key, value in
            (String(key.replacing("mapeverything.", with: "")), JSONValue.string(value))
        }
        let json = JSONValue.object(
            [("generator", .string("mapeverything \(Tool.version)")), ("format", .string(format))] + members
        )
        do {
            try OutputFile.write(Array((json.text(style: .pretty) + "\n").utf8), to: file("mapeverything.json"))
        } catch {
            discard()
            throw OutputError.of(error)
        }
    }

    /// Gives the folder, or the file in it, its name, unless the run that filled it has failed.
    func keep(file: String? = nil, unless failure: (any Error)?, wasInterrupted: Bool) throws {
        guard failure == nil, !wasInterrupted else { return discard() }
        do {
            if let file { try show(file: file) } else { try show() }
        } catch {
            discard()
            throw OutputError.of(error)
        }
    }
}
