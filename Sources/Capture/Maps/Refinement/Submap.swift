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
/// Within it the recorded poses count as they are: over a second and a half they are better than any registration. It holds no
/// more than its bytes do, so that it is the same whether it was kept or read again.
final class Submap: Sendable {
    /// The edge of the cells whose points become one, in metres.
    static let cellMetres: Float = 0.05
    /// So many points are looked for in another submap.
    private static let mostTried = 1200
    private static let leastCount = 50
    /// Of a point: three coordinates, its normal, its weight, and the axis of the tree.
    private static let pointBytes = 17

    /// In the order of the tree.
    let tree: PointTree
    /// By point: the normal, and the weight behind it.
    let normals: [SIMD4<Float>]
    /// The same as bytes.
    private let packed: [SIMD4<Int8>]
    /// The mean of the points.
    let centre: SIMD3<Float>

    /// - Parameter frames: Key frames: the pose of each, and what it shows.
    convenience init?(_ frames: [(pose: Transform, surface: DepthSurface)]) {
        guard !frames.isEmpty else { return nil }
        let middle = frames[frames.count / 2]
        var cells = SurfaceCells(cellMetres: Self.cellMetres)
        for frame in frames {
            cells.add(frame.surface.points, at: middle.pose.inverse * frame.pose)
        }
        self.init(cells.points(ofAtLeast: 2))
    }

    convenience init?(_ cells: SurfaceCells) { self.init(cells.points(ofAtLeast: 1)) }

    private init?(_ points: [OrientedPoint]) {
        guard points.count >= Self.leastCount else { return nil }
        let (tree, order) = PointTree.sorted(points.map(\.place))
        self.tree = tree
        packed = order.map { Self.packed(points[Int($0)].normal, points[Int($0)].weight) }
        normals = packed.map { Self.unpacked($0) }
        centre = Self.centre(of: tree)
    }

    var count: Int { normals.count }

    /// The numbers of the points that are looked for in others: spread over the submap, as the tree is.
    var tried: StrideTo<Int> { stride(from: 0, to: count, by: step) }
    var triedCount: Int { (count + step - 1) / step }
    private var step: Int { max(1, (count + Self.mostTried - 1) / Self.mostTried) }

    var points: some Sequence<OrientedPoint> {
        (0..<count).lazy.map { index in
            OrientedPoint(place: self.tree.points[index], normal: self.normal(index), weight: self.normals[index].w)
        }
    }

    func normal(_ index: Int) -> SIMD3<Float> { SIMD3(normals[index].x, normals[index].y, normals[index].z) }

    private static func centre(of tree: PointTree) -> SIMD3<Float> {
        tree.points.reduce(SIMD3<Float>.zero, +) / Float(tree.count)
    }

    // MARK: - As bytes

    private static func packed(_ normal: SIMD3<Float>, _ weight: Float) -> SIMD4<Int8> {
        SIMD4<Int8>(clamping: SIMD4<Int32>((SIMD4(normal, max(weight, 0.01)) * 127).rounded(.toNearestOrEven)))
    }

    private static func unpacked(_ bytes: SIMD4<Int8>) -> SIMD4<Float> {
        let values = SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: bytes))
        let normal = SIMD3(values.x, values.y, values.z)
        return SIMD4(normal / max((normal * normal).sum().squareRoot(), 1), values.w / 127)
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * Self.pointBytes)
        for index in 0..<count {
            for axis in 0..<3 {
                let bits = tree.points[index][axis].bitPattern
                for shift: UInt32 in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
            }
            for axis in 0..<4 { bytes.append(UInt8(bitPattern: packed[index][axis])) }
            bytes.append(tree.axes[index])
        }
        return bytes
    }

    init(_ bytes: [UInt8]) {
        let count = bytes.count / Self.pointBytes
        var (points, axes, packed): ([SIMD3<Float>], [UInt8], [SIMD4<Int8>]) = ([], [], [])
        for start in (0..<count).map({ $0 * Self.pointBytes }) {
            func float(_ offset: Int) -> Float {
                Float(
                    bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + offset + $1]) << UInt32(8 * $1) }
                )
            }
            points.append(SIMD3(float(0), float(4), float(8)))
            packed.append(SIMD4<Int8>((12..<16).map { offset in Int8(bitPattern: bytes[start + offset]) }))
            axes.append(bytes[start + 16])
        }
        tree = PointTree(points: points, axes: axes)
        self.packed = packed
        normals = packed.map { Self.unpacked($0) }
        centre = Self.centre(of: tree)
    }
}

/// Points gathered in cubes: of each the mean place and the mean normal.
struct SurfaceCells {
    private let cellMetres: Float

    private struct Cell {
        var place = SIMD3<Float>.zero
        var normal = SIMD3<Float>.zero
        var weight: Float = 0
        var count: Float = 0
    }

    private var cells: [Cell] = []
    private var numbers: [SIMD3<Int16>: Int32] = [:]

    init(cellMetres: Float) { self.cellMetres = cellMetres }

    /// Adds points whose axes lie so.
    mutating func add(_ points: some Sequence<OrientedPoint>, at pose: Transform) {
        let turn = Matrix3(pose.rotation)
        let columns = (SIMD3<Float>(turn.c0), SIMD3<Float>(turn.c1), SIMD3<Float>(turn.c2))
        let shift = SIMD3<Float>(pose.translation)
        for point in points {
            let (p, n) = (point.place, point.normal)
            add(
                columns.0 * p.x + columns.1 * p.y + columns.2 * p.z + shift,
                columns.0 * n.x + columns.1 * n.y + columns.2 * n.z,
                point.weight
            )
        }
    }

    private mutating func add(_ place: SIMD3<Float>, _ normal: SIMD3<Float>, _ weight: Float) {
        let scaled = (place / cellMetres).rounded(.down)
        guard all(scaled .> -30_000 .& scaled .< 30_000) else { return }
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
    ///
    /// - Parameter least: How many points a cell needs.
    func points(ofAtLeast least: Float) -> [OrientedPoint] {
        cells.compactMap { cell in
            let length = (cell.normal * cell.normal).sum().squareRoot()
            guard cell.count >= least, length > 0.7 * cell.weight else { return nil }
            return OrientedPoint(
                place: cell.place / cell.weight,
                normal: cell.normal / length,
                weight: cell.weight / cell.count
            )
        }
    }
}
