import Platform
import Recording

/// Another way to read a recording, which would be right if its writer had made a certain mistake.
enum RecordingVariant: Hashable {
    case cameraAxesOfOpenCV
    /// The same in a portrait picture's axes, which a reader turns to those of the sensor: half a turn from the others.
    case portraitAxesOfOpenCV
    /// Axes of a picture that was turned: so many quarters counter-clockwise about the line of sight.
    case rolled(quarters: Int)
    case inversePoses
    case inversePosesOfOpenCV
    case depthTurn(GridTurn)
    /// The images run otherwise than the depth, which fits the poses.
    case imageTurn(GridTurn)
    case focalLength(factor: Double)
    /// The ways between cameras are so many times as long as the recording has them, by what depth says.
    case longerWays(factor: Double)
    /// The pose of each frame stands with the frame so many places behind it in the list; negative: before it.
    case posesLate(frames: Int)

    /// The more usual mistakes first.
    static let all: [RecordingVariant] = {
        var all: [RecordingVariant] = [.cameraAxesOfOpenCV, .inversePoses, .portraitAxesOfOpenCV]
        let turns = GridTurn.allCases.filter { $0 != .none }
        all += turns.map { .depthTurn($0) }
        all += [.focalLength(factor: 2), .focalLength(factor: 0.5), .inversePosesOfOpenCV]
        all += (1...3).map { .rolled(quarters: $0) }
        all += turns.filter { !$0.isByColumns }.map { .imageTurn($0) }
        all += [2, 0.5, 0.3048, 1 / 0.3048].map { .longerWays(factor: $0) }
        all += NeighbourPairs.lags.flatMap { [.posesLate(frames: $0), .posesLate(frames: -$0)] }
        return all
    }()

    /// The property that the recording has, if this variant is the right one.
    var cause: String {
        switch self {
        case .cameraAxesOfOpenCV, .portraitAxesOfOpenCV: "camera axes of OpenCV (y down, z forward)"
        case .rolled(let quarters): "camera axes rolled by \(90 * quarters) degrees, as of a turned picture"
        case .inversePoses: "inverse poses (camera from world)"
        case .inversePosesOfOpenCV: "inverse poses with camera axes of OpenCV"
        case .depthTurn(let turn): "flipped depth (\(turn.words))"
        case .imageTurn(let turn): "flipped images (\(turn.words))"
        case .focalLength(let factor):
            factor > 1 ? "half the focal length (intrinsics of an image of another size)" : "twice the focal length"
        case .longerWays(let factor):
            "poses and depth in units that differ (ways of the camera \(rounded(factor)) times as long)"
        case .posesLate(let frames):
            "poses \(Self.lateness(frames))"
        }
    }

    /// How many frames something is late, in words; negative: early.
    static func lateness(_ frames: Int) -> String {
        "\(abs(frames)) \(abs(frames) == 1 ? "frame" : "frames") \(frames > 0 ? "late" : "early")"
    }

    /// How the pair is read; `nil` where a pose is missing that this variant needs.
    func reading(_ pair: NeighbourPairs.Pair) -> PairReading? {
        let first = pair.first.frame.worldFromCamera
        let second = pair.second.frame.worldFromCamera
        switch self {
        case .cameraAxesOfOpenCV: return PairReading((second.inverse * first).turned(by: .halfTurnAboutX))
        case .portraitAxesOfOpenCV: return PairReading((second.inverse * first).turned(by: .halfTurnAboutY))
        case .rolled(let quarters):
            let roll = Quaternion(angleRadians: .pi / 2 * Double(quarters), axis: Vector3(0, 0, 1))
            return PairReading((second.inverse * first).turned(by: roll))
        case .inversePoses: return PairReading(second * first.inverse)
        case .inversePosesOfOpenCV: return PairReading((second * first.inverse).turned(by: .halfTurnAboutX))
        case .depthTurn(let turn): return PairReading(second.inverse * first, turn: turn)
        case .imageTurn(let turn): return PairReading(second.inverse * first, imageTurn: turn)
        case .focalLength(let factor): return PairReading(second.inverse * first, focalFactor: factor)
        case .longerWays(let factor):
            var motion = second.inverse * first
            motion.translation = factor * motion.translation
            return PairReading(motion)
        case .posesLate(let frames):
            let place = NeighbourPairs.lag + frames
            guard let first = pair.first.around[place], let second = pair.second.around[place] else { return nil }
            return PairReading(second.worldFromCamera.inverse * first.worldFromCamera)
        }
    }
}

extension RecordingVariant {
    /// The rotation of one pose under each variant that concerns a pose by itself.
    static func rotations(_ worldFromCamera: Quaternion) -> [(RecordingVariant, Quaternion)] {
        [
            (.cameraAxesOfOpenCV, worldFromCamera * .halfTurnAboutX),
            (.inversePoses, worldFromCamera.inverse),
            (.inversePosesOfOpenCV, worldFromCamera.inverse * .halfTurnAboutX),
        ]
    }
}

extension Quaternion {
    /// Between camera axes of ARKit (y up, z backward) and of OpenCV (y down, z forward).
    fileprivate static var halfTurnAboutX: Quaternion { Quaternion(x: 1, y: 0, z: 0, w: 0) }
    fileprivate static var halfTurnAboutY: Quaternion { Quaternion(x: 0, y: 1, z: 0, w: 0) }
}

