import Recording

/// Another way to read a recording, which would be right if its writer had made a certain mistake.
enum RecordingVariant: Hashable {
    case cameraAxesOfOpenCV
    /// The same in a portrait picture's axes, which a reader turns to those of the sensor: half a turn from the others.
    case portraitAxesOfOpenCV
    case inversePoses
    case inversePosesOfOpenCV
    case depthTurn(GridTurn)
    case focalLength(factor: Double)
    /// The pose of each frame stands with the frame so many places behind it in the list; negative: before it.
    case posesLate(frames: Int)

    /// The more usual mistakes first.
    static let all: [RecordingVariant] =
        [.cameraAxesOfOpenCV, .inversePoses, .portraitAxesOfOpenCV]
        + GridTurn.allCases.filter { $0 != .none }.map { .depthTurn($0) }
        + [.focalLength(factor: 2), .focalLength(factor: 0.5), .inversePosesOfOpenCV]
        + (1...NeighbourPairs.lag).flatMap { [.posesLate(frames: $0), .posesLate(frames: -$0)] }

    /// The property that the recording has, if this variant is the right one.
    var cause: String {
        switch self {
        case .cameraAxesOfOpenCV, .portraitAxesOfOpenCV: "camera axes of OpenCV (y down, z forward)"
        case .inversePoses: "inverse poses (camera from world)"
        case .inversePosesOfOpenCV: "inverse poses with camera axes of OpenCV"
        case .depthTurn(let turn): "flipped depth (\(turn.words))"
        case .focalLength(let factor):
            factor > 1 ? "half the focal length (intrinsics of an image of another size)" : "twice the focal length"
        case .posesLate(let frames):
            "poses \(abs(frames)) \(abs(frames) == 1 ? "frame" : "frames") \(frames > 0 ? "late" : "early")"
        }
    }

    /// How the pair is read; `nil` where a pose is missing that this variant needs.
    func reading(_ pair: NeighbourPairs.Pair) -> PairReading? {
        let first = pair.first.frame.worldFromCamera
        let second = pair.second.frame.worldFromCamera
        switch self {
        case .cameraAxesOfOpenCV: return PairReading((second.inverse * first).turned(by: .halfTurnAboutX))
        case .portraitAxesOfOpenCV: return PairReading((second.inverse * first).turned(by: .halfTurnAboutY))
        case .inversePoses: return PairReading(second * first.inverse)
        case .inversePosesOfOpenCV: return PairReading((second * first.inverse).turned(by: .halfTurnAboutX))
        case .depthTurn(let turn): return PairReading(second.inverse * first, turn: turn)
        case .focalLength(let factor): return PairReading(second.inverse * first, focalFactor: factor)
        case .posesLate(let frames):
            let place = NeighbourPairs.lag + frames
            guard let first = pair.first.poses[place], let second = pair.second.poses[place] else { return nil }
            return PairReading(second.inverse * first)
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
    var focalFactor = 1.0

    init(_ secondFromFirst: Transform, turn: GridTurn = .none, focalFactor: Double = 1) {
        self.secondFromFirst = secondFromFirst
        self.turn = turn
        self.focalFactor = focalFactor
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

    var words: String {
        switch self {
        case .none: "rows from top to bottom"
        case .rowsReversed: "rows from bottom to top"
        case .columnsReversed: "columns from right to left"
        case .halfTurn: "a half turn"
        }
    }

    /// The index of a pixel of the image in a row-major grid of depth.
    func index(_ column: Int, _ row: Int, _ width: Int, _ height: Int) -> Int {
        switch self {
        case .none: row * width + column
        case .rowsReversed: (height - 1 - row) * width + column
        case .columnsReversed: row * width + width - 1 - column
        case .halfTurn: (height - 1 - row) * width + width - 1 - column
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
