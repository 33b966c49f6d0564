package import Files
package import Recording
package import Replay
import SessionLines
package import Sessions
package import Work

/// Writes frames and samples of a session of any format as a session in the native layout.
///
/// Times, poses and cameras stay as they are; frames are numbered from 0. JPEGs are copied byte for byte.
package struct SessionTrim: Sendable {
    package var session: any Session
    package var filter = FrameFilter()
    /// On the session's own clock.
    package var span = Timestamp(nanoseconds: .min)...Timestamp(nanoseconds: .max)
    /// What the session's clock stands for; written where it is not guessed.
    package var anchor: EpochAnchor?
    package var jobs = 1

    package init(_ session: any Session) { self.session = session }

    /// - Parameter folder: gets its name at the end; it becomes a ZIP file where that ends in `.zip`.
    /// - Throws: a ``TrimError`` where no frame is left, a ``FileError`` where it cannot be written; what was begun is removed.
    package func run(
        into folder: OutputFolder,
        progress: @escaping ProgressHandler = { _ in }
    ) async throws -> TrimReport {
        do {
            let walk = try TrimWalk(self, SessionOutput(folder))
            let (session, measures) = (session, filter.minimumSharpness != nil)
            let total = session.summary.frameCount
            try await forEachOrdered(
                workers: jobs,
                window: 3 * jobs,
                next: { try walk.next() },
                makeWorker: { FrameLoader(session, measuresSharpness: measures) },
                transform: { loader, item in try loader.load(item.frame, item.picture) },
                deliver: { loaded in
                    try walk.write(loaded)
                    progress(WorkProgress("trimming", walk.report.framesIn, of: total, .frames))
                }
            )
            return try walk.finish()
        } catch {
            folder.discard()
            throw error
        }
    }
}

/// The walk through the session: what is passed over is decided before it is loaded, unless its sharpness has to be measured.
private final class TrimWalk {
    private let trim: SessionTrim
    private let output: SessionOutput
    private let cursor: any RecordCursor
    private let video: VideoPass?
    private var gate: FrameGate
    private(set) var report = TrimReport()
    private var metadata: NativeMetadata

    private var judgesLoaded: Bool { trim.filter.minimumSharpness != nil }

    init(_ trim: SessionTrim, _ output: SessionOutput) throws {
        self.trim = trim
        self.output = output
        let summary = trim.session.summary
        cursor = try trim.session.records(RecordRequest(span: trim.span))
        video = trim.session.makeVideoPass()
        gate = FrameGate(trim.filter, nominalIntervalSeconds: summary.medianIntervalSeconds)
        metadata = NativeMetadata(sessionID: output.name, start: summary.firstTime, end: summary.lastTime)
        metadata.deviceModel = summary.deviceModel
        metadata.osVersion = summary.osVersion
        metadata.worldAlignment = summary.worldAlignment
        metadata.source = (summary.format, summary.name)
    }

    /// The next frame to load; samples on the way are written.
    func next() throws -> (frame: FrameReference, picture: VideoPicture?)? {
        while let record = try cursor.next() {
            guard case .frame(let frame) = record else {
                try write(record)
                continue
            }
            if judgesLoaded || isKept(frame) { return (frame, video?.picture(of: frame)) }
        }
        return nil
    }

    private func isKept(_ frame: FrameReference) -> Bool {
        let verdict = gate.judge(frame, sharpness: frame.sharpness)
        report.verdicts[verdict, default: 0] += 1
        return verdict == .kept
    }

    func write(_ loaded: LoadedFrame) throws {
        if judgesLoaded {
            if loaded.frame.sharpness == nil { report.unknownSharpness += 1 }
            guard isKept(loaded.frame) else { return }
        }
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

    private func write(_ record: Record) throws {
        guard FrameGate.canBeWritten(record.time) else {
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

    func finish() throws -> TrimReport {
        guard let first = report.firstTime, let last = report.lastTime else {
            throw TrimError.noFrame(reasons: reasons)
        }
        (metadata.start, metadata.end) = (first, last)
        report.anchor = trim.anchor
        if let anchor = trim.anchor, anchor.isCertain {
            metadata.startUnixNanoseconds = anchor.stamp(first)
            report.hasWallClock = true
        }
        try output.finish(NativeFiles.metadata, metadata.bytes)
        var diagnostics = trim.session.diagnostics
        diagnostics.append(cursor.diagnostics)
        diagnostics.append(report.diagnostics)
        report.diagnostics = diagnostics
        let summary = trim.session.summary
        report.leavesTiles = summary.hasSatelliteTiles || summary.hasElevationTiles
        return report
    }

    private var reasons: String {
        let counts = FrameVerdict.allCases.compactMap { verdict in
            report.verdicts[verdict].map { "\($0) \(verdict.rawValue)" }
        }
        return counts.isEmpty ? "no frame in the span" : counts.joined(separator: ", ")
    }
}

extension EpochAnchor {
    /// Whether it is known rather than guessed from a date without a zone, from files' times, or not at all.
    fileprivate var isCertain: Bool {
        switch source {
        case .location, .metadata, .unixAlready, .given: true
        case .name: remark == nil
        case .fileTime, .now, .boot: false
        }
    }
}
