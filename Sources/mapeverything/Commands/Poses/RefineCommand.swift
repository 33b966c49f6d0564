import ArgumentParser
import Exports
import Maps
import Platform
import Recording
import Sessions
import Translation

struct RefineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refine",
        abstract: "Correct the drift and the jumps of a session's poses where the walk returns.",
        discussion: """
            Steps stay as recorded; places that the depth shows again say how far the way is off. Poses that this does \
            not clearly better are left as they are.

            Examples:
              mapeverything refine room
              mapeverything refine room -o room_poses.txt
              mapeverything refine hall --tag-map hall_tags.json --gps
              mapeverything refine monday tuesday -o tuesday_in_monday.txt
              mapeverything map room --poses room_poses.txt
            """
    )

    @Argument(help: "A session (folder, .zip, .tar), or a bag of one.", completion: .file()) var session: String

    @Argument(
        help: "Another session of the same place, whose poses are brought into the world of the first.",
        completion: .file()
    )
    var other: String?

    @Option(
        name: .shortAndLong,
        help: .value("path", "File to create: TUM text; - for standard output. Default: NAME_poses.txt."),
        completion: .file()
    )
    var output: String?

    @OptionGroup var force: ForceOptions

    @Flag(help: "Look for AprilTags in the images, too: a tag that is seen again is a place that is seen again.")
    var tags = false

    @Option(
        help: .value("file", "A map of AprilTags, as tags map writes it, which says how they lie; implies --tags."),
        completion: .file()
    )
    var tagMap: String?

    @Flag(help: "Hold the way by the GPS fixes, as far as they are accurate.") var gps = false

    @OptionGroup var search: TagSearchOptions
    @OptionGroup var recording: RecordingOptions
    @OptionGroup var reporting: ReportingOptions

    func run() async throws {
        let asked = [tags ? "--tags" : nil, tagMap == nil ? nil : "--tag-map", gps ? "--gps" : nil].compactMap { $0 }
        if let changed = recording.poses.given {
            throw UsageError(changed, expected: "the recorded poses to correct", found: "one")
        }
        if other != nil, let option = asked.first {
            throw UsageError(option, expected: "one session", found: "two")
        }
        let path = try DefaultOutput.path(output, of: other ?? session, "_poses.txt")
        _ = try NewFile(path, .trajectory, replaces: force.isGiven, inputs: [session] + (other.map { [$0] } ?? []))
        let (jobs, progress) = (try search.workers.count(), search.progress)
        var plan = ExportPlan(format: .tum)
        plan.rule.keepsLimitedTracking = true
        plan.toolVersion = Tool.version
        plan.jobs = jobs
        let opened = try await recording.open(session, for: .surface, jobs: jobs, "refine", progress)
        if let other {
            let other = try await recording.open(other, for: .surface, jobs: jobs, "refine", progress)
            return try await align(other, to: opened.session, plan, path, jobs, progress)
        }
        let landmarks = try await landmarks(of: opened.session)
        let refinement = try await PoseOptions.refinement(of: opened.session, landmarks, jobs: jobs, "refine", progress)
        try await write(opened, refinement.correction, plan, to: path)
        try Report(refinement, from: opened.summary, path: path).finish(reporting)
    }

    private func align(
        _ other: OpenedRecording,
        to first: any Session,
        _ plan: ExportPlan,
        _ path: String,
        _ jobs: Int,
        _ progress: ProgressOptions
    ) async throws {
        let alignment = try await progress.run("refine") { tell in
            var refiner = SessionRefiner()
            refiner.jobs = jobs
            return try await refiner.align(other.session, to: first, progress: tell)
        }
        // Poses in a world that is not that of the first would be taken for some that are.
        if let correction = alignment.correction { try await write(other, correction, plan, to: path) }
        var report = Report(alignment, path: path)
        report.hasLosses = alignment.correction == nil
        if alignment.correction == nil { report.ending = ExitStatus.lossy }
        try report.finish(reporting)
    }

    private func write(
        _ recording: OpenedRecording,
        _ correction: PoseCorrection?,
        _ plan: ExportPlan,
        to path: String
    ) async throws {
        let corrected = correction.map { recording.with(RefinedSession(recording.session, $0)) }
        let folder = try OutputFolder.new(path, replacing: force.isGiven ? .trajectory : nil)
        do {
            let export = try SessionExport(corrected ?? recording, plan)
            _ = try await export.run(into: folder, surface: { SurfaceMesh() }, progress: { _ in })
            try folder.show(file: SessionExport.fileName)
        } catch {
            folder.discard()
            throw OutputError.of(error)
        }
    }

    /// What is asked for beside the depth; `nil` for nothing.
    private func landmarks(of session: any Session) async throws -> Landmarks? {
        let map = try tagMap.map { try TagFiles.processedMap($0) }
        if tags || map != nil {
            let found = try await TagSearch(search, "refine").walk(session, takesFixes: gps)
            return Landmarks(found.walk, mapFromTags: map?.tags ?? [:])
        }
        guard gps else { return nil }
        let builder = TagWalkBuilder(name: session.summary.name)
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames]), .everything)
        while let walked = try walk.nextFrame(takesPicture: false) { builder.add(walked.frame) }
        builder.add(try FixTrack(session))
        return Landmarks(builder.walk)
    }
}
