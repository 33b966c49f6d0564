import Platform
import Recording

/// A session in the native layout: what the iOS-3D-Logger app records, all three generations, and our optional streams.
///
/// docs/formats/session.md describes every file and field.
struct NativeSession: Session {
    static let formatName = "native"

    let summary: SessionSummary
    let diagnostics: Diagnostics
    let tiles: TileStore
    let files: any SessionFiles
    /// Lines whose frame_index comes again further down.
    let supersededLines: Set<Int>
    private let lines: LineIndex

    /// Reads metadata.json and passes once over the lines of each stream but the IMU's.
    init(files: any SessionFiles, path: String) throws {
        self.files = files
        var diagnostics = Diagnostics()
        let index = try NativeIndex(
            files: files,
            summary: SessionSummary(name: files.name, format: Self.formatName, frameFile: FrameLine.file)
        )
        var summary = index.summary
        guard summary.frameCount > 0 else {
            throw SessionError.noUsableFrame(
                path: path,
                file: FrameLine.file,
                lines: summary.lineCount,
                first: index.firstProblem
            )
        }
        diagnostics.append(index.diagnostics)
        diagnostics.append(Self.irregularFiles(files))
        for problem in files.damage { diagnostics.record(problem) }
        let metadata = Self.metadata(files, &summary, &diagnostics)
        Self.findStreams(files, index: index, &summary)
        diagnostics.append(Self.emptyStreams(files, index: index, summary))
        diagnostics.append(Self.missingStreams(index: index, &summary))
        Self.readLocations(files, &summary, &diagnostics)
        Self.readObservations(files, &summary, &diagnostics)
        Self.collectWallClock(files, metadata, &summary, &diagnostics)
        let sources = TileSources(files)
        diagnostics.append(sources.diagnostics)
        tiles = TileStore(layers: sources.layers, files: files)
        summary.hasSatelliteTiles = tiles.has(.satelliteImagery)
        summary.hasElevationTiles = tiles.has(.elevation)
        self.summary = summary
        self.diagnostics = diagnostics
        supersededLines = index.supersededLines
        lines = index.lines
    }

    func records(_ request: RecordRequest) throws -> any RecordCursor {
        try NativeCursor(
            files: files,
            summary: summary,
            supersededLines: supersededLines,
            lines: lines,
            request: request
        )
    }

    func examineLines() -> LineExamination { LineCheck(files: files, summary: summary).found }

    func makeLoader() -> any PayloadLoader { NativePayloads(files: files, summary: summary) }

    func orphans() -> Diagnostics {
        OrphanSearch.run(files: files, frameCount: summary.frameCount, supersededLines: supersededLines)
    }

    /// Reads metadata.json and believes it only where it is about these frames.
    private static func metadata(
        _ files: any SessionFiles,
        _ summary: inout SessionSummary,
        _ diagnostics: inout Diagnostics
    ) -> RecordedMetadata? {
        guard files.size(of: RecordedMetadata.file) != nil else { return nil }
        let metadata: RecordedMetadata
        do throws(Problem) {
            metadata = try RecordedMetadata(files.readText(RecordedMetadata.file, maximumBytes: 1 << 20))
        } catch {
            var problem = error
            problem.kind = .metadataUnreadable
            diagnostics.record(problem)
            return nil
        }
        // A folder may have been renamed, so another name alone proves nothing; other times do.
        let hasTimes = metadata.startTime != nil && metadata.endTime != nil
        let isOfThese = hasTimes ? metadata.overlaps(summary.firstTime, summary.lastTime) : true
        guard isOfThese else {
            diagnostics.record(
                Problem(
                    .metadataOfAnotherSession,
                    file: RecordedMetadata.file,
                    field: "startTimestamp",
                    expected: "times around \(summary.firstTime.seconds) to \(summary.lastTime.seconds)",
                    found: "\(metadata.startTime?.seconds ?? 0) to \(metadata.endTime?.seconds ?? 0)"
                )
            )
            return nil
        }
        for problem in metadata.problems { diagnostics.record(problem) }
        if let count = metadata.frameCount, count != summary.lineCount {
            diagnostics.record(
                Problem(
                    .frameCountDiffers,
                    file: RecordedMetadata.file,
                    field: "frameCount",
                    expected: "\(summary.lineCount)",
                    found: "\(count)"
                )
            )
        }
        summary.deviceModel = metadata.deviceModel
        summary.osVersion = metadata.osVersion
        summary.worldAlignment = metadata.worldAlignment
        (summary.poseOrigin, summary.depthOrigin) = (metadata.poseOrigin, metadata.depthOrigin)
        summary.metadataDepthSize = metadata.depthResolution
        summary.metadataRelativeDepthSize = metadata.relativeDepthResolution
        if summary.depthSize == nil { summary.depthSize = metadata.depthResolution }
        // Frames that say nothing have what is said of all of them, not what another frame says of itself.
        if let size = metadata.relativeDepthResolution { summary.relativeDepthSize = size }
        summary.relativeDepthKind = metadata.relativeDepthKind ?? .inverseDepth
        summary.relativeDepthModel = metadata.relativeDepthModel
        return metadata
    }

    private static func findStreams(_ files: any SessionFiles, index: NativeIndex, _ summary: inout SessionSummary) {
        summary.hasImages = files.hasFile(inFolder: "rgb", ending: ".jpg")
        summary.hasDepth = summary.framesThatMayHaveDepth > 0 && files.hasFile(inFolder: "depth", ending: ".bin")
        summary.hasConfidence = files.hasFile(inFolder: "confidence", ending: ".bin")
        summary.hasRelativeDepth = files.hasFile(inFolder: "relative_depth", ending: ".bin")
        if let source = [SessionSummary.MotionSource.samplesFile, .table].first(where: {
            files.size(of: $0.rawValue) ?? 0 > 0
        }) {
            summary.motionSource = source
        } else if index.framesHaveMotion {
            summary.motionSource = .frames
        }
    }

