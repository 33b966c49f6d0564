import Recording

/// Compares how fast the poses turn with how fast the IMU turns, frame by frame: poses that stand with other frames than
/// their own turn too late or too early.
///
/// Only the size of the rate counts, so that axes and signs do not matter.
struct TurnRateCheck {
    /// How much smaller the squared difference has to be when the poses are moved.
    private static let mostShare = 0.5
    /// And how small it is then, as a share of the squared rates.
    private static let mostResidual = 0.25
    private static let fewestIntervals = 20

    /// The turn rates of one interval between frames, in rad/s.
    private struct Interval {
        var poses: Double
        var motion: Double
    }

    private struct Tally {
        var difference = 0.0
        var rates = 0.0
        var count = 0

        mutating func add(_ poses: Double, _ motion: Double) {
            difference += (poses - motion) * (poses - motion)
            rates += motion * motion
            count += 1
        }
    }

    private let names: FrameNames
    private var first: FrameReference?
    private var last: FrameReference?
    private var sum = Vector3.zero
    private var samples = 0
    private var recent: [Interval] = []
    /// The tallies, by the number of frames by which the poses are late.
    private var tallies: [Int: Tally] = [:]

    init(names: FrameNames) { self.names = names }

    mutating func add(_ record: Record) {
        switch record {
        case .motion(let sample):
            sum = sum + sample.rotationRate
            samples += 1
        case .frame(let frame):
            endInterval(frame)
            (last, sum, samples) = (frame, .zero, 0)
            if first == nil { first = frame }
        case .location, .heading, .radio, .indoor: break
        }
    }

    private mutating func endInterval(_ frame: FrameReference) {
        guard let last, samples > 0, frame.tracking.isNormal, last.tracking.isNormal,
            case let seconds = frame.time.seconds(since: last.time), seconds > 0, seconds < 1
        else {
            recent = []
            return
        }
        let turn = last.worldFromCamera.rotation.inverse * frame.worldFromCamera.rotation
        let interval = Interval(poses: turn.angleRadians / seconds, motion: (sum * (1 / Double(samples))).length)
        guard interval.poses.isFinite, interval.motion.isFinite else { return }
        tallies[0, default: Tally()].add(interval.poses, interval.motion)
        for (index, earlier) in recent.reversed().enumerated() {
            tallies[index + 1, default: Tally()].add(interval.poses, earlier.motion)
            tallies[-index - 1, default: Tally()].add(earlier.poses, interval.motion)
        }
        recent.append(interval)
        if recent.count > NeighbourPairs.lag { recent.removeFirst() }
    }

    /// The problem where the rates agree clearly better with the poses moved in the list.
    var problem: Problem? {
        guard let first, let asRecorded = tallies[0], asRecorded.count >= Self.fewestIntervals else { return nil }
        func residual(_ tally: Tally) -> Double { tally.difference / max(tally.rates, 1e-9) }
        let others = tallies.filter { $0.key != 0 && $0.value.count >= Self.fewestIntervals }
        guard let best = others.min(by: { (residual($0.value), $0.key) < (residual($1.value), $1.key) }),
            residual(best.value) <= Self.mostResidual,
            residual(best.value) <= Self.mostShare * residual(asRecorded)
        else { return nil }
        return names.problem(
            .turnRatesDisagree,
            first,
            \.transform,
            expected: "poses that turn when the IMU does",
            found: "\(RecordingVariant.posesLate(frames: best.key).cause): read so, the turn rates agree"
        )
    }
}
