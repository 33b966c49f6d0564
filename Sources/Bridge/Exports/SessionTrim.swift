package import Platform
package import Recording
package import Sessions
package import Translation

/// Writes frames and samples of a session of any format as a session in the native layout.
///
/// Times, poses and cameras stay as they are; frames are numbered from 0. JPEGs are copied byte for byte.
package struct SessionTrim: Sendable {
    package let session: any Session
    package var rule = FrameRule()
    /// On the session's own clock.
    package var span = Timestamp(nanoseconds: .min)...Timestamp(nanoseconds: .max)
    /// The clock of the recording; written where it is not guessed.
    package let anchor: EpochAnchor
    package var jobs = 1

    /// The native layout's times are from 0 to 9.2e9 seconds.
    static let times = Timestamp(nanoseconds: 0)...Timestamp(nanoseconds: 9_200_000_000_000_000_000)

    package init(_ recording: OpenedRecording) { (session, anchor) = (recording.session, recording.clock) }

    /// - Parameter folder: gets its name at the end; it becomes a ZIP file where that ends in `.zip`.
    /// - Throws: a ``TrimError`` where no frame is left, a ``FileError`` where it cannot be written; what was begun is removed.
    package func run(
        into folder: OutputFolder,
        progress: @escaping ProgressHandler = { _ in }
    ) async throws -> TrimReport {
        do {
            var rule = rule
            rule.times = Self.times
            // Unless the sharpness has to be measured, a frame is judged before it is loaded.
            let measures = rule.minimumSharpness != nil
            let walk = try FrameWalk(session, RecordRequest(span: span), rule)
            let writer = try TrimWriter(self, SessionOutput(folder))
            let (session, total) = (session, session.summary.frameCount)
            try await walk.forEachFrame(jobs: jobs, judges: !measures, others: writer.write) {
                FrameLoader(session, measuresSharpness: measures)
            } prepare: { loader, walked in
                try loader.load(walked.frame, walked.picture)
            } deliver: { loaded in
                if !measures || walk.keeps(loaded.frame) { try writer.write(loaded) }
                if measures, loaded.frame.sharpness == nil { writer.report.unknownSharpness += 1 }
                progress(WorkProgress("trimming", walk.counts.total, of: total, .frames))
            }
            writer.report.counts = walk.counts
            return try writer.finish(walk)
        } catch {
            folder.discard()
            throw error
        }
    }
}

/// Writes what a walk through the session keeps.
private final class TrimWriter {
    private let trim: SessionTrim
    private let output: SessionOutput
    var report = TrimReport()
    private var metadata: NativeMetadata

    init(_ trim: SessionTrim, _ output: SessionOutput) {
        self.trim = trim
        self.output = output
        let summary = trim.session.summary
        metadata = NativeMetadata(sessionID: output.name, start: summary.firstTime, end: summary.lastTime)
        metadata.deviceModel = summary.deviceModel
        metadata.osVersion = summary.osVersion
        metadata.worldAlignment = summary.worldAlignment
        (metadata.poseOrigin, metadata.depthOrigin) = (summary.poseOrigin, summary.depthOrigin)
        metadata.source = (summary.format, summary.name)
    }

    func write(_ loaded: LoadedFrame) throws {
        report.diagnostics.append(loaded.diagnostics)
        var frame = loaded.frame
        frame.index = metadata.frameCount
        metadata.frameCount += 1
        if let picture = loaded.picture {
            try add(NativeFiles.picture(frame.index), picture, \.pictures)
            if loaded.isEncoded { report.encodedPictures += 1 }
        }
        if let depth = loaded.depth {
            try add(NativeFiles.depth(frame.index), NativeFiles.floats(depth.metres), \.depthMaps)
            if let confidence = depth.confidence {
                try add(NativeFiles.confidence(frame.index), confidence, \.confidenceMaps)
            }
            if metadata.depthSize == nil { metadata.depthSize = frame.depthSize }
        }
        if let relative = loaded.relativeDepth, let size = frame.relativeDepthSize {
            let bytes = NativeFiles.floats(relative.values)
            try add(NativeFiles.relativeDepth(frame.index), bytes, \.relativeDepthMaps)
            if metadata.relativeDepth == nil {
                metadata.relativeDepth = (size, relative.kind, trim.session.summary.relativeDepthModel)
            }
        }
        if metadata.imageSize == nil {
            metadata.imageSize = GridSize(width: frame.intrinsics.width, height: frame.intrinsics.height)
        }
        if report.firstTime == nil { report.firstTime = frame.time }
        report.lastTime = frame.time
        try output.append(NativeLines.frame(frame).closed, to: NativeFiles.frames)
    }