    /// One pass over the fixes of the session's time: their count, what is wrong with them, and what they say of the clock.
    private static func readLocations(
        _ files: any SessionFiles,
        _ summary: inout SessionSummary,
        _ diagnostics: inout Diagnostics
    ) {
        summary.location.file = LocationLine.file
        guard files.size(of: LocationLine.file) != nil else { return }
        var offsets: [Int64] = []
        var leaps = LeapCheck(file: LocationLine.file)
        var source = OrderedSamples(.locations, files, summary: summary)
        while let (record, line) = source.next() {
            guard case .location(let fix) = record else { continue }
            summary.location.count += 1
            if let problem = leaps.add(fix, line: line) { diagnostics.record(problem) }
            if let unix = fix.unixNanoseconds, offsets.count < 255 { offsets.append(unix &- fix.time.nanoseconds) }
        }
        diagnostics.append(source.diagnostics)
        if let median = offsets.median() { summary.wallClock.locationOffsetNanoseconds = median }
    }

    /// One pass over each optional stream: what of it is of the session's time, and what is wrong with it.
    private static func readObservations(
        _ files: any SessionFiles,
        _ summary: inout SessionSummary,
        _ diagnostics: inout Diagnostics
    ) {
        for stream in [SampleStream.headings, .radio, .indoor] where files.size(of: stream.file) != nil {
            var source = OrderedSamples(stream, files, summary: summary)
            while let (record, _) = source.next() { summary.sampleCounts[record.stream, default: 0] += 1 }
            diagnostics.append(source.diagnostics)
        }
    }

    private static func collectWallClock(
        _ files: any SessionFiles,
        _ metadata: RecordedMetadata?,
        _ summary: inout SessionSummary,
        _ diagnostics: inout Diagnostics
    ) {
        let start = metadata?.startTime ?? summary.firstTime
        if let unix = metadata?.startUnixNanoseconds, let startTime = metadata?.startTime {
            summary.wallClock.metadataOffsetNanoseconds = unix &- startTime.nanoseconds
        }
        let names = [metadata?.sessionID, files.name].compactMap { $0 }
        if let date = names.lazy.compactMap({ CalendarDate(inName: $0) }).first {
            summary.wallClock.nameDate = (date, start)
        }
        // metadata.json is written at the stop; without it the last line of frames.jsonl is the last thing written.
        if let endTime = metadata?.endTime {
            summary.wallClock.takeModificationTime(of: RecordedMetadata.file, in: files, at: endTime, &diagnostics)
        } else {
            summary.wallClock.takeModificationTime(of: FrameLine.file, in: files, at: summary.lastTime, &diagnostics)
        }
    }
}

extension SessionFiles {
    /// True if a folder has at least one file with the ending.
    fileprivate func hasFile(inFolder folder: String, ending: String) -> Bool {
        !names(inFolder: folder, limit: 1) { $0.hasSuffix(ending) ? $0 : nil }.isEmpty
    }
}

/// Streams that should be there and are not.
extension NativeSession {
    /// Streams that are there under their names, but are nothing that can be read as a file.
    static func irregularFiles(_ files: any SessionFiles) -> Diagnostics {
        var diagnostics = Diagnostics()
        let names = [RecordedMetadata.file] + SampleStream.all.map(\.file) + [TileManifest.file]
        for name in names {
            guard let found = files.irregular(name) else { continue }
            diagnostics.record(Problem(.unreadableFile, file: name, expected: "a regular file", found: found))
        }
        return diagnostics
    }

    /// Files of streams that are there without a sample.
    static func emptyStreams(
        _ files: any SessionFiles,
        index: NativeIndex,
        _ summary: SessionSummary
    ) -> Diagnostics {
        var diagnostics = Diagnostics()
        for stream in SampleStream.all where files.size(of: stream.file) != nil {
            var reader = SampleReader(stream, files)
            guard reader.next() == nil, reader.diagnostics.isEmpty else { continue }
            let motion = [SampleStream.motion, .motionCSV].map(\.file)
            let isUnused = motion.contains(stream.file) && summary.motionSource == .samplesFile
            let twins = motion.contains(stream.file) && !isUnused ? motion.filter { $0 != stream.file } : []
            let lines = !twins.isEmpty && index.framesHaveMotion ? [FrameLine.file] : []
            diagnostics.record(files.emptyStream(stream.file, twins: twins + lines))
        }
        return diagnostics
    }

    /// Streams that metadata.json claims and that are not there; claims of single lines are counted with the lines.
    static func missingStreams(index: NativeIndex, _ summary: inout SessionSummary) -> Diagnostics {
        var diagnostics = Diagnostics()
        summary.payloads = index.payloads(promisesDepth: summary.metadataDepthSize != nil)
        func record(_ what: String, _ field: String) {
            diagnostics.record(
                Problem(.streamMissing, file: what, expected: "files, as \(field) of metadata.json says", found: "none")
            )
        }
        if let depth = summary.payloads[.depth], depth.promise == .any, depth.isAbsent {
            record(PayloadKind.depth.rawValue, "depthResolution")
            summary.payloads[.depth]?.isSaid = true
        }
        if let problem = summary.payloads[.confidence]?.confidenceProblem { diagnostics.record(problem) }
        if summary.metadataRelativeDepthSize != nil, !summary.hasRelativeDepth, index.summary.relativeDepthSize == nil {
            record("relative_depth", "relative_depth")
        }
        return diagnostics
    }
}
