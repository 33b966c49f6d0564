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
        var report = MapReport()
        let limits = parameters.depthLimits
        // A frame is fused while the next ones are prepared: neither stage alone keeps all processors busy.
        var fusing: (task: Task<Bool, Never>, hasColours: Bool)?
        nonisolated(nonsending) func finishFusing() async {
            guard let last = fusing else { return }
            fusing = nil
            guard await last.task.value else { return report.outOfReach += 1 }
            report.keyFrameCount += 1
            if !last.hasColours { report.withoutColour += 1 }
        }
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
            await finishFusing()
            report.diagnostics.append(prepared.diagnostics)
            if let frame = prepared.frame {
                fusing = (Task { await fuser.fuse(frame) }, prepared.hasColours)
            } else {
                report.withoutDepth += 1
            }
            progress(pass.progress("fusing", at: prepared.time))
        }
        await finishFusing()
        pass.finish(&report)
        return await fuser.finish(report)
    }
}

/// Fuses frames while others are prepared; each is waited for before the next one.
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
