import Recording
import Sessions
import Text
import Translation

/// One pass over a session's records, without images and depth: what there is over time.
///
/// Memory does not grow with the session. A class, as an async function must not keep poses across an `await` (decision 014).
final class RecordWalk {
    static let trackingStates = ["normal", "limited", "lost"]
    static let orientations = ImageOrientation.allCases
    private static let gapsKept = 500
    private static let framesKept = 400

    let seconds: Double
    private let first: Timestamp
    private let summary: SessionSummary
    private(set) var frameRate: RateColumns
    private(set) var speed: TimeColumns
    private(set) var turnRate: TimeColumns
    private(set) var height: TimeColumns
    private(set) var sharpness: TimeColumns
    /// Frames of a recorded sharpness that the app would not keep.
    private(set) var blurred = 0
    private(set) var exposure: TimeColumns
    private(set) var focalLength: TimeColumns
    private(set) var centreX: TimeColumns
    private(set) var centreY: TimeColumns
    private(set) var motionRate: RateColumns
    private(set) var specificForce: TimeColumns
    private(set) var rotation: TimeColumns
    private(set) var gravityAngle: TimeColumns
    private(set) var accuracy: TimeColumns
    private(set) var still = StillPhases()
    private(set) var tracking: StateColumns
    private(set) var orientation: StateColumns
    private(set) var gaps: [ClosedRange<Double>] = []
    private(set) var gapCount = 0
    private(set) var frames = SpreadSample<FrameReference>(limit: framesKept)
    private(set) var way: CameraWay
    private(set) var fixes = SpreadSample<LocationSample>(limit: WholeScene.places)
    private(set) var limitedTracking = 0
    private(set) var diagnostics = Diagnostics()
    private var last: FrameReference?

    /// - Parameters:
    ///   - request: The records that are looked at.
    ///   - places: How many of the way are kept.
    init(
        _ session: any Session,
        _ request: RecordRequest = RecordRequest(streams: [.frames, .motion, .location]),
        places: Int = 4000
    ) throws {
        summary = session.summary
        first = summary.firstTime
        seconds = max(summary.durationSeconds, 1e-3)
        way = CameraWay(seconds: seconds, limit: places)
        let columns = TimeColumns(seconds: seconds)
        (frameRate, motionRate) = (RateColumns(seconds: seconds), RateColumns(seconds: seconds))
        (speed, turnRate, height, sharpness, exposure) = (columns, columns, columns, columns, columns)
        (focalLength, centreX, centreY) = (columns, columns, columns)
        (specificForce, rotation, gravityAngle, accuracy) = (columns, columns, columns, columns)
        tracking = StateColumns(seconds: seconds, states: Self.trackingStates.count)
        orientation = StateColumns(seconds: seconds, states: Self.orientations.count)
        let walk = try FrameWalk(session, request)
        while let record = try walk.next() {
            try Task.checkCancellation()
            switch record {
            case .frame(let frame): add(frame)
            case .motion(let sample): add(sample)
            case .location(let fix):
                fixes.add(fix)
                if let metres = fix.horizontalAccuracyMetres { accuracy.add(metres, at: time(fix.time)) }
            case .heading, .radio, .indoor: break
            }
        }
        diagnostics = walk.damage
        limitedTracking = walk.limitedTracking
    }

    private func time(_ time: Timestamp) -> Double { time.seconds(since: first) }

    private func add(_ frame: FrameReference) {
        let now = time(frame.time)
        frameRate.add(at: now)
        frames.add(frame)
        let isLost = frame.tracking == .notAvailable || frame.tracking == .initializing
        if frame.tracking != .unknown { tracking.add(frame.tracking.isNormal ? 0 : isLost ? 2 : 1, at: now) }
        if let declared = frame.declaredOrientation.flatMap({ Self.orientations.firstIndex(of: $0) }) {
            orientation.add(declared, at: now)
        }
        if let value = frame.sharpness {
            sharpness.add(value, at: now)
            if value < Sharpness.appMinimum { blurred += 1 }
        }
        if let value = frame.exposureSeconds { exposure.add(value * 1000, at: now) }
        focalLength.add(frame.intrinsics.fx, at: now)
        centreX.add(frame.intrinsics.cx, at: now)
        centreY.add(frame.intrinsics.cy, at: now)
        if let last { addStep(from: last, to: frame, now) }
        last = frame
        guard frame.tracking.isNormal else { return }
        addPlace(frame, now)
    }

