package import Platform
package import Recording
package import SystemPackage

/// The counts of what was written.
package struct SampleSummary: Hashable, Sendable {
    package var frameCount: Int
    package var imageCount: Int
    package var motionSampleCount: Int
    package var locationCount: Int
    package var observationCount: Int
}

/// Writes a session of a known room, in the layout of any format, with its ground truth beside it.
///
/// This library makes the samples that everything else is tested with. Begin reading here; ``Room`` is the scene, Render
/// casts its rays, ``Trajectory`` and PhoneSensors.swift are the walk and its sensors, and each format is a
/// ``SampleLayout`` in Files.
package enum SyntheticSession {
    /// Writes a session; the same options give the same bytes, whatever `jobs` is.
    ///
    /// The session gets its name when all of it is written.
    @discardableResult
    package static func write(
        to path: FilePath,
        options: SampleOptions,
        progress: @escaping ProgressHandler = { _ in }
    ) async throws -> SampleSummary {
        do {
            return try await writeFiles(to: path, options, progress)
        } catch let error as FileError {
            throw SyntheticError.system(operation: error.operation, path: error.path, errno: error.errno)
        }
    }

    private static func writeFiles(
        to path: FilePath,
        _ options: SampleOptions,
        _ progress: @escaping ProgressHandler
    ) async throws -> SampleSummary {
        try options.validate()
        let schedule = SampleSchedule(options: options)
        let layout = options.format.layout(schedule)
        let package = SamplePackage(path: path, isForced: options.isForced)
        if options.format.isFile { try package.prepare() }
        let root = options.format.isFile ? package.parts : path
        let folder = try SessionFolder(creating: root, isForced: options.isForced)
        do {
            return try await fill(folder, schedule, layout, package, progress)
        } catch {
            folder.discard()
            throw error
        }
    }

    private static func fill(
        _ folder: SessionFolder,
        _ schedule: SampleSchedule,
        _ layout: any SampleLayout,
        _ package: SamplePackage,
        _ progress: @escaping ProgressHandler
    ) async throws -> SampleSummary {
        let options = schedule.options
        for name in layout.folders { try folder.makeDirectory(folder.path(name)) }
        let room = options.room
        let plan = RenderPlan(schedule)
        let writer = StreamWriter(schedule: schedule, folder: folder)
        if !options.hasRelativeDepth { try writer.writeTruth(room: room, relativeDepth: []) }
        let relativeDepth = try await render(plan, layout, folder, room, progress)
        try linkRepeatedFrames(layout, folder, progress)
        if options.hasRelativeDepth { try writer.writeTruth(room: room, relativeDepth: relativeDepth) }
        try Task.checkCancellation()
        let counts = try layout.writeLists(folder)
        try Task.checkCancellation()
        if let layout = layout as? Record3DLayout, layout.isPackage {
            progress(WorkProgress("packing", 0, of: schedule.frameCount, .frames))
            try package.pack(folder, schedule, layout)
        } else {
            try folder.finish()
        }
        return SampleSummary(
            frameCount: schedule.frameCount,
            imageCount: schedule.imageCount,
            motionSampleCount: counts.motion,
            locationCount: counts.locations,
            observationCount: counts.observations
        )
    }

    /// The camera's pose a number of seconds after the first frame, as a session of these options has it.
    package static func trajectory(_ options: SampleOptions) -> Trajectory {
        SampleSchedule(options: options).trajectory
    }

    /// The camera of a sample, for its sensor's landscape grid.
    ///
    /// The focal lengths differ, so that a reader that exchanges them gives wrong clouds.
    package static func intrinsics(_ size: GridSize) -> CameraIntrinsics {
        let scale = Double(size.width) / 1920
        return CameraIntrinsics(
            size: size,
            fx: (1447.7 * scale).inSinglePrecision,
            fy: (1.003 * 1447.7 * scale).inSinglePrecision,
            cx: (963.9 * scale).inSinglePrecision,
            cy: (Double(size.height) / 2 - 3.4 * scale).inSinglePrecision
        )
    }

    /// Renders every image, gives a and b of each; every task takes each `jobs`-th image.
    private static func render(
        _ plan: RenderPlan,
        _ layout: any SampleLayout,
        _ folder: SessionFolder,
        _ room: Room,
        _ progress: @escaping ProgressHandler
    ) async throws -> [(a: Double, b: Double)] {
        let schedule = layout.schedule
        let files = layout.files
        // Nothing to render for a format of neither pictures nor depth.
        let items = files.picture == nil && files.depth == nil ? [] : plan.items
        let grain = SensorGrain(seed: schedule.options.seed)
        let camera = intrinsics(schedule.options.imageSize)
        let counter = ProgressCounter(imageCount: items.count, progress: progress)
        let jobs = min(schedule.options.jobs, items.count)
        var results = [(a: Double, b: Double)?](repeating: nil, count: items.count)
        try await withThrowingTaskGroup(of: [(Int, (a: Double, b: Double)?)].self) { group in
            for job in 0..<jobs {
                group.addTask {
                    var worker = try FrameRenderer(
                        schedule: schedule,
                        folder: folder,
                        files: files,
                        room: room,
                        grain: grain,
                        intrinsics: camera
                    )
                    var results: [(Int, (a: Double, b: Double)?)] = []
                    for image in stride(from: job, to: items.count, by: jobs) {
                        try Task.checkCancellation()
                        results.append((image, try worker.render(items[image])))
                        await counter.finishedImage()
                    }
                    return results
                }
            }
            for try await part in group {
                for (image, result) in part { results[image] = result }
            }
        }
        return results.compactMap(\.self)
    }

    private static func linkRepeatedFrames(
        _ layout: any SampleLayout,
        _ folder: SessionFolder,
        _ progress: ProgressHandler
    ) throws {
        let schedule = layout.schedule
        guard schedule.imageCount < schedule.frameCount || schedule.options.orientation == .mixed else { return }
        var linker = FrameLinker(folder: folder, options: schedule.options, files: layout.files)
        for index in 0..<schedule.frameCount {
            if index % 256 == 0 { progress(WorkProgress("linking", index, of: schedule.frameCount, .frames)) }
            try Task.checkCancellation()
            try linker.link(schedule.frame(index))
        }
    }
}

/// Counts images that tasks finish in any order.
private actor ProgressCounter {
    private var done = 0
    private let imageCount: Int
    private let progress: ProgressHandler

    init(imageCount: Int, progress: @escaping ProgressHandler) {
        self.imageCount = imageCount
        self.progress = progress
    }

    func finishedImage() {
        done += 1
        progress(WorkProgress("rendering", done, of: imageCount, .images))
    }
}
