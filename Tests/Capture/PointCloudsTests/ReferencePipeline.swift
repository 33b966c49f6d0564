import Foundation
import Perception
import Recording

/// The cloud rules once more, written for being obviously right: dictionaries, Double, no tables.
///
/// Projection is in Double. The later stages start from the points in single precision that the builder gives without any
/// filter, so that voxel borders are the same and no difference at all is allowed.
struct ReferencePipeline {
    struct Point: Hashable {
        var x: Float
        var y: Float
        var z: Float
        var colour: UInt32
    }

    struct Voxel: Hashable {
        var x: Int
        var y: Int
        var z: Int
    }

    var parameters: CloudParameters

    /// The pixels that become points, in row-major order, as (column, row).
    func validPixels(_ depth: DepthMap) -> [(column: Int, row: Int)] {
        var pixels: [(column: Int, row: Int)] = []
        eachPixel(depth) { column, row in
            if firstFilterFailed(depth, column, row) == nil { pixels.append((column, row)) }
        }
        return pixels
    }

    /// How many pixels are looked at, and how many the filters of single pixels drop, each by the first that it fails.
    func pixelCounts(_ depth: DepthMap) -> (pixels: Int, dropped: [CloudCounts.Filter: Int]) {
        var pixels = 0
        var dropped: [CloudCounts.Filter: Int] = [:]
        eachPixel(depth) { column, row in
            pixels += 1
            if let filter = firstFilterFailed(depth, column, row) { dropped[filter, default: 0] += 1 }
        }
        return (pixels, dropped)
    }

    private func eachPixel(_ depth: DepthMap, _ body: (_ column: Int, _ row: Int) -> Void) {
        for row in stride(from: 0, to: depth.height, by: parameters.stride) {
            for column in stride(from: 0, to: depth.width, by: parameters.stride) { body(column, row) }
        }
    }

    private func firstFilterFailed(_ depth: DepthMap, _ column: Int, _ row: Int) -> CloudCounts.Filter? {
        let index = row * depth.width + column
        let value = depth.metres[index]
        guard
            value.isFinite && value > Float(parameters.minimumDepthMetres)
                && value < Float(parameters.maximumDepthMetres)
        else { return .depth }
        if let confidence = depth.confidence, confidence[index] < parameters.minimumConfidence { return .confidence }
        return parameters.edgeFilter && !isSupported(depth, column, row) ? .edge : nil
    }

    private func isSupported(_ depth: DepthMap, _ column: Int, _ row: Int) -> Bool {
        let value = depth.metres[row * depth.width + column]
        let ratio = Float(parameters.edgeLimitRatio)
        let limit = min(max(Float(parameters.edgeLimitMetres), value * ratio), value * 0.5)
        for (neighbourColumn, neighbourRow) in [
            (column - 1, row), (column + 1, row), (column, row - 1), (column, row + 1),
        ] {
            guard (0..<depth.width).contains(neighbourColumn), (0..<depth.height).contains(neighbourRow) else {
                continue
            }
            let neighbour = depth.metres[neighbourRow * depth.width + neighbourColumn]
            if neighbour.isFinite && neighbour > 0 && abs(neighbour - value) <= limit { return true }
        }
        return false
    }

    /// Where a pixel lies in the map.
    ///
    /// Centres: image coordinates are whole at centres of pixels, and the borders of the grids coincide. Corners: the
    /// app's own formula, which scales column and row as if they were lengths.
    func position(_ scene: Scene, column: Int, row: Int) -> Vector3 {
        let d = Double(scene.depth.metres[row * scene.depth.width + column])
        let sx = Double(scene.camera.width) / Double(scene.depth.width)
        let sy = Double(scene.camera.height) / Double(scene.depth.height)
        let isCentre = parameters.pixelPoint == .centre
        let x = isCentre ? (Double(column) + 0.5) * sx - 0.5 : Double(column) * sx
        let y = isCentre ? (Double(row) + 0.5) * sy - 0.5 : Double(row) * sy
        let inCamera = Vector3(
            (x - scene.camera.cx) * d / scene.camera.fx,
            -(y - scene.camera.cy) * d / scene.camera.fy,
            -d
        )
        return scene.mapFromCamera * inCamera
    }

