import Recording

/// The connected pieces of a part of a mesh, as far as its own triangles tell.
///
/// A triangle of a part may have corners in later ones. Areas are sums of numbers that are not negative, so that a piece
/// which is large in a part is large in the whole, whatever is added in between.
struct PartPieces: Sendable {
    /// For each point the first one of its piece, both counted from the part's first.
    let roots: [UInt32]
    /// The roots of the pieces whose area in the part alone is the least or more.
    private(set) var large: [Int] = []
    /// Points that are joined to those of later parts, by their numbers in the whole.
    let joints: [(UInt32, UInt32)]
    /// The triangles and the points that the part alone cannot tell to belong to a large piece, counted from its first.
    private(set) var smallTriangles: [Int] = []
    private(set) var smallPoints: [Int] = []

    /// - Parameters:
    ///   - triangles: with the numbers of points in the whole.
    ///   - points: the part's own.
    ///   - first: the number of the part's first point.
    init(_ triangles: [SurfaceMesh.Triangle], _ points: [SurfacePoint], first: Int, least: Float) {
        let (first, count) = (UInt32(truncatingIfNeeded: first), UInt32(truncatingIfNeeded: points.count))
        let sets = DisjointSets(count: points.count)
        var joints: [(UInt32, UInt32)] = []
        for triangle in triangles {
            let (a, b, c) = (triangle.a &- first, triangle.b &- first, triangle.c &- first)
            if max(a, b, c) < count {
                sets.join(a, b)
                sets.join(a, c)
            } else {
                for corner in [triangle.b, triangle.c] {
                    if max(a, corner &- first) < count {
                        sets.join(a, corner &- first)
                    } else {
                        joints.append((triangle.a, corner))
                    }
                }
            }
        }
        self.joints = joints
        roots = sets.roots(count: points.count)
        var sums = [Float](repeating: MeshChoice.unused, count: points.count)
        for (point, root) in roots.enumerated() where root != point { sums[Int(root)] = 0 }
        for (index, triangle) in triangles.enumerated() {
            let (a, b, c) = (triangle.a &- first, triangle.b &- first, triangle.c &- first)
            // Large pieces need no further measuring.
            if a < count, sums[Int(roots[Int(a)])] >= least { continue }
            smallTriangles.append(index)
            guard max(a, b, c) < count else { continue }
            sums[Int(roots[Int(a)])] += MeshChoice.area(points[Int(a)], points[Int(b)], points[Int(c)])
        }
        smallTriangles.removeAll { index in
            let a = triangles[index].a &- first
            return a < count && sums[Int(roots[Int(a)])] >= least
        }
        for (point, root) in roots.enumerated() {
            let sum = sums[Int(root)]
            if sum < least { smallPoints.append(point) } else if root == point { large.append(point) }
        }
    }
}

/// Which points and triangles a mesh keeps: those of large pieces; points that no triangle uses go as well.
struct MeshChoice {
    /// The points that go, by their numbers in the whole, ascending.
    private var droppedPoints: [Int] = []
    /// The triangles that go, of each part.
    private var droppedTriangles: [[Int]] = []
    private var droppedSquareMetres = 0.0
    private let pointCount: Int

    /// The area of a point that no triangle uses.
    static let unused: Float = -1

    /// - Parameters:
    ///   - pieces: those of each part of the triangles and of the surface.
    ///   - joiner: makes one piece of small ones that lie side by side.
    init(
        _ pieces: [PartPieces],
        _ triangles: [[SurfaceMesh.Triangle]],
        _ surface: SurfaceParts,
        least: Float,
        joiner: PieceJoiner? = nil
    ) {
        pointCount = surface.pointCount
        let sets = DisjointSets(parts: pieces.map(\.roots))
        var areas = [Float](repeating: Self.unused, count: pointCount)
        for part in pieces {
            for (a, b) in part.joints { sets.join(a, b) }
        }
        func root(_ number: Int) -> Int { Int(sets.root(UInt32(truncatingIfNeeded: number))) }
        for (part, first) in zip(pieces, surface.firstPoints) {
            for point in part.large { areas[root(first + point)] = least }
        }
        let small = zip(pieces, surface.firstPoints).flatMap { part, first in part.smallPoints.map { $0 + first } }
        // In the order of triangles, whatever the parts are: sums of Floats depend on it.
        for (part, triangles) in zip(pieces, triangles) {
            for triangle in part.smallTriangles.lazy.map({ triangles[$0] }) {
                let root = root(Int(triangle.a))
                if areas[root] < least { areas[root] = max(areas[root], 0) + Self.area(triangle, surface) }
            }
        }
        joiner?.join(small, sets, &areas, least: least)
        droppedPoints = small.filter { areas[root($0)] < least }
        droppedTriangles = zip(pieces, triangles).map { part, triangles in
            part.smallTriangles.filter { areas[root(Int(triangles[$0].a))] < least }
        }
        for (dropped, triangles) in zip(droppedTriangles, triangles) {
            for index in dropped { droppedSquareMetres += Double(Self.area(triangles[index], surface)) }
        }
    }

