import Earth
import Exports
import Files
import Maps
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
        let session = try SessionFormats.openExamined(
            path: command.path,
            options: command.selection.recording.opening()
        )
        let export = try SessionExport(session, plan)
        let folder = try command.makeFolder(isFile: format.isFile)
        do {
            let report = try await command.progress.run("export") { tell in
                try await run(export, session, points, into: folder, tell)
            }
            try show(folder)
            try ExportOutcome(report, format: format, path: command.output)
                .finish(json: command.json, command.reporting)
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
        let session = try SessionFormats.openExamined(
            path: command.path,
            options: command.selection.recording.opening()
        )
        let target = MapFile(
            try command.newFile(),
            form: form,
            sessionName: session.summary.name,
            isCloud: form == .ply || form == .las
        )
        let span = try request.times(of: session, nowNanoseconds: WallClock.nowNanoseconds())
        let (mesh, report) = try await points.mesh(session, span: span, "export", command.progress)
        let coordinates = try target.write(mesh, of: session, geoid: geoid)
        try MapOutcome(report, mesh, path: target.path, coordinates).finish(json: command.json, command.reporting)
    }
}
