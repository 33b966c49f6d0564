import PointClouds
package import Recording
package import Sessions
package import Work

/// What became of a session's frames on the way into a map.
package struct MapReport: Sendable {
    /// Frames of trusted tracking.
    package var frameCount = 0
    /// Those that have the depth that is asked for.
    package var depthFrameCount = 0
    /// Frames that were fused.
    package var keyFrameCount = 0
    /// Frames whose tracking was limited or lost.
    package var limitedTracking = 0
    /// Key-frames of which no depth could be used, and those that were fused without colours.
    package var withoutDepth = 0
    package var withoutColour = 0
    /// Key-frames farther from the first one than a map can hold.
    package var outOfReach = 0
    /// Poses that jumped, and when that was first, in seconds of the session.
    package var jumpCount = 0
    package var firstJumpSeconds: Double?
    /// Frames that needed blocks for which there was no memory.
    package var frameCountWithoutRoom = 0
    package var blockCount = 0
    /// What the map takes, in bytes.
    package var byteCount = 0
    package var diagnostics = Diagnostics()
}

/// Fuses a session into a map: every key-frame's depth, with the colours of its image.
package struct SessionMapper: Sendable {
    package var parameters = MapParameters()
    package var rule = KeyFrameRule()
    package var keepsLimitedTracking = false
    /// Takes the relative depth, brought to metres by the frame's LiDAR depth.
    package var usesRelativeDepth = false
    /// How many frames are prepared, and how many parts of the map are worked on, at a time.
    package var jobs = 1

    package init() {}

    /// Fuses the frames of a span into a field, of which ``MeshExtractor`` makes the mesh.
    ///
    /// - Parameter progress: is told the seconds of the span that are done.
    /// - Throws: a ``CloudError`` for parameters that make no sense, and what reading throws.
    @concurrent
    package func map(
        _ session: any Session,
        span: ClosedRange<Timestamp>? = nil,
        progress: ProgressHandler = { _ in }
    ) async throws -> (field: FieldSnapshot, report: MapReport) {
        let volume = try MapVolume(parameters, jobs: jobs)
        let workers = (0..<max(1, jobs)).map { _ in
            FrameWorker(session, limits: parameters.depthLimits, usesRelativeDepth: usesRelativeDepth)
        }
        let walk = try KeyFrameWalk(session, span, self)
        var batch = await prepare(try walk.next(workers.count), walk.pictures, workers)
        while !batch.isEmpty {
            try Task.checkCancellation()
            // The next frames are prepared while these are fused: neither stage alone keeps all processors busy.
            let following = try walk.next(workers.count)
            let pictures = walk.pictures
            async let prepared = prepare(following, pictures, workers)
            for one in batch {
                var isHeld = true
                if let frame = one.frame { isHeld = await volume.integrate(frame) }
                walk.note(one, isHeld: isHeld)
            }
            batch = await prepared
            progress(WorkProgress("fusing", walk.seconds, of: walk.totalSeconds, .seconds))
        }
        return (await volume.snapshot(), walk.report(volume))
    }

    /// Prepares frames side by side; the results are in their order.
    private func prepare(
        _ frames: [FrameReference],
        _ pictures: [VideoPicture?],
        _ workers: [FrameWorker]
    ) async -> [PreparedFrame] {
        await mapOrdered(frames.count) { await workers[$0].prepare(frames, pictures, $0) }
    }
}

/// The key-frames of a session in their order, and what became of the others.
///
/// A class, as poses must not live in the frames of async functions (decision 014).
private final class KeyFrameWalk {
    private let cursor: any RecordCursor
    private let video: VideoPass?
    /// Of the frames that were taken last.
    private(set) var pictures: [VideoPicture?] = []
    private var rule: KeyFrameRule
    private let keepsLimitedTracking: Bool
    private let usesRelativeDepth: Bool
    private let hasPictures: Bool
    private let firstTime: Timestamp
    private var counts = MapReport()
    /// Of the span: up to the last frame that was taken, and in all.
    private(set) var seconds = 0.0
    let totalSeconds: Double
    private let start: Timestamp

    init(_ session: any Session, _ span: ClosedRange<Timestamp>?, _ mapper: SessionMapper) throws {
        let summary = session.summary
        let span = span ?? summary.firstTime...max(summary.firstTime, summary.lastTime)
        cursor = try session.records(RecordRequest(span: span, streams: [.frames]))
        video = session.makeVideoPass()
        firstTime = summary.firstTime
        start = max(span.lowerBound, summary.firstTime)
        totalSeconds = max(0, min(span.upperBound, summary.lastTime).seconds(since: start))
        rule = mapper.rule
        keepsLimitedTracking = mapper.keepsLimitedTracking
        usesRelativeDepth = mapper.usesRelativeDepth
        hasPictures = summary.hasImages
        counts.diagnostics = session.diagnostics
    }