    private static func area(_ triangle: SurfaceMesh.Triangle, _ surface: SurfaceParts) -> Float {
        area(surface[Int(triangle.a)], surface[Int(triangle.b)], surface[Int(triangle.c)])
    }

    @inline(__always)
    static func area(_ a: SurfacePoint, _ b: SurfacePoint, _ c: SurfacePoint) -> Float {
        let origin = a.position
        let u = b.position - origin
        let v = c.position - origin
        let normal = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
        return 0.5 * (normal * normal).sum().squareRoot()
    }

    /// What is kept of points and triangles in parts, in their order.
    func mesh(_ points: [[SurfacePoint]], _ triangles: [[SurfaceMesh.Triangle]]) async -> SurfaceMesh {
        async let keptPoints = keptPoints(points)
        let keptTriangles = keptTriangles(triangles)
        return mesh(await keptPoints, keptTriangles)
    }

    private func mesh(_ points: [SurfacePoint], _ triangles: [SurfaceMesh.Triangle]) -> SurfaceMesh {
        var mesh = SurfaceMesh(points: points, triangles: triangles)
        mesh.droppedTriangles = droppedTriangles.reduce(0) { $0 + $1.count }
        mesh.droppedSquareMetres = droppedSquareMetres
        return mesh
    }

    private func keptPoints(_ parts: [[SurfacePoint]]) -> [SurfacePoint] {
        var dropped: [[Int]] = []
        var (first, next) = (0, 0)
        for part in parts {
            let begin = next
            while next < droppedPoints.count, droppedPoints[next] < first + part.count { next += 1 }
            dropped.append(droppedPoints[begin..<next].map { $0 - first })
            first += part.count
        }
        return Array(joining: parts, without: dropped) { $0 += $1 }
    }

    private func keptTriangles(_ parts: [[SurfaceMesh.Triangle]]) -> [SurfaceMesh.Triangle] {
        guard !droppedPoints.isEmpty else { return Array(joining: parts) }
        var numbers: [UInt32] = []
        numbers.reserveCapacity(pointCount)
        for (index, end) in (droppedPoints + [pointCount]).enumerated() {
            let begin = numbers.count
            // The dropped one itself gets a number that nothing asks for.
            let last = min(end + 1, pointCount)
            numbers.append(contentsOf: (begin..<last).lazy.map { UInt32(truncatingIfNeeded: $0 - index) })
        }
        return Array(joining: parts, without: droppedTriangles) { kept, run in
            kept += run.lazy.map { triangle in
                SurfaceMesh.Triangle(numbers[Int(triangle.a)], numbers[Int(triangle.b)], numbers[Int(triangle.c)])
            }
        }
    }
}

extension Array {
    /// The elements of several arrays, without those at some places, ascending in each; `add` adds a run of those that stay.
    fileprivate init(
        joining parts: [Self],
        without places: [[Int]],
        _ add: (inout Self, ArraySlice<Element>) -> Void
    ) {
        self = []
        reserveCapacity(parts.reduce(0) { $0 + $1.count } - places.reduce(0) { $0 + $1.count })
        for (part, places) in zip(parts, places) {
            var begin = 0
            for place in places + [part.count] {
                add(&self, part[begin..<place])
                begin = place + 1
            }
        }
    }
}
