import Recording

/// The IMU samples of the time between two steps, evenly spaced: each the last one that was measured before.
struct MotionWindow {
    private let count: Int
    private let intervalNanoseconds: Int64
    private var samples: [(time: Timestamp, values: [Float])] = []
    private var first = 0

    init(count: Int, framesPerSecond: Int) {
        self.count = count
        intervalNanoseconds = 1_000_000_000 / Int64(max(1, framesPerSecond) * max(1, count))
    }

    /// Samples come in the order of their times; those that no later window can have are forgotten.
    mutating func add(_ sample: MotionSample) {
        guard count > 0 else { return }
        let force = MotionWalk.specificForce(sample).map { Float($0) }
        let rate = sample.rotationRate
        samples.append((sample.time, [Float(rate.x), Float(rate.y), Float(rate.z)] + force))
        let start = sample.time.advanced(byNanoseconds: -Int64(count) * intervalNanoseconds)
        while first + 1 < samples.count, samples[first + 1].time < start { first += 1 }
        guard first > 4096 else { return }
        samples.removeFirst(first)
        first = 0
    }

    /// Turn rate in rad/s and specific force in m/s², in the device's axes (REP-145), six numbers a sample.
    ///
    /// - Parameter time: that of a frame; all samples before it were added, and none behind it.
    func values(before time: Timestamp) -> [Float] {
        guard count > 0 else { return [] }
        var values: [Float] = []
        var place = first
        for number in 0..<count {
            let due = time.advanced(byNanoseconds: -Int64(count - 1 - number) * intervalNanoseconds)
            while place + 1 < samples.count, samples[place + 1].time < due { place += 1 }
            values += place < samples.count ? samples[place].values : [Float](repeating: 0, count: 6)
        }
        return values
    }
}