    /// What is left after the voxel grid, the range and the outlier filter, and what each of them dropped.
    func filtered(_ points: [Point], sensor: Vector3) -> (points: [Point], dropped: [CloudCounts.Filter: Int]) {
        var dropped: [CloudCounts.Filter: Int] = [:]
        var points = points
        func note(_ filter: CloudCounts.Filter, _ before: Int) {
            if before != points.count { dropped[filter] = before - points.count }
        }
        var before = points.count
        if let size = parameters.voxelSizeMetres, size > 0 { points = voxelGrid(points, size) }
        note(.voxel, before)
        before = points.count
        if let metres = parameters.maximumRangeMetres {
            let centre = parameters.rangeCentre == .sensor ? sensor : .zero
            points = points.filter { distance($0, centre) <= metres }
        }
        note(.range, before)
        before = points.count
        points = withoutOutliers(points)
        note(.outlier, before)
        return (points, dropped)
    }

    private func withoutOutliers(_ points: [Point]) -> [Point] {
        var points = points
        // A neighbourhood is as fine as the voxels, but never finer than 10 cm.
        let usual = max(parameters.voxelSizeMetres ?? 0, 0.1)
        switch parameters.outlierFilter {
        case .off: break
        case .neighbours(let minimum, let size):
            let edge = size ?? usual
            let occupied = Set(points.map { voxel($0, edge) })
            points = points.filter { neighbours(voxel($0, edge)).filter(occupied.contains).count >= minimum }
        case .radius(let given, let minimum):
            let metres = given ?? 1.75 * usual
            points = points.enumerated().filter { index, point in
                points.enumerated().filter { other, candidate in
                    other != index && isWithin(point, candidate, metres)
                }.count >= minimum
            }.map(\.element)
        }
        return points
    }

    private func voxelGrid(_ points: [Point], _ size: Double) -> [Point] {
        var members: [Voxel: [Point]] = [:]
        var order: [Voxel] = []
        for point in points {
            let key = voxel(point, size)
            if members[key] == nil { order.append(key) }
            members[key, default: []].append(point)
        }
        return order.map { key in
            let group = members[key] ?? []
            return parameters.voxelPoint == .first ? group[0] : mean(group)
        }
    }

    private func mean(_ points: [Point]) -> Point {
        let n = Double(points.count)
        func average(_ value: (Point) -> Float) -> Float { Float(points.reduce(0.0) { $0 + Double(value($1)) } / n) }
        func channel(_ shift: UInt32) -> UInt32 {
            UInt32((points.reduce(0.0) { $0 + Double($1.colour >> shift & 255) } / n).rounded(.toNearestOrAwayFromZero))
        }
        return Point(
            x: average(\.x),
            y: average(\.y),
            z: average(\.z),
            colour: channel(16) << 16 | channel(8) << 8 | channel(0)
        )
    }

    func voxel(_ point: Point, _ size: Double) -> Voxel {
        let inverse = 1 / Float(size)
        func index(_ value: Float) -> Int { Int((value * inverse).rounded(.down)) }
        return Voxel(x: index(point.x), y: index(point.y), z: index(point.z))
    }

    private func neighbours(_ voxel: Voxel) -> [Voxel] {
        var all: [Voxel] = []
        for x in -1...1 {
            for y in -1...1 {
                for z in -1...1 where x != 0 || y != 0 || z != 0 {
                    all.append(Voxel(x: voxel.x + x, y: voxel.y + y, z: voxel.z + z))
                }
            }
        }
        return all
    }

    private func distance(_ point: Point, _ centre: Vector3) -> Double {
        (Vector3(Double(point.x), Double(point.y), Double(point.z)) - centre).length
    }

    private func isWithin(_ a: Point, _ b: Point, _ metres: Double) -> Bool {
        let offset = Vector3(Double(a.x) - Double(b.x), Double(a.y) - Double(b.y), Double(a.z) - Double(b.z))
        return dot(offset, offset) <= metres * metres
    }
}

extension PointCloud {
    /// The points one by one.
    var points: [ReferencePipeline.Point] {
        (0..<count).map { index in
            let position = position(index)
            return ReferencePipeline.Point(x: position.x, y: position.y, z: position.z, colour: colour(index))
        }
    }
}
