import Recording

/// The connected pieces of a mesh.
enum MeshComponents {
    /// The mesh without its small pieces and without points that no triangle uses; the order of the rest stays.
    ///
    /// - Parameter joiner: makes one piece of small ones that lie side by side.
    static func mesh(
        _ points: [SurfacePoint],
        _ triangles: [SurfaceMesh.Triangle],
        minimumSquareMetres: Float,
        joiner: PieceJoiner? = nil
    ) -> SurfaceMesh {
        let sets = DisjointSets(count: points.count)
        for triangle in triangles {
            sets.join(triangle.a, triangle.b)
            sets.join(triangle.a, triangle.c)
        }
        var areas = [Float](repeating: 0, count: points.count)
        for triangle in triangles {
            let root = Int(sets.root(triangle.a))
            // Large pieces need no further measuring.
            if areas[root] < minimumSquareMetres { areas[root] += area(triangle, points) }
        }
        joiner?.join(sets, &areas, least: minimumSquareMetres)
        // The number of each point in the result, or `unused`.
        let unused = UInt32.max
        var numbers = [UInt32](repeating: unused, count: points.count)
        var result = SurfaceMesh()
        for triangle in triangles {
            guard areas[Int(sets.root(triangle.a))] >= minimumSquareMetres else {
                result.droppedTriangles += 1
                result.droppedSquareMetres += Double(area(triangle, points))
                continue
            }
            numbers[Int(triangle.a)] = 0
            numbers[Int(triangle.b)] = 0
            numbers[Int(triangle.c)] = 0
        }
        result.points.reserveCapacity(points.count)
        for index in points.indices where numbers[index] != unused {
            numbers[index] = UInt32(result.points.count)
            result.points.append(points[index])
        }
        result.triangles.reserveCapacity(triangles.count)
        for triangle in triangles where numbers[Int(triangle.a)] != unused {
            result.triangles.append(
                SurfaceMesh.Triangle(
                    numbers[Int(triangle.a)],
                    numbers[Int(triangle.b)],
                    numbers[Int(triangle.c)]
                )
            )
        }
        return result
    }

    private static func area(_ triangle: SurfaceMesh.Triangle, _ points: [SurfacePoint]) -> Float {
        let origin = points[Int(triangle.a)].position
        let u = points[Int(triangle.b)].position - origin
        let v = points[Int(triangle.c)].position - origin
        let normal = SIMD3(u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x)
        return 0.5 * (normal * normal).sum().squareRoot()
    }
}
