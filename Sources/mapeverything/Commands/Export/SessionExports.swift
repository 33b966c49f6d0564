import Earth
import Exports
import Files
import JSONText
import Maps
import Messages
import Playback
import Replay
import Sessions
import SystemPackage
import Work

/// `export` to a format that is made of frames.
struct FrameExport {
    let command: ExportCommand
    let format: FrameFormat

    func run() async throws {
        var plan = ExportPlan(format: format)
        try command.selection.apply(to: &plan)
        command.form.apply(to: &plan)
        try command.pixels.apply(to: &plan.depth)
        plan.heights = FixHeights(geoid: try command.geoid.grid())
        plan.jobs = try command.workers.count()
        plan.toolVersion = Tool.version
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        // To begin with, not to measure: fewer frames show the same places.
        let points = try command.mapper(voxelSize: 0.03).takingFewFrames
        let session = try command.selection.recording.open(command.path)
        let export = try SessionExport(session, plan)
        let folder = try command.makeFolder(isFile: format.isFile)
        do {
            let report = try await command.progress.run("export") { tell in
                try await run(export, session, points, into: folder, tell)
            }
            try show(folder)
            try Report(report, format: format, path: command.output).finish(command.reporting)
        } catch {
            folder.discard()
            throw OutputError.of(error)
        }
    }

    /// The surface is fused while the images are written.
    private func run(
        _ export: SessionExport,
        _ session: any Session,
        _ points: SurfaceOfSession,
        into folder: OutputFolder,
        _ tell: @escaping ProgressHandler
    ) async throws -> FrameExportReport {
        guard export.hasPoints else {
            return try await export.run(into: folder, surface: { SurfaceMesh() }, progress: tell)
        }
        let surface = Task { try await points.mesh(session, span: export.times).mesh.fromOrigin }
        return try await withTaskCancellationHandler {
            do {
                return try await export.run(
                    into: folder,
                    surface: {
                        tell(WorkProgress("fusing", 0, of: 1, .steps))
                        return try await surface.value
                    },
                    progress: tell
                )
            } catch {
                surface.cancel()
                throw error
            }
        } onCancel: {
            surface.cancel()
        }
    }

    private func show(_ folder: OutputFolder) throws {
        if format.isFile { try folder.show(file: SessionExport.fileName) } else { try folder.show() }
    }
}

/// `export` of a session's surface, with `map`'s own files.
struct SurfaceExport {
    let command: ExportCommand
    let form: MapFile.Form

    func run() async throws {
        let points = try command.mapper(voxelSize: 0.02)
        let request = try command.selection.span.request()
        let geoid = try command.geoid.grid()
        let session = try command.selection.recording.open(command.path)
        let target = MapFile(
            try command.newFile(),
            form: form,
            sessionName: session.summary.name,
            isCloud: form == .ply || form == .las
        )
        let span = try request.times(of: session, nowNanoseconds: WallClock.nowNanoseconds())
        let (mesh, report) = try await points.mesh(session, span: span, "export", command.progress)
        let coordinates = try target.write(mesh, of: session, geoid: geoid)
        try Report(report, mesh, path: target.path, coordinates).finish(command.reporting)
    }
}

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
            session: command.selection.recording.open(command.path),
            plan: plan
        )
        let folder = try command.makeFolder(isFile: false)
        let played = try await RunWithProgress(command: "export", stage: "writing", progress: command.progress)
            .run(.session(setup), into: [TableSink(folder, form)])
        try folder.write(provenance: setup.provenance, format: form.rawValue)
        try folder.keep(unless: played.playback.failure, wasInterrupted: played.playback.wasInterrupted)
        try played.finish(command.reporting, to: ["written to \(command.output)"])
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
        let session = try command.selection.recording.open(command.path)
        let anchor = try command.selection.recording.clock()(session)
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
        try Report(export, form, path: command.output).finish(command.reporting)
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
