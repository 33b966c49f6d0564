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
