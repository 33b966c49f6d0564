import Perception
package import Platform
package import Recording
package import Sessions

/// The counts of a session's frames on the way into a map.
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
    /// The memory of the map, in bytes.
    package var byteCount = 0
    package var diagnostics = Diagnostics()
}

/// Fuses a session into a map: every key-frame's depth, with the colours of its image.
package struct SessionMapper: Sendable {
    package var parameters = MapParameters()
    package var rule = KeyFrameRule()
    package var keepsLimitedTracking = false
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
        let fuser = Fuser(try MapVolume(parameters, jobs: jobs))
        let pass = try KeyFramePass(
            session,
            span: span,
            rule,
            keepsLimitedTracking: keepsLimitedTracking,
            prefersPictures: session.summary.hasImages
        )
        let limits = parameters.depthLimits
        var fusion = Fusion(fuser)
        try await pass.walk.forEachFrame(jobs: jobs) {
            FrameWorker(session)
        } prepare: { worker, walked in
            KeyFrame(
                walked,
                worker,
                limits,
                worldFromCamera: walked.frame.worldFromCamera,
                readsImage: true,
                hasColours: true
            )
        } deliver: { prepared in
            await fusion.finish()
            fusion.start(prepared)
            progress(pass.progress("fusing", at: prepared.time))
        }
        await fusion.finish()
        pass.finish(&fusion.report)
        return await fuser.finish(fusion.report)
    }
}

/// A frame is fused while the next ones are prepared: neither stage alone keeps all processors busy.
private struct Fusion {
    var report = MapReport()
    private let fuser: Fuser
    private var last: (task: Task<Bool, Never>, hasColours: Bool)?

    init(_ fuser: Fuser) { self.fuser = fuser }

    mutating func start(_ prepared: KeyFrame) {
        report.diagnostics.append(prepared.diagnostics)
        guard let frame = prepared.frame else { return report.withoutDepth += 1 }
        last = (Task { [fuser] in await fuser.fuse(frame) }, prepared.hasColours)
    }

    /// Waits for the frame that was started.
    mutating func finish() async {
        guard let last else { return }
        self.last = nil
        guard await last.task.value else { return report.outOfReach += 1 }
        report.keyFrameCount += 1
        if !last.hasColours { report.withoutColour += 1 }
    }
}

private actor Fuser {
    private let volume: MapVolume

    init(_ volume: sending MapVolume) { self.volume = volume }

    func fuse(_ frame: MapFrame) async -> Bool { await volume.integrate(frame) }

    /// The map, and the report with what is known of the map alone.
    func finish(_ report: MapReport) async -> (field: FieldSnapshot, report: MapReport) {
        var report = report
        report.frameCountWithoutRoom = volume.frameCountWithoutRoom
        (report.blockCount, report.byteCount) = (volume.blockCount, volume.byteCount)
        return (await volume.snapshot(), report)
    }
}