    private func add(
        _ file: String,
        _ bytes: [UInt8],
        _ count: WritableKeyPath<TrimReport, Int>
    ) throws {
        try output.add(file, bytes)
        report[keyPath: count] += 1
        report.payloadBytes += bytes.count
    }

    func write(_ record: Record) throws {
        guard SessionTrim.times.contains(record.time) else {
            report.impossibleSamples += 1
            return
        }
        switch record {
        case .frame: return
        case .motion(let sample): try output.append(NativeLines.motion(sample).closed, to: NativeFiles.motion)
        case .location(let fix): try output.append(NativeLines.location(fix).closed, to: NativeFiles.locations)
        case .heading(let sample): try output.append(NativeLines.heading(sample).closed, to: NativeFiles.headings)
        case .radio(let sample): try output.append(NativeLines.radio(sample).closed, to: NativeFiles.radio)
        case .indoor(let sample): try output.append(NativeLines.indoor(sample).closed, to: NativeFiles.indoor)
        }
        report.samples[record.stream, default: 0] += 1
    }

    func finish(_ walk: FrameWalk) throws -> TrimReport {
        guard let first = report.firstTime, let last = report.lastTime else {
            throw TrimError.noFrame(reasons: reasons)
        }
        (metadata.start, metadata.end) = (first, last)
        report.anchor = trim.anchor
        if trim.anchor.isCertain {
            metadata.startUnixNanoseconds = trim.anchor.stamp(first)
            report.hasWallClock = true
        }
        try output.finish(NativeFiles.metadata, metadata.bytes)
        report.diagnostics = walk.diagnostics(with: report.diagnostics)
        let summary = trim.session.summary
        report.leavesTiles = summary.hasSatelliteTiles || summary.hasElevationTiles
        return report
    }

    private var reasons: String {
        let counts = FrameVerdict.allCases.compactMap { verdict in
            let words = verdict.words ?? verdict.rawValue
            return report.counts.verdicts[verdict].map { "\($0) \(words)" }
        }
        return counts.isEmpty ? "no frame in the span" : counts.joined(separator: ", ")
    }
}

extension EpochAnchor {
    /// True if it is known rather than guessed from a date without a zone, from files' times, or not at all.
    fileprivate var isCertain: Bool {
        switch source {
        case .location, .metadata, .unixAlready, .given: true
        case .name, .archive: remark == nil
        case .fileTime, .now, .boot, .unknown: false
        }
    }
}

/// The counts of a session that was trimmed: frames in are those kept and those of each other verdict.
package struct TrimReport: Sendable {
    package var counts = FrameCounts()
    package var pictures = 0
    /// Pictures that were no JPEGs.
    package var encodedPictures = 0
    package var depthMaps = 0
    package var confidenceMaps = 0
    package var relativeDepthMaps = 0
    package var samples: [RecordStream: Int] = [:]
    /// Samples of times that the native layout has no place for.
    package var impossibleSamples = 0
    /// Frames that were to be judged by a sharpness that is not known.
    package var unknownSharpness = 0
    package var firstTime: Timestamp?
    package var lastTime: Timestamp?
    package var payloadBytes = 0
    package var leavesTiles = false
    /// The anchor of the source; `hasWallClock` tells if it was written.
    package var anchor: EpochAnchor?
    package var hasWallClock = false
    package var diagnostics = Diagnostics()

    package var framesIn: Int { counts.total }
    package var framesKept: Int { counts[.kept] }
}

/// Why no session was written.
package enum TrimError: Error, Sendable, CustomStringConvertible {
    case noFrame(reasons: String)

    package var description: String {
        switch self {
        case .noFrame(let reasons): "trim: expected at least one frame to keep, found none: \(reasons)"
        }
    }
}
