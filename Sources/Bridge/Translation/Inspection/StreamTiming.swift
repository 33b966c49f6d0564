import Glibc
package import Recording

/// How even the times of a stream are: what is missing by its own rate.
///
/// Intervals are kept as counts of steps of 2 %: the memory does not grow with the stream.
package struct StreamTiming: Sendable {
    private static let step = 1.02

    package private(set) var count = 0
    private var last: Timestamp?
    private var intervals: [Int: Int] = [:]

    package mutating func add(_ time: Timestamp) {
        count += 1
        if let last, time > last { add(seconds: time.seconds(since: last)) }
        last = time
    }

    /// Adds a distance in time that is no interval of one stream.
    mutating func add(seconds: Double) {
        guard seconds.isFinite else { return }
        // Below a nanosecond it is none.
        let place = (log(max(seconds, 1e-9)) / log(Self.step)).rounded()
        intervals[Int(place), default: 0] += 1
    }

    /// Half of the intervals are below it; nil without any.
    package var medianSeconds: Double? { quantile(0.5) }

    package var largestSeconds: Double? { intervals.keys.max().map(Self.seconds) }

    /// How many records fit into the gaps.
    package var missingCount: Int {
        guard let median = medianSeconds else { return 0 }
        return intervals.reduce(0) { sum, interval in
            let ratio = Self.seconds(interval.key) / median
            guard ratio > 1.5 else { return sum }
            return sum &+ interval.value &* (Int(min(ratio, 1e9).rounded()) - 1)
        }
    }

    private func quantile(_ share: Double) -> Double? {
        let total = intervals.values.reduce(0, +)
        var before = 0
        for (place, count) in intervals.sorted(by: { $0.key < $1.key }) {
            before += count
            if Double(before) >= share * Double(total) { return Self.seconds(place) }
        }
        return nil
    }

    private static func seconds(_ place: Int) -> Double { pow(step, Double(place)) }
}

/// How the streams of a recording fit together.
package struct StreamAlignment: Sendable {
    package private(set) var frames = StreamTiming()
    package private(set) var motion = StreamTiming()
    /// From each frame to the sample of the IMU that is nearest in time.
    package private(set) var frameToMotion = StreamTiming()
    /// The smallest and the largest value of fx, fy, cx and cy, in pixels; nil without frames.
    package private(set) var intrinsics: (low: [Double], high: [Double])?
    private var lastMotion: Timestamp?
    private var waiting: [Timestamp] = []

    /// Takes records in the order of time.
    package mutating func add(_ record: Record) {
        switch record {
        case .frame(let frame):
            frames.add(frame.time)
            add(frame.intrinsics)
            // Without an IMU none waits for a sample.
            if lastMotion != nil, waiting.count < 64 { waiting.append(frame.time) }
        case .motion(let sample):
            motion.add(sample.time)
            for time in waiting {
                let before = lastMotion.map { time.seconds(since: $0) } ?? .infinity
                frameToMotion.add(seconds: min(before, sample.time.seconds(since: time)))
            }
            waiting.removeAll(keepingCapacity: true)
            lastMotion = sample.time
        case .location, .heading, .radio, .indoor: break
        }
    }

    private mutating func add(_ camera: CameraIntrinsics) {
        let values = [camera.fx, camera.fy, camera.cx, camera.cy]
        guard let known = intrinsics else { return intrinsics = (values, values) }
        intrinsics = (zip(known.low, values).map { min($0, $1) }, zip(known.high, values).map { max($0, $1) })
    }
}