    /// The next key-frames, at most so many; none at the end.
    func next(_ most: Int) throws -> [FrameReference] {
        var batch: [FrameReference] = []
        while batch.count < most, let record = try cursor.next() {
            guard case .frame(let frame) = record else { continue }
            guard keepsLimitedTracking || frame.tracking.isNormal else { continue }
            counts.frameCount += 1
            let hasDepth = frame.depthSize != nil && (!usesRelativeDepth || frame.relativeDepthSize != nil)
            if hasDepth { counts.depthFrameCount += 1 }
            let lacksPicture = hasPictures && !frame.hasImage
            guard
                rule.takes(frame.time, frame.worldFromCamera, hasDepth: hasDepth, lacksPicture: lacksPicture)
            else { continue }
            seconds = min(totalSeconds, max(seconds, frame.time.seconds(since: start)))
            batch.append(frame)
        }
        pictures = batch.map { video?.picture(of: $0) }
        return batch
    }

    /// Counts what became of a key-frame.
    ///
    /// - Parameter isHeld: whether the map can hold it.
    func note(_ prepared: PreparedFrame, isHeld: Bool) {
        counts.diagnostics.append(prepared.diagnostics)
        guard prepared.frame != nil else {
            counts.withoutDepth += 1
            return
        }
        guard isHeld else {
            counts.outOfReach += 1
            return
        }
        counts.keyFrameCount += 1
        if !prepared.hasColours { counts.withoutColour += 1 }
    }

    func report(_ volume: MapVolume) -> MapReport {
        var report = counts
        report.limitedTracking = keepsLimitedTracking ? 0 : cursor.limitedTrackingCount
        report.jumpCount = rule.jumpCount
        report.firstJumpSeconds = rule.firstJump.map { $0.seconds(since: firstTime) }
        report.frameCountWithoutRoom = volume.frameCountWithoutRoom
        (report.blockCount, report.byteCount) = (volume.blockCount, volume.byteCount)
        report.diagnostics.append(cursor.diagnostics)
        return report
    }
}

/// A key-frame that was read; without a frame nothing of its depth could be used.
private struct PreparedFrame: Sendable {
    var frame: MapFrame?
    var hasColours = false
    var diagnostics = Diagnostics()
}

/// Reads and prepares frames, in memory that it keeps.
private actor FrameWorker {
    private let loader: any PayloadLoader
    private let frameFile: String
    private let sampler = DepthSampler()
    private let calibrator = RelativeDepthCalibrator()
    private let limits: CloudParameters
    private let usesRelativeDepth: Bool

    init(_ session: any Session, limits: CloudParameters, usesRelativeDepth: Bool) {
        loader = session.makeLoader()
        frameFile = session.summary.frameFile
        self.limits = limits
        self.usesRelativeDepth = usesRelativeDepth
    }

    func prepare(_ frames: [FrameReference], _ pictures: [VideoPicture?], _ place: Int) -> PreparedFrame {
        let frame = frames[place]
        var prepared = PreparedFrame()
        guard let depth = depth(of: frame, &prepared.diagnostics) else { return prepared }
        let stored = loader.image(of: frame, pictures[place], &prepared.diagnostics)
        let scale = stored?.colourScale(depthWidth: depth.width, depthHeight: depth.height) ?? 8
        let image = stored.flatMap { loader.decode($0, of: frame, fullSize: scale == 1, &prepared.diagnostics) }
        let view = DepthView(depth: depth, intrinsics: frame.intrinsics, worldFromCamera: frame.worldFromCamera)
        do throws(CloudError) {
            let samples = try sampler.samples(
                view,
                image: image,
                orientation: stored?.orientation ?? .landscapeRight,
                imageScale: scale,
                parameters: limits
            )
            prepared.frame = MapFrame(samples, worldFromCamera: frame.worldFromCamera)
            prepared.hasColours = image != nil
        } catch {
            prepared.diagnostics.record(problem(frame, "\(error)"))
        }
        return prepared
    }

    private func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        guard let depth = loader.depth(of: frame, &diagnostics) else { return nil }
        guard usesRelativeDepth else { return depth }
        guard let relative = loader.relativeDepth(of: frame, &diagnostics) else { return nil }
        do throws(CalibrationError) {
            let calibration = try calibrator.calibrate(
                depth: depth,
                relativeDepth: relative,
                parameters: CalibrationParameters()
            )
            let values = calibration.relativeDepth(relative)
            let (scale, offset) = (Float(calibration.scale), Float(calibration.offset))
            let metres = values.values.map { scale * $0 + offset }
            return DepthMap(width: values.width, height: values.height, metres: metres)
        } catch {
            diagnostics.record(problem(frame, "\(error)"))
            return nil
        }
    }

    private func problem(_ frame: FrameReference, _ found: String) -> Problem {
        Problem(
            .cloudNotBuilt,
            file: frameFile,
            line: frame.line,
            expected: "a frame that can be fused",
            found: found
        )
    }
}
