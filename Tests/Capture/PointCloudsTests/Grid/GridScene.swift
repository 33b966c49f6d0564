import Glibc
import Recording

/// A monotone error of a network: what it makes of inverse depth.
enum Bend: String, CaseIterable, Sendable {
    case none, power8, power13, logarithm, bump, saturation

    func callAsFunction(_ d: Float) -> Float {
        switch self {
        case .none: d
        case .power8: pow(d, 0.8)
        case .power13: pow(d, 1.3)
        case .logarithm: log(1 + 2 * d)
        case .bump: d * (1 + 0.08 * exp(-pow((log(d) + 0.8) / 0.4, 2)))
        case .saturation: d / (1 + 0.3 * d)
        }
    }
}

/// A frame with its truth: LiDAR with noise and outliers up to 5 m, and a network that is bent and blurred.
struct GridScene {
    var seed: UInt64 = 1
    var bend: Bend = .power8
    var kind: RelativeDepthMap.Kind = .inverseDepth
    /// Of the Gaussian's window, in pixels of the network: 3 to 7 pixels wide.
    var blurRadius = 2
    var outlierRatio: Float = 0.03
    /// How much the network's scale drifts from one side of the image to the other.
    var drift: Float = 0
    var range: Float = 5
    var lidarSize = GridSize(width: 256, height: 192)
    var size = GridSize(width: 518, height: 392)

    init() {}

    struct Frame {
        var lidar: DepthMap
        var relative: RelativeDepthMap
        /// On the network's grid.
        var truth: [Float]
        /// Where a depth edge is within the blur's radius.
        var isEdge: [Bool]
    }

    func frame() -> Frame {
        let room = BoxRoom(seed: seed)
        let seen = room.view(size)
        return Frame(
            lidar: lidar(room),
            relative: network(seen.depth),
            truth: seen.depth,
            isEdge: edges(seen.depth, seen.surface)
        )
    }

    private func lidar(_ room: BoxRoom) -> DepthMap {
        var dice = Dice(seed &+ 1000)
        let seen = room.view(lidarSize)
        var metres = seen.depth
        var confidence = [UInt8](repeating: 2, count: metres.count)
        for index in metres.indices {
            var z = metres[index] * (1 + 0.004 * dice.normal())
            let chance = dice.uniform()
            if chance < outlierRatio { z *= dice.between(0.5, 1.5) }
            confidence[index] = chance < outlierRatio && dice.uniform() < 0.5 ? 0 : z > 3.5 ? 1 : 2
            metres[index] = seen.depth[index] > range ? 0 : z
        }
        return DepthMap(width: lidarSize.width, height: lidarSize.height, metres: metres, confidence: confidence)
    }

    private func network(_ depth: [Float]) -> RelativeDepthMap {
        var values = depth.map { bend(1 / $0) }
        for row in 0..<size.height {
            for column in 0..<size.width {
                let place = Float(column) / Float(size.width) - 0.5
                values[row * size.width + column] *= 1 + drift * place
            }
        }
        values = blur(blur(values, step: 1), step: size.width)
        // An affine map, with values that stay positive.
        let result = values.map { kind == .inverseDepth ? 1.7 * $0 + 0.15 : 0.6 / max($0, 1e-3) + 0.1 }
        return RelativeDepthMap(width: size.width, height: size.height, kind: kind, values: result)
    }

    /// A Gaussian of half the radius along one axis; pixels beyond the border repeat the last.
    private func blur(_ values: [Float], step: Int) -> [Float] {
        guard blurRadius > 0 else { return values }
        let deviation = Float(blurRadius) / 2
        var kernel = (-blurRadius...blurRadius).map { exp(-Float($0 * $0) / (2 * deviation * deviation)) }
        let sum = kernel.reduce(0, +)
        kernel = kernel.map { $0 / sum }
        var output = values
        for row in 0..<size.height {
            for column in 0..<size.width {
                var total: Float = 0
                for offset in -blurRadius...blurRadius {
                    let x = step == 1 ? max(0, min(column + offset, size.width - 1)) : column
                    let y = step == 1 ? row : max(0, min(row + offset, size.height - 1))
                    total += kernel[offset + blurRadius] * values[y * size.width + x]
                }
                output[row * size.width + column] = total
            }
        }
        return output
    }

    private func edges(_ depth: [Float], _ surface: [UInt8]) -> [Bool] {
        var isEdge = [Bool](repeating: false, count: depth.count)
        func mark(_ row: Int, _ column: Int) {
            for y in max(0, row - blurRadius)...min(size.height - 1, row + blurRadius) {
                for x in max(0, column - blurRadius)...min(size.width - 1, column + blurRadius) {
                    isEdge[y * size.width + x] = true
                }
            }
        }
        for row in 0..<size.height - 1 {
            for column in 0..<size.width - 1 {
                let here = row * size.width + column
                for other in [here + 1, here + size.width]
                where surface[here] != surface[other] && abs(depth[here] - depth[other]) > 0.02 * depth[here] {
                    mark(row, column)
                    mark(other / size.width, other % size.width)
                }
            }
        }
        return isEdge
    }
}

/// Errors over pixels of some depths, in metres.
struct ErrorTally {
    var count = 0
    private var squares = 0.0
    private var allowed = 0.0

    init() {}

    mutating func add(_ found: Float, _ truth: Float) {
        count += 1
        squares += Double((found - truth) * (found - truth))
        let limit = 0.005 + 0.003 * truth
        allowed += Double(limit * limit)
    }

    var rmse: Double { count == 0 ? 0 : (squares / Double(count)).squareRoot() }
    /// The root mean square of what the requirement allows for the same pixels.
    var limit: Double { count == 0 ? 0 : (allowed / Double(count)).squareRoot() }
}

/// The errors of a map of metres against a frame's truth.
struct SceneErrors {
    var inside = ErrorTally()
    var insideWithEdges = ErrorTally()
    var outside = ErrorTally()
    /// From 0 to 1 m, from 1 to 2 and so on, without edges.
    var bins = [ErrorTally](repeating: ErrorTally(), count: 9)

    init(_ metres: [Float], _ frame: GridScene.Frame, range: Float = 5) {
        for index in metres.indices where metres[index] > 0 {
            let truth = frame.truth[index]
            if truth <= range { insideWithEdges.add(metres[index], truth) }
            if frame.isEdge[index] { continue }
            if truth <= range { inside.add(metres[index], truth) } else { outside.add(metres[index], truth) }
            bins[min(Int(truth), 8)].add(metres[index], truth)
        }
    }
}
