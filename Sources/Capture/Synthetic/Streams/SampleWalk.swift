import Files
import Recording
import SessionLines

extension SampleSchedule {
    /// Calls `body` with every frame and its pose as it is recorded, in the order of time.
    func eachFrame(_ body: (SampleFrame, Transform) throws(FileError) -> Void) throws(FileError) {
        let trajectory = trajectory
        var drift = OdometryDrift(percent: options.driftPercent)
        for index in 0..<frameCount {
            let frame = frame(index)
            try body(frame, drift.recorded(trajectory.worldFromCamera(atSeconds: frame.seconds)))
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
