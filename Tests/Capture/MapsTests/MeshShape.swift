import Maps
import Recording

/// What can be said about a mesh without knowing what it shows.
struct MeshShape {
    /// How many triangles each edge has.
    private(set) var edges: [SIMD2<UInt32>: Int] = [:]
    /// The same with direction: 1 wherever neighbours are turned alike.
    private(set) var directed: [SIMD2<UInt32>: Int] = [:]
    private(set) var smallestArea = Double.infinity
    private(set) var area = 0.0
    let eulerCharacteristic: Int
    let hasDuplicates: Bool

    init(_ mesh: SurfaceMesh) {
        var seen: Set<[UInt32]> = []
        for triangle in mesh.triangles {
            let corners = [triangle.a, triangle.b, triangle.c]
            seen.insert(corners.sorted())
            for index in 0..<3 {
                let (from, to) = (corners[index], corners[(index + 1) % 3])
                edges[SIMD2(min(from, to), max(from, to)), default: 0] += 1
                directed[SIMD2(from, to), default: 0] += 1
            }
            let points = corners.map { Vector3(mesh.points[Int($0)].position) }
            let size = 0.5 * cross(points[1] - points[0], points[2] - points[0]).length
            smallestArea = min(smallestArea, size)
            area += size
        }
        hasDuplicates = seen.count != mesh.triangles.count
        eulerCharacteristic = mesh.points.count - edges.count + mesh.triangles.count
    }

    var isClosed: Bool { edges.values.allSatisfy { $0 == 2 } }
    var isManifold: Bool { edges.values.allSatisfy { $0 <= 2 } && directed.values.allSatisfy { $0 == 1 } }
}

extension MeshShape {
    /// A mesh without its connected pieces below an area; what a piece is, a walk from triangle to triangle finds.
    static func withoutPieces(of mesh: SurfaceMesh, below least: Double) -> SurfaceMesh {
        var triangles: [[Int]] = Array(repeating: [], count: mesh.points.count)
        for (index, triangle) in mesh.triangles.enumerated() {
            for corner in [triangle.a, triangle.b, triangle.c] { triangles[Int(corner)].append(index) }
        }
        var isSeen = [Bool](repeating: false, count: mesh.triangles.count)
        var isKept = isSeen
        var result = SurfaceMesh()
        for first in mesh.triangles.indices where !isSeen[first] {
            var (piece, next, area) = ([first], 0, 0.0)
            isSeen[first] = true
            while next < piece.count {
                let triangle = mesh.triangles[piece[next]]
                let corners = [triangle.a, triangle.b, triangle.c].map { Int($0) }
                let places = corners.map { Vector3(mesh.points[$0].position) }
                area += 0.5 * cross(places[1] - places[0], places[2] - places[0]).length
                for other in corners.flatMap({ triangles[$0] }) where !isSeen[other] {
                    isSeen[other] = true
                    piece.append(other)
                }
                next += 1
            }
            for index in piece { isKept[index] = area >= least }
            guard area < least else { continue }
            result.droppedTriangles += piece.count
            result.droppedSquareMetres += area
        }
        var numbers: [Int: UInt32] = [:]
        for (point, users) in triangles.enumerated() where users.contains(where: { isKept[$0] }) {
            numbers[point] = UInt32(result.points.count)
            result.points.append(mesh.points[point])
        }
        result.triangles = zip(mesh.triangles, isKept).filter(\.1).map { triangle, _ in
            let corners = [triangle.a, triangle.b, triangle.c].compactMap { numbers[Int($0)] }
            return SurfaceMesh.Triangle(corners[0], corners[1], corners[2])
        }
        return result
    }
}