    private func addStep(from last: FrameReference, to frame: FrameReference, _ now: Double) {
        let interval = frame.time.seconds(since: last.time)
        guard interval > 0 else { return }
        if let median = summary.medianIntervalSeconds, interval > 3 * median {
            gapCount += 1
            if gaps.count < Self.gapsKept { gaps.append(max(0, now - interval)...max(0, now)) }
        }
        guard last.tracking.isNormal, frame.tracking.isNormal, interval < 1 else { return }
        let step = last.worldFromCamera.inverse * frame.worldFromCamera
        speed.add(step.translation.length / interval, at: now)
        turnRate.add(step.rotation.angleRadians * 180 / .pi / interval, at: now)
    }

    private func addPlace(_ frame: FrameReference, _ now: Double) {
        let place = Coordinates.mapFromWorld * frame.worldFromCamera.translation
        let optical = Coordinates.mapFromWorld * frame.worldFromCamera * Coordinates.opticalFromCamera.inverse
        height.add(place.z, at: now)
        way.add(place, turn: optical.rotation, at: now)
    }

    private func add(_ sample: MotionSample) {
        let now = time(sample.time)
        motionRate.add(at: now)
        let force = (sample.gravity + sample.userAcceleration).length * MotionSample.standardGravity
        specificForce.add(force, at: now)
        still.add(sample, force: force)
        rotation.add(sample.rotationRate.length * 180 / .pi, at: now)
        guard let last, last.tracking.isNormal, abs(sample.time.seconds(since: last.time)) <= 0.05,
            let degrees = DeviceAxes.gravityDisagreementDegrees(sample, last.worldFromCamera)
        else { return }
        gravityAngle.add(degrees, at: now)
    }
}

/// The readings of an IMU while the phone lies still: the rest of the gyroscope's bias, and the length of gravity.
///
/// Still is a second in which no axis of the gyroscope varies by more than 0.3 degrees a second (one standard deviation),
/// the mean turn rate is below 3, and the specific force varies by less than 0.05 m/s²: hands tremble ten times as much.
struct StillPhases {
    private struct Window {
        var start: Timestamp
        var count = 0.0
        var rate = SIMD3<Double>.zero
        var rateSquares = SIMD3<Double>.zero
        var force = 0.0
        var forceSquares = 0.0
    }

    private static let windowSeconds = 1.0
    private static let leastSamples = 10.0

    private(set) var seconds = 0
    private var count = 0.0
    private var rate = SIMD3<Double>.zero
    private var force = 0.0
    private var window: Window?

    /// Means of all still seconds: degrees a second by axis of the device, and metres per square second.
    var means: (rate: SIMD3<Double>, force: Double)? { count > 0 ? (rate / count, force / count) : nil }

    /// - Parameter force: The length of the specific force in m/s².
    mutating func add(_ sample: MotionSample, force: Double) {
        if let window, abs(sample.time.seconds(since: window.start)) >= Self.windowSeconds { close(window) }
        let degrees = 180 / Double.pi
        let rate = SIMD3(sample.rotationRate.x, sample.rotationRate.y, sample.rotationRate.z) * degrees
        var current = window ?? Window(start: sample.time)
        current.count += 1
        current.rate += rate
        current.rateSquares += rate * rate
        current.force += force
        current.forceSquares += force * force
        window = current
    }

    private mutating func close(_ window: Window) {
        self.window = nil
        guard window.count >= Self.leastSamples else { return }
        let mean = window.rate / window.count
        let variance = window.rateSquares / window.count - mean * mean
        let force = window.force / window.count
        let forceVariance = window.forceSquares / window.count - force * force
        guard variance.max() < 0.09, (mean * mean).sum() < 9, forceVariance < 0.0025 else { return }
        seconds += 1
        count += window.count
        rate += window.rate
        self.force += window.force
    }
}
