import Maps
import Recording
import Sessions

/// The frames of a session that are exported, in the order of their times.
///
/// The same plan gives the same frames each time: the first walk counts, the second exports. A class, as poses must not
/// live in the frames of async functions (decision 014).
final class FrameSelection {
    private let cursor: any RecordCursor
    private let plan: ExportPlan
    private let needsImage: Bool
    private var rule: KeyFrameRule
    private var passed = 0
    private(set) var counts = SelectionCounts()

    init(_ session: any Session, _ plan: ExportPlan, span: ClosedRange<Timestamp>) throws {
        cursor = try session.records(RecordRequest(span: span, streams: [.frames]))
        self.plan = plan
        needsImage = plan.format.needsImages
        rule = KeyFrameRule(afterMetres: plan.minimumMetres, orRadians: plan.minimumRadians)
    }

    var diagnostics: Diagnostics { cursor.diagnostics }

    func next() throws -> FrameReference? {
        while let record = try cursor.next() {
            guard case .frame(let frame) = record else { continue }
            guard plan.keepsLimitedTracking || frame.tracking.isNormal else { continue }
            counts.frames += 1
            if needsImage, !frame.hasImage {
                counts.withoutImage += 1
                continue
            }
            if let least = plan.minimumSharpness, let sharpness = frame.sharpness, sharpness < least {
                counts.blurred += 1
                continue
            }
            guard rule.takes(frame.time, frame.worldFromCamera) else { continue }
            passed += 1
            guard (passed - 1) % plan.every == 0 else { continue }
            counts.selected += 1
            return frame
        }
        counts.limitedTracking = plan.keepsLimitedTracking ? 0 : cursor.limitedTrackingCount
        counts.poseJumps = rule.jumpCount
        return nil
    }
}

/// What became of a session's frames before any image was read.
package struct SelectionCounts: Sendable, Hashable {
    /// Frames of trusted tracking.
    package var frames = 0
    package var selected = 0
    package var limitedTracking = 0
    package var withoutImage = 0
    package var blurred = 0
    package var poseJumps = 0
}

/// What the first walk finds: everything that must be known before the first image is written.
struct FrameCensus {
    private(set) var counts = SelectionCounts()
    private(set) var withDepth = 0
    private(set) var firstTime: Timestamp?
    private(set) var lastTime: Timestamp?
    /// Means over the frames, for the sensor's grid.
    private(set) var meanIntrinsics = CameraIntrinsics(width: 0, height: 0, fx: 0, fy: 0, cx: 0, cy: 0)
    private(set) var sizes: Set<GridSize> = []
    /// Of the cameras in ARKit's world.
    private(set) var centre = Vector3.zero
    private var low = Vector3(repeating: .infinity)
    private var high = Vector3(repeating: -.infinity)
    private var sums = (fx: 0.0, fy: 0.0, cx: 0.0, cy: 0.0)
    /// Waits of more than half a second between frames that were recorded at all.
    private(set) var gaps: [(from: Timestamp, seconds: Double)] = []
    private(set) var gapCount = 0

    init(_ session: any Session, _ plan: ExportPlan, span: ClosedRange<Timestamp>) throws {
        let selection = try FrameSelection(session, plan, span: span)
        while let frame = try selection.next() { add(frame) }
        counts = selection.counts
        let count = Double(max(1, counts.selected))
        centre /= count
        meanIntrinsics.fx = sums.fx / count
        meanIntrinsics.fy = sums.fy / count
        meanIntrinsics.cx = sums.cx / count
        meanIntrinsics.cy = sums.cy / count
    }

    /// No camera is farther than this from ``centre``.
    var reachMetres: Double {
        guard counts.selected > 0 else { return 0 }
        let (below, above) = (centre - low, high - centre)
        return Vector3(max(below.x, above.x), max(below.y, above.y), max(below.z, above.z)).length
    }

    private mutating func add(_ frame: FrameReference) {
        if frame.depthSize != nil { withDepth += 1 }
        if let last = lastTime, frame.time.seconds(since: last) > 0.5 {
            gapCount += 1
            if gaps.count < 20 { gaps.append((last, frame.time.seconds(since: last))) }
        }
        if firstTime == nil { firstTime = frame.time }
        lastTime = frame.time
        let intrinsics = frame.intrinsics
        sizes.insert(GridSize(width: intrinsics.width, height: intrinsics.height))
        (meanIntrinsics.width, meanIntrinsics.height) = (intrinsics.width, intrinsics.height)
        sums.fx += intrinsics.fx
        sums.fy += intrinsics.fy
        sums.cx += intrinsics.cx
        sums.cy += intrinsics.cy
        let position = frame.worldFromCamera.translation
        centre += position
        low = low.replacing(with: position, where: position .< low)
        high = high.replacing(with: position, where: position .> high)
    }
}
