import Platform
import Recording

/// One frame of a synthetic session before it is rendered.
struct SampleFrame: Hashable {
    var index: Int
    var timestampNanoseconds: Int64
    /// Seconds since the first frame, for the trajectory.
    var seconds: Double
    /// Which of the rendered images it shows.
    var image: Int
    /// How its JPEG is turned.
    var orientation: ImageOrientation
}

/// When each frame is taken, and which image it shows.
struct SampleSchedule: Sendable {
    /// The phone's clock when recording starts, in nanoseconds since boot.
    static let startNanoseconds: Int64 = 4_321_250_000_000
    /// The first frame comes a little after the button was pressed.
    static let firstFrameNanoseconds: Int64 = startNanoseconds + 50_000_000
    /// 2026-01-01T12:00:00Z at `startNanoseconds`.
    static let startUnixNanoseconds: Int64 = 1_767_268_800_000_000_000

    let options: SampleOptions
    let frameCount: Int
    /// How many different images there are.
    let imageCount: Int

    init(options: SampleOptions) {
        self.options = options
        frameCount = options.frameCount
        imageCount = min(options.imageCount ?? frameCount, frameCount)
    }

    /// The walk that the frames see; with repeated images it swings, so that frames of one image share one pose.
    var trajectory: Trajectory {
        let hold: ImageOrientation =
            if case .fixed(let orientation) = options.orientation { orientation } else { .landscapeRight }
        guard imageCount < frameCount else { return Trajectory(options.walk, orientation: hold, pace: .steady) }
        let half = Double(imageCount - 1) / options.framesPerSecond
        return Trajectory(options.walk, orientation: hold, pace: .swinging(halfPeriodSeconds: half))
    }

    func frame(_ index: Int) -> SampleFrame {
        let offset = Int64((Double(index) * 1e9 / options.framesPerSecond).rounded())
        return SampleFrame(
            index: index,
            timestampNanoseconds: SampleSchedule.firstFrameNanoseconds + offset,
            seconds: Double(offset) / 1e9,
            image: image(ofFrame: index),
            orientation: orientation(atSeconds: Double(offset) / 1e9)
        )
    }

    /// The last instant of the session.
    var endNanoseconds: Int64 { frame(frameCount - 1).timestampNanoseconds + 40_000_000 }

    /// Forth and back: 0 1 2 3 2 1 0 1 ...
    private func image(ofFrame index: Int) -> Int {
        guard imageCount > 1 else { return 0 }
        let place = index % (2 * imageCount - 2)
        return place < imageCount ? place : 2 * imageCount - 2 - place
    }

    private func orientation(atSeconds seconds: Double) -> ImageOrientation {
        // Other apps store what the sensor saw, however the phone was held.
        guard options.format == .native || options.format.turnsPictures else { return .landscapeRight }
        return switch options.orientation {
        case .fixed(let orientation): orientation
        case .unrecorded: .landscapeRight
        case .mixed:
            [.landscapeRight, .portrait, .landscapeLeft, .portraitUpsideDown][Int(seconds + 1e-6) % 4]
        }
    }
}

/// The images to render, each with the frames whose files it fills.
struct RenderPlan {
    /// One image and the files that are written for it; later frames of the same content are linked to those.
    struct Item: Sendable {
        var frame: SampleFrame
        /// The first frame of each orientation that the image is stored in.
        var pictures: [SampleFrame] = []
    }

    private(set) var items: [Item] = []

    init(_ schedule: SampleSchedule) {
        var seen = Set<JPEGKey>()
        for index in 0..<schedule.frameCount {
            let frame = schedule.frame(index)
            // Images are first shown in their own order.
            if frame.image == items.count { items.append(Item(frame: frame)) }
            if seen.insert(JPEGKey(image: frame.image, orientation: frame.orientation)).inserted {
                items[frame.image].pictures.append(frame)
            }
        }
    }

    /// Frames with the same key show the same JPEG.
    struct JPEGKey: Hashable {
        var image: Int
        var orientation: ImageOrientation
    }
}

extension SampleSchedule {
    /// Calls `body` with every frame and its pose as it is recorded, in the order of time.
    func eachFrame(_ body: (SampleFrame, Transform) throws(FileError) -> Void) throws(FileError) {
        let trajectory = trajectory
        var errors = PoseErrors(options)
        for index in 0..<frameCount {
            let frame = frame(index)
            try body(frame, errors.recorded(trajectory.worldFromCamera(atSeconds: frame.seconds)))
        }
    }

    /// Calls `body` at a rate from the start of the session to its end, with seconds since the first frame.
    func eachTick(
        rateHertz: Double,
        _ body: (_ seconds: Double, _ nanoseconds: Int64, _ index: Int) throws(FileError) -> Void
    ) throws(FileError) {
        let end = endNanoseconds
        var index = 0
        while true {
            let offset = Int64((Double(index) * 1e9 / rateHertz).rounded())
            let nanoseconds = SampleSchedule.startNanoseconds + offset
            if nanoseconds > end { return }
            let seconds = Double(nanoseconds - SampleSchedule.firstFrameNanoseconds) / 1e9
            try body(seconds, nanoseconds, index)
            index += 1
        }
    }

    /// Calls `body` with every sample of the IMU; says how many.
    func eachMotionSample(_ body: (MotionSample) throws(FileError) -> Void) throws(FileError) -> Int {
        guard options.imuRateHertz > 0 else { return 0 }
        let motion = PhoneMotion(trajectory: trajectory)
        var count = 0
        try eachTick(rateHertz: options.imuRateHertz) { seconds, nanoseconds, _ throws(FileError) in
            try body(motion.sample(atSeconds: seconds, nanoseconds: nanoseconds))
            count += 1
        }
        return count
    }

    /// The fixes of a receiver that gives one each second.
    var locationFixes: [LocationSample] {
        guard options.hasGPS else { return [] }
        let location = PhoneLocation(trajectory: trajectory, options: options)
        let count = Int((endNanoseconds - Self.startNanoseconds) / 1_000_000_000) + 1
        return (0..<count).map { index in
            let nanoseconds = Self.startNanoseconds + Int64(index) * 1_000_000_000
            let seconds = Double(nanoseconds - Self.firstFrameNanoseconds) / 1e9
            return location.fix(atSeconds: seconds, nanoseconds: nanoseconds, index: index)
        }
    }

    /// Seconds since 1970 at a time of the phone's clock, with nine decimals.
    static func unixSeconds(_ nanoseconds: Int64) -> String {
        decimalSeconds(unixNanoseconds(nanoseconds))
    }

    /// Nanoseconds since 1970 at a time of the phone's clock.
    static func unixNanoseconds(_ nanoseconds: Int64) -> Int64 { startUnixNanoseconds + nanoseconds - startNanoseconds }
}
