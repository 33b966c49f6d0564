import Recording

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
