import Recording

/// Which frames of a recording stand for the steps of a fixed rate, and where episodes begin.
///
/// Each step takes the frame nearest to it; a frame may stand for several steps, or for none. Where two frames are more
/// than ``largestGapSeconds`` apart an episode ends, and the next frame begins another.
package struct EpisodeGrid: Sendable {
    package static let largestGapSeconds = 1.0

    /// For each frame, how many steps it stands for.
    package private(set) var steps: [Int32]
    /// For each frame, whether it begins an episode.
    package private(set) var begins: [Bool]
    package private(set) var episodeCount = 0
    package private(set) var stepCount = 0
    /// Frames that stand for no step.
    package private(set) var passedOver = 0
    /// Frames of episodes that would have one step only.
    package private(set) var lonely = 0
    /// Steps whose frame stands for another one too.
    package private(set) var repeated = 0
    /// How far a frame is from its step at most.
    package private(set) var largestErrorNanoseconds: Int64 = 0

    /// - Parameters:
    ///   - times: of the frames that can be used, in nanoseconds, in ascending order.
    ///   - framesPerSecond: the rate of the steps, 1 or more.
    package init(_ times: [Int64], framesPerSecond: Int) {
        steps = [Int32](repeating: 0, count: times.count)
        begins = [Bool](repeating: false, count: times.count)
        let largestGap = Self.largestGapSeconds * 1e9
        var first = 0
        while first < times.count {
            var end = first + 1
            while end < times.count, Double(times[end]) - Double(times[end - 1]) <= largestGap { end += 1 }
            addEpisode(times, first..<end, max(1, framesPerSecond))
            first = end
        }
        passedOver = steps.count { $0 == 0 } - lonely
    }

    private mutating func addEpisode(_ times: [Int64], _ frames: Range<Int>, _ rate: Int) {
        let start = times[frames.lowerBound]
        let seconds = Double(times[frames.upperBound - 1] - start) / 1e9
        // The last step is at most a quarter of a period behind the last frame.
        let count = Int(min(seconds * Double(rate) + 0.25, 1e9)) + 1
        guard count > 1 else {
            lonely += frames.count
            return
        }
        var frame = frames.lowerBound
        for step in 0..<count {
            let time = start + EpisodeGrid.nanoseconds(ofStep: step, framesPerSecond: rate)
            while frame + 1 < frames.upperBound, abs(times[frame + 1] - time) <= abs(times[frame] - time) { frame += 1 }
            if steps[frame] > 0 { repeated += 1 }
            steps[frame] += 1
            largestErrorNanoseconds = max(largestErrorNanoseconds, abs(times[frame] - time))
        }
        begins[frames.lowerBound] = true
        episodeCount += 1
        stepCount += count
    }

    /// The time of a step from the beginning of its episode.
    package static func nanoseconds(ofStep step: Int, framesPerSecond: Int) -> Int64 {
        Int64((Double(step) * 1e9 / Double(framesPerSecond)).rounded())
    }
}
