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
    private let goesByTime: Bool
    private var rule: KeyFrameRule
    private var passed = 0
    private var numbers: Set<Int> = []
    private var lastTime: Timestamp?
    private(set) var counts = SelectionCounts()

    init(_ session: any Session, _ plan: ExportPlan, span: ClosedRange<Timestamp>) throws {
        cursor = try session.records(RecordRequest(span: span, streams: [.frames]))
        self.plan = plan
        needsImage = plan.format.needsImages
        goesByTime = plan.format.goesByTime
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
            guard isNew(frame) else {
                counts.repeated += 1
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

    /// Whether no frame before has the number or, where views are known by it, the time.
    ///
    /// A picture of the same name would take the place of the first.
    private func isNew(_ frame: FrameReference) -> Bool {
        let isSameTime = goesByTime && frame.time == lastTime
        lastTime = frame.time
        guard needsImage else { return !isSameTime }
        return numbers.insert(frame.index).inserted && !isSameTime
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
    /// Frames of a number, or for formats that go by time of a time, that was there before.
    package var repeated = 0
    package var poseJumps = 0

    /// Frames that could have been taken, and were passed over by what was asked for.
    package var notSelected: Int { frames - selected - withoutImage - blurred - repeated }
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
    /// The largest part around the principal point that each of the images has.
    private var centredSize = GridSize(width: .max, height: .max)
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

    /// One camera for images that are cut around their principal points: the mean, with its own in the centre.
    var centredCamera: CameraIntrinsics {
        let size = counts.selected > 0 ? centredSize : GridSize(width: 1, height: 1)
        return CameraIntrinsics(
            width: size.width,
            height: size.height,
            fx: meanIntrinsics.fx,
            fy: meanIntrinsics.fy,
            cx: Double(size.width - 1) / 2,
            cy: Double(size.height - 1) / 2
        )
    }

    private mutating func add(_ frame: FrameReference) {
        if frame.depthSize != nil { withDepth += 1 }
        if let last = lastTime, frame.time.seconds(since: last) > 0.5 {
            gapCount += 1
            if gaps.count < 20 { gaps.append((last, frame.time.seconds(since: last))) }
        }
        if firstTime == nil { firstTime = frame.time }
        lastTime = frame.time
        sizes.insert(frame.intrinsics.size)
        let part = CentredCut.largest(frame.intrinsics)
        centredSize.width = min(centredSize.width, part.width)
        centredSize.height = min(centredSize.height, part.height)
        // Means are those of the first size.
        if meanIntrinsics.width == 0 {
            (meanIntrinsics.width, meanIntrinsics.height) = (frame.intrinsics.width, frame.intrinsics.height)
        }
        let intrinsics = frame.intrinsics.scaled(toWidth: meanIntrinsics.width, height: meanIntrinsics.height)
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
