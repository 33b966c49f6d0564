import Exports
import Maps
import Platform
import Playback
import Sessions
import Text
import Translation

extension ExportCommand {
    private func opened(for use: DepthSourceOptions.Use) async throws -> OpenedRecording {
        try await selection.recording.open(path, for: use, jobs: workers.count(), "export", progress)
    }

    func export(frames format: FrameFormat) async throws {
        var plan = ExportPlan(format: format)
        try selection.apply(to: &plan)
        self.form.apply(to: &plan)
        try pixels.apply(to: &plan.depth)
        plan.heights = FixHeights(geoid: try geoid.grid())
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        // To begin with, not to measure: fewer frames show the same places.
        let points = try mapper(voxelSize: 0.03).takingFewFrames
        let opened = try await opened(for: .surface)
        let export = try SessionExport(opened, plan)
        let folder = try makeFolder(isFile: format.isFile)
        do {
            let report = try await progress.run("export") { tell in
                try await run(export, opened.session, points, into: folder, tell)
            }
            if format.isFile { try folder.show(file: SessionExport.fileName) } else { try folder.show() }
            try Report(report, format: format, path: output).finish(reporting)
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

    /// `export` of a session's surface, with `map`'s own files.
    func export(surface file: SurfaceFile) async throws {
        let points = try mapper(voxelSize: 0.02)
        let request = selection.span.request
        let heights = FixHeights(geoid: try geoid.grid())
        let opened = try await opened(for: .surface)
        let target = try newFile()
        let span = try opened.times(request)
        let (mesh, report) = try await points.mesh(opened.session, span: span, "export", progress)
        let isCloud = file.isCloudExported
        let made = try file.make(.init(mesh, of: opened, isCloud: isCloud, version: Tool.version, heights: heights))
        try target.write(made.content)
        try Report(report, mesh, path: target.path, made).finish(reporting)
    }

    /// `export --to csv` or parquet of a session: every record of what is numbers in columns, as the messages of the bags.
    func export(table format: TableFormat) async throws {
        var plan = ReplayPlan(profile: .tables)
        plan.span = selection.span.request
        plan.keepsLimitedTracking = selection.keepLimitedTracking
        plan.geoid = try geoid.grid()
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        let setup = try ReplaySetup(await opened(for: .tables), plan: plan)
        let folder = try makeFolder(isFile: false)
        let played = try await RunWithProgress(command: "export", stage: "writing", progress: progress)
            .run(.session(setup), into: [TableSink(folder, format)])
        try folder.write(provenance: setup.provenance, format: to.name)
        try folder.keep(unless: played.playback.failure, wasInterrupted: played.playback.wasInterrupted)
        try played.finish(reporting, to: ["written to \(output)"])
    }

    /// `export` of a session's fixes and of the camera's way on the Earth.
    func export(track product: TrackFile) async throws {
        let file = try newFile()
        let heights = FixHeights(geoid: try geoid.grid())
        let keepsLimitedTracking = selection.keepLimitedTracking
        let opened = try await opened(for: .tables)
        let span = selection.span.request
        let export = try await progress.run("export", endsAtOnce: true) { tell in
            tell(WorkProgress("reading", 0, of: 1, .steps))
            return try TrackExport(
                opened,
                span: span,
                keepsLimitedTracking: keepsLimitedTracking,
                heights: heights
            )
        }
        try file.write(product.bytes(export, Tool.version))
        try Report(export, to, path: output).finish(reporting)
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
            try write(json.text(style: .pretty) + "\n", to: "mapeverything.json")
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
