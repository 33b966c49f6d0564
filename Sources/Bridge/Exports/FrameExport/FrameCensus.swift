import Recording
package import Sessions
import Translation

extension FrameCounts {
    /// Frames that could have been taken, and were passed over by the plan.
    package var notSelected: Int { self[.near] + self[.passedOver] }

    /// Returns the counts of the frames, in a line.
    func text(limitedTracking: Int) -> String {
        "\(trusted) frames of trusted tracking, \(limitedTracking) of limited tracking, \(self[.withoutImage]) without "
            + "image, \(self[.blurred]) not sharp enough, \(self[.repeated]) of a time or number that was there before"
    }
}

/// The results of the first walk: everything that must be known before the first image is written.
package struct FrameCensus {
    private(set) var counts = FrameCounts()
    private(set) var limitedTracking = 0
    private(set) var withDepth = 0
    private(set) var firstTime: Timestamp?
    private(set) var lastTime: Timestamp?
    /// Means over the frames, for the sensor's grid.
    private(set) var meanIntrinsics = CameraIntrinsics(width: 0, height: 0, fx: 0, fy: 0, cx: 0, cy: 0)
    private(set) var sizes: Set<GridSize> = []
    /// True if a camera has lens distortion.
    private(set) var hasLens = false
    private(set) var lensesDiffer = false
    /// The largest part around the principal point that each of the images has.
    private var centredSize = GridSize(width: .max, height: .max)
    /// The centre of the cameras in ARKit's world.
    private(set) var centre = Vector3.zero
    private var low = Vector3(repeating: .infinity)
    private var high = Vector3(repeating: -.infinity)
    private var sums = (fx: 0.0, fy: 0.0, cx: 0.0, cy: 0.0)
    /// Waits of more than half a second between frames that were recorded at all.
    private(set) var gaps: [(from: Timestamp, seconds: Double)] = []
    private(set) var gapCount = 0

    init(_ session: any Session, _ plan: ExportPlan, span: ClosedRange<Timestamp>) throws {
        let walk = try FrameWalk(session, span, plan.frames)
        while let walked = try walk.nextFrame(takesPicture: false) { add(walked.frame) }
        (counts, limitedTracking) = (walk.counts, walk.limitedTracking)
        let count = Double(max(1, selected))
        centre /= count
        meanIntrinsics.fx = sums.fx / count
        meanIntrinsics.fy = sums.fy / count
        meanIntrinsics.cx = sums.cx / count
        meanIntrinsics.cy = sums.cy / count
    }

    /// How many frames are exported, if all of them can be read.
    var selected: Int { counts[.kept] }

    /// No camera is farther than this from ``centre``.
    var reachMetres: Double {
        guard selected > 0 else { return 0 }
        let (below, above) = (centre - low, high - centre)
        return Vector3(max(below.x, above.x), max(below.y, above.y), max(below.z, above.z)).length
    }

    /// One camera for images that are cut around their principal points: the mean, with its own in the centre.
    var centredCamera: CameraIntrinsics {
        let size = selected > 0 ? centredSize : GridSize(width: 1, height: 1)
        return CameraIntrinsics(
            width: size.width,
            height: size.height,
            fx: meanIntrinsics.fx,
            fy: meanIntrinsics.fy,
            cx: Double(size.width - 1) / 2,
            cy: Double(size.height - 1) / 2,
            distortion: meanIntrinsics.distortion
        )
    }

    private mutating func add(_ frame: FrameReference) {
        if frame.hasDepth { withDepth += 1 }
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
            meanIntrinsics.distortion = frame.intrinsics.distortion
        }
        // Of lenses that differ there is no mean.
        if frame.intrinsics.distortion != nil { hasLens = true }
        if meanIntrinsics.distortion != frame.intrinsics.distortion {
            (meanIntrinsics.distortion, lensesDiffer) = (nil, true)
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

/// The IMU samples of an export's span, with their Unix times.
struct MotionWalk {

    private let context: ExportContext

    init(_ context: ExportContext) { self.context = context }

    func forEach(_ body: (MotionSample, Int64) throws -> Void) throws {
        let walk = try FrameWalk(context.session, RecordRequest(span: context.span, streams: [.motion]))
        while case .motion(let sample)? = try walk.next() { try body(sample, context.anchor.stamp(sample.time)) }
    }

    /// In m/s², in the device's axes: +9.81 along the axis that points up, at rest (REP-145).
    static func specificForce(_ sample: MotionSample) -> [Double] {
        let force = (sample.userAcceleration + sample.gravity) * -MotionSample.standardGravity
        return [force.x, force.y, force.z]
    }
}

extension ExportContext {
    /// To a hundredth.
    var framesPerSecond: Double {
        guard let first = census.firstTime, let last = census.lastTime, census.selected > 1 else { return 1 }
        let seconds = last.seconds(since: first)
        guard seconds > 0 else { return 1 }
        return max(0.01, (Double(census.selected - 1) / seconds * 100).rounded() / 100)
    }
}

/// Text of a recording in a line of a file.
enum PlainText {
    /// Without line breaks and other control characters.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
