import Perception
import Recording

/// A point of a surface and where the surface faces, both in the axes of some frame.
struct OrientedPoint: Sendable {
    var place: SIMD3<Float>
    /// A unit vector, towards the camera.
    var normal: SIMD3<Float>
    /// How much it counts: the error of depth grows with its square.
    var weight: Float
}

/// The surfaces that a depth map shows, as a thin grid of points with normals in the camera's axes.
struct DepthSurface: Sendable {
    /// The columns between two points, and to the neighbours that give the normal, in a grid of any width: as many as in one of
    /// 256 are three.
    private static let shareOfWidth = 85
    /// Neighbours bend by more than this share of the depth: an edge, not a surface.
    private static let bendShare: Float = 0.02
    /// At this depth a point counts half.
    private static let halfWeightMetres: Float = 2.5

    private(set) var points: [OrientedPoint] = []

    /// - Parameter samples: As ``DepthSampler`` makes them.
    init(_ samples: DepthSamples) {
        let camera = samples.camera
        let (width, height) = (camera.width, camera.height)
        guard samples.metres.count == width * height else { return }
        let (fx, fy) = (Float(1 / camera.fx), Float(1 / camera.fy))
        let (cx, cy) = (Float(camera.cx), Float(camera.cy))
        samples.metres.withUnsafeBufferPointer { metres in
            func point(_ column: Int, _ row: Int, _ depth: Float) -> SIMD3<Float> {
                SIMD3((Float(column) - cx) * fx * depth, (cy - Float(row)) * fy * depth, -depth)
            }
            let r = max(1, (width + Self.shareOfWidth / 2) / Self.shareOfWidth)
            var row = r + 1
            while row < height - r - 1 {
                var column = r + 1
                while column < width - r - 1 {
                    let depth = metres[row * width + column]
                    if depth > 0 {
                        var across = SIMD3<Float>.zero
                        var up = SIMD3<Float>.zero
                        var isSurface = true
                        for side in -1...1 {
                            let (left, right) = (
                                metres[(row + side) * width + column - r], metres[(row + side) * width + column + r]
                            )
                            let (above, below) = (
                                metres[(row - r) * width + column + side], metres[(row + r) * width + column + side]
                            )
                            let limit = Self.bendShare * depth
                            guard left > 0, right > 0, above > 0, below > 0,
                                abs(left + right - 2 * depth) < limit, abs(above + below - 2 * depth) < limit
                            else {
                                isSurface = false
                                break
                            }
                            across += point(column + r, row + side, right) - point(column - r, row + side, left)
                            up += point(column + side, row - r, above) - point(column + side, row + r, below)
                        }
                        if isSurface { append(point(column, row, depth), across, up) }
                    }
                    column += r
                }
                row += r
            }
        }
    }

    private mutating func append(_ place: SIMD3<Float>, _ across: SIMD3<Float>, _ up: SIMD3<Float>) {
        let normal = SIMD3(
            across.y * up.z - across.z * up.y,
            across.z * up.x - across.x * up.z,
            across.x * up.y - across.y * up.x
        )
        let length = (normal * normal).sum().squareRoot()
        // Surfaces that are seen at a flat angle have no depth worth the name.
        guard length > 0, -(normal * place).sum() > 0.1 * length * (place * place).sum().squareRoot() else { return }
        let share = place.z / Self.halfWeightMetres
        points.append(
            OrientedPoint(place: place, normal: normal / length, weight: 1 / (1 + share * share * share * share))
        )
    }
}

/// A few neighbouring key frames as one cloud, in the axes of the one in their middle.
///
/// Within it the recorded poses count as they are: over a second and a half they are better than any registration.
final class Submap: Sendable {
    /// The edge of the cells whose points become one, in metres.
    static let cellMetres: Float = 0.05
    /// So many points are looked for in another submap.
    private static let triedCount = 1200

    /// The place of the middle key frame in the walk.
    let anchor: Int
    let points: [OrientedPoint]
    let tree: PointTree
    /// The places in `points` of those that are looked for in others.
    let tried: [Int]
    /// The mean of the points.
    let centre: SIMD3<Float>

    /// - Parameter frames: Key frames: their places in the walk, the pose of each, and what it shows.
    init?(_ frames: [(place: Int, pose: Transform, surface: DepthSurface)]) {
        guard !frames.isEmpty else { return nil }
        let middle = frames[frames.count / 2]
        anchor = middle.place
        var cells = SurfaceCells()
        for frame in frames {
            let anchorFromFrame = middle.pose.inverse * frame.pose
            let turn = Matrix3(anchorFromFrame.rotation)
            let columns = (SIMD3<Float>(turn.c0), SIMD3<Float>(turn.c1), SIMD3<Float>(turn.c2))
            let shift = SIMD3<Float>(anchorFromFrame.translation)
            for point in frame.surface.points {
                let (p, n) = (point.place, point.normal)
                cells.add(
                    columns.0 * p.x + columns.1 * p.y + columns.2 * p.z + shift,
                    columns.0 * n.x + columns.1 * n.y + columns.2 * n.z,
                    point.weight
                )
            }
        }
        points = cells.points
        guard points.count >= 50 else { return nil }
        tree = PointTree(points.map(\.place))
        let step = max(1, (points.count + Self.triedCount - 1) / Self.triedCount)
        tried = Array(stride(from: 0, to: points.count, by: step))
        centre = points.reduce(SIMD3<Float>.zero) { $0 + $1.place } / Float(points.count)
    }
}

/// Points gathered in cubes: of each the mean place and the mean normal.
private struct SurfaceCells {
    private struct Cell {
        var place = SIMD3<Float>.zero
        var normal = SIMD3<Float>.zero
        var weight: Float = 0
        var count: Float = 0
    }

    private var cells: [Cell] = []
    private var numbers: [SIMD3<Int16>: Int32] = [:]

    mutating func add(_ place: SIMD3<Float>, _ normal: SIMD3<Float>, _ weight: Float) {
        let scaled = (place / Submap.cellMetres).rounded(.down)
        guard scaled.min() > -30_000, scaled.max() < 30_000 else { return }
        let key = SIMD3<Int16>(truncatingIfNeeded: SIMD3<Int32>(scaled))
        let number: Int
        if let known = numbers[key] {
            number = Int(known)
        } else {
            number = cells.count
            numbers[key] = Int32(number)
            cells.append(Cell())
        }
        cells[number].place += place * weight
        cells[number].normal += normal * weight
        cells[number].weight += weight
        cells[number].count += 1
    }

    /// In the order in which their cells were first met; without those whose normals contradict each other.
    var points: [OrientedPoint] {
        cells.compactMap { cell in
            let length = (cell.normal * cell.normal).sum().squareRoot()
            guard cell.count >= 2, length > 0.7 * cell.weight else { return nil }
            return OrientedPoint(
                place: cell.place / cell.weight,
                normal: cell.normal / length,
                weight: cell.weight / cell.count
            )
        }
    }
}
