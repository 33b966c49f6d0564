import Platform
import Recording

/// Tests if the pairs of a session fit each other clearly better when the recording is read in another way.
///
/// A limit in centimetres cannot tell a wrong recording of a flat scene from a sound one of a garden; the same pairs under
/// another reading can. Colours count as much as depth, where there are images.
struct VariantCheck {
    /// The logarithm of the ratio of errors at which another reading is clearly better, in the median over the pairs.
    ///
    /// Other readings of sound captures had at least -0.27 (late poses, a slow pan at 60 frames a second), the right ones
    /// of wrong recordings -0.5 to -4.
    private static let clearlyBetter = -0.45
    /// The other reading has to be better for this share of the pairs.
    private static let leastShare = 0.8
    /// And it has to fit in itself: a wrong reading of a wrong recording may be better, too.
    private static let mostDepthShare = 0.06
    /// Readings that are as good as the best one: the first of them is named, the more usual mistake.
    private static let asGood = 0.1
    /// With fewer pairs a single moving object could decide the result.
    static let fewestPairs = 3
    /// Below these differences, of depth as a share of it and of brightness, nothing can be told.
    private static let depthFloor = 0.002
    private static let brightnessFloor = 1.0

    /// The measurements of one variant: an entry for each pair.
    private struct Tally {
        var ratios: [Double] = []
        var depthShares: [Double] = []
    }

    private var tallies: [RecordingVariant: Tally] = [:]
    /// As if the camera had not moved: what goes with it, such as one picture for all frames, decides nothing.
    private var still = Tally()

    /// Compares a pair under all readings.
    mutating func add(_ pair: NeighbourPairs.Pair, _ first: ExaminedView, _ second: ExaminedView) {
        guard first.hasRelief, let recorded = ViewAgreement(first, second, PairReading(asRecorded: pair)) else {
            return
        }
        func compare(_ reading: PairReading, in tally: inout Tally) {
            guard let other = ViewAgreement(first, second, reading) else { return }
            var ratio = Self.ratio(other.depthShare, recorded.depthShare, floor: Self.depthFloor)
            if let one = other.brightness, let two = recorded.brightness {
                ratio += Self.ratio(one, two, floor: Self.brightnessFloor)
            }
            tally.ratios.append(ratio)
            tally.depthShares.append(other.depthShare)
        }
        compare(PairReading(.identity), in: &still)
        for variant in RecordingVariant.all {
            guard let reading = variant.reading(pair) else { continue }
            compare(reading, in: &tallies[variant, default: Tally()])
        }
    }

    /// The variant that is clearly better, and how often; `nil` where the recording fits as it is, or nothing can be said.
    var winner: (variant: RecordingVariant, better: Int, pairs: Int)? {
        var candidates: [(variant: RecordingVariant, better: Int, pairs: Int, median: Double)] = []
        for variant in RecordingVariant.all {
            guard let tally = tallies[variant], tally.ratios.count >= Self.fewestPairs else { continue }
            let median = tally.ratios.median() ?? 0
            let better = tally.ratios.count { $0 < 0 }
            guard median <= Self.clearlyBetter, Double(better) >= Self.leastShare * Double(tally.ratios.count),
                (tally.depthShares.median() ?? 0) <= Self.mostDepthShare
            else { continue }
            candidates.append((variant, better, tally.ratios.count, median))
        }
        guard let best = candidates.map(\.median).min(),
            still.ratios.isEmpty || best < (still.ratios.median() ?? 0) - Self.asGood
        else { return nil }
        let first = candidates.first { $0.median <= best + Self.asGood }
        return first.map { ($0.variant, $0.better, $0.pairs) }
    }

    private static func ratio(_ one: Double, _ other: Double, floor: Double) -> Double {
        naturalLogarithm((one + floor) / (other + floor))
    }
}