/// How the two views of a pair are compared.
struct PairReading {
    var secondFromFirst: Transform
    var turn = GridTurn.none
    var imageTurn = GridTurn.none
    var focalFactor = 1.0

    init(
        _ secondFromFirst: Transform,
        turn: GridTurn = .none,
        imageTurn: GridTurn = .none,
        focalFactor: Double = 1
    ) {
        self.secondFromFirst = secondFromFirst
        (self.turn, self.imageTurn, self.focalFactor) = (turn, imageTurn, focalFactor)
    }

    /// The pair as the recording has it.
    init(asRecorded pair: NeighbourPairs.Pair) {
        self.init(pair.second.frame.worldFromCamera.inverse * pair.first.frame.worldFromCamera)
    }
}

/// How the rows and columns of a depth grid may run against those of the image.
enum GridTurn: CaseIterable {
    case none
    case rowsReversed
    case columnsReversed
    case halfTurn
    case columnByColumn
    case columnByColumnFromBelow
    case columnByColumnFromTheRight
    case columnByColumnFromTheEnd

    var words: String {
        switch self {
        case .none: "rows from top to bottom"
        case .rowsReversed: "rows from bottom to top"
        case .columnsReversed: "columns from right to left"
        case .halfTurn: "a half turn"
        case .columnByColumn: "columns one after the other"
        case .columnByColumnFromBelow: "columns one after the other, from bottom to top"
        case .columnByColumnFromTheRight: "columns one after the other, from right to left"
        case .columnByColumnFromTheEnd: "columns one after the other, from the last pixel"
        }
    }

    var isByColumns: Bool { ofRows != self }

    /// The turn that is left when a grid that was written column by column is put in order.
    var ofRows: GridTurn {
        switch self {
        case .none, .rowsReversed, .columnsReversed, .halfTurn: self
        case .columnByColumn: .none
        case .columnByColumnFromBelow: .rowsReversed
        case .columnByColumnFromTheRight: .columnsReversed
        case .columnByColumnFromTheEnd: .halfTurn
        }
    }

    /// The index of a pixel of the image in a row-major grid of depth.
    func index(_ column: Int, _ row: Int, _ width: Int, _ height: Int) -> Int {
        switch self {
        case .none: row * width + column
        case .rowsReversed: (height - 1 - row) * width + column
        case .columnsReversed: row * width + width - 1 - column
        case .halfTurn: (height - 1 - row) * width + width - 1 - column
        case .columnByColumn: column * height + row
        case .columnByColumnFromBelow: column * height + height - 1 - row
        case .columnByColumnFromTheRight: (width - 1 - column) * height + row
        case .columnByColumnFromTheEnd: (width - 1 - column) * height + height - 1 - row
        }
    }
}

extension Transform {
    /// The same motion between cameras whose axes are turned.
    fileprivate func turned(by rotation: Quaternion) -> Transform {
        let turn = Transform(rotation: rotation)
        return turn * self * turn.inverse
    }
}

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
    private static let clearlyWorse = 0.2
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

    /// So many pairs are compared at most.
    private let pairs: Int
    private var witnesses = Witnesses()
    /// The variants that the pairs left can still make clearly better.
    private var open = RecordingVariant.all
    private var tallies: [RecordingVariant: Tally] = [:]
    /// As if the camera had not moved: what goes with it, such as one picture for all frames, decides nothing.
    private var still = Tally()

    init(pairs: Int) {
        self.pairs = pairs
    }

    /// False as soon as no further pair can change that there is no ``winner``: of a sound recording after two or three.
    var isOpen: Bool { !open.isEmpty }

    /// Compares a pair under all readings that may still win.
    mutating func add(_ pair: NeighbourPairs.Pair, _ first: ExaminedView, _ second: ExaminedView) {
        guard witnesses.isNew(pair.first.frame.worldFromCamera, pair.second.frame.worldFromCamera),
            first.hasRelief, let recorded = ViewAgreement(first, second, PairReading(asRecorded: pair))
        else {
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
        for variant in open {
            guard let reading = variant.reading(pair) else { continue }
            compare(reading, in: &tallies[variant, default: Tally()])
        }
        open = open.filter { variant in tallies[variant].map { mayWin($0.ratios) } ?? true }
    }

    /// False if so many pairs speak against a variant that those left cannot make up for it, or the first ones clearly.
    private func mayWin(_ ratios: [Double]) -> Bool {
        if ratios.count == Self.fewestPairs, ratios.allSatisfy({ $0 > Self.clearlyWorse }) { return false }
        return Double(pairs - ratios.count { $0 >= 0 }) >= Self.leastShare * Double(pairs)
            && 2 * ratios.count { $0 > Self.clearlyBetter } < pairs
    }

    /// The variant that is clearly better, and how often; `nil` where the recording fits as it is, or nothing can be said.
    var winner: (variant: RecordingVariant, better: Int, pairs: Int)? {
        var candidates: [(variant: RecordingVariant, better: Int, pairs: Int, median: Double)] = []
        for variant in open {
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
