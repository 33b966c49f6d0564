/// Makes triangles of cut cells: finds the points on their edges, in their own block or in those behind it.
struct CellLinker: Sendable {
    private let chunk: SurfaceChunk
    private let field: FieldSnapshot
    /// Where in the chunk a block is, by its number; -1 where it has no points.
    private let places: [Int32]
    private let table = CubeTable.shared

    init(_ chunk: SurfaceChunk, _ field: FieldSnapshot) {
        self.chunk = chunk
        self.field = field
        var places = [Int32](repeating: -1, count: field.table.count)
        for (place, block) in chunk.blocks.enumerated() { places[block.number] = Int32(place) }
        self.places = places
    }

    /// Where the points of a block and of those behind it begin.
    private typealias Starts = UnsafeMutableBufferPointer<(point: Int, row: Int)>

    /// Adds the triangles of a block's cells, by the block's number in the field.
    func link(number: Int, _ triangles: inout [SurfaceMesh.Triangle]) {
        if places[number] >= 0 { link(Int(places[number]), &triangles) }
    }

    /// Adds the triangles of a block's cells.
    func link(_ place: Int, _ triangles: inout [SurfaceMesh.Triangle]) {
        let key = field.table.keys[chunk.blocks[place].number]
        withUnsafeTemporaryAllocation(of: (point: Int, row: Int).self, capacity: 8) { starts in
            for side in 0..<8 {
                let number = field.table.number(of: key.neighbour(side & 1, side >> 1 & 1, side >> 2))
                let other = number.map { Int(places[$0]) } ?? -1
                let block = chunk.blocks[max(other, 0)]
                starts.initializeElement(at: side, to: (block.firstPoint, block.firstRow))
            }
            chunk.rows.withUnsafeBufferPointer { rows in
                table.flat.withUnsafeBufferPointer { edges in
                    for cell in chunk.cells[chunk.blocks[place].cells] {
                        link(cell, edges, starts, rows, &triangles)
                    }
                }
            }
        }
    }

    @inline(__always)
    private func link(
        _ cell: UInt32,
        _ edges: UnsafeBufferPointer<UInt8>,
        _ starts: Starts,
        _ rows: UnsafeBufferPointer<SurfaceChunk.Row>,
        _ triangles: inout [SurfaceMesh.Triangle]
    ) {
        let voxel = Int(cell &>> 8)
        var next = Int(cell & 0xFF) &* CubeTable.flatStride
        while edges[next] != CubeTable.end {
            triangles.append(
                SurfaceMesh.Triangle(
                    point(voxel, Int(edges[next]), starts, rows),
                    point(voxel, Int(edges[next &+ 1]), starts, rows),
                    point(voxel, Int(edges[next &+ 2]), starts, rows)
                )
            )
            next &+= 3
        }
    }

    @inline(__always)
    private func point(
        _ voxel: Int,
        _ edge: Int,
        _ starts: Starts,
        _ rows: UnsafeBufferPointer<SurfaceChunk.Row>
    ) -> UInt32 {
        // The edge's lower corner, as CubeTable.corners gives it.
        let axis = edge &>> 2
        let corner = Int(CubeTable.lowCorners &>> UInt64(edge &* 4)) & 7
        let x = (voxel & 7) &+ (corner & 1)
        let y = (voxel &>> 3 & 7) &+ (corner &>> 1 & 1)
        let z = (voxel &>> 6) &+ (corner &>> 2)
        // 1 where a coordinate has left the block.
        let start = starts[(x &>> 3) | (y &>> 3) &<< 1 | (z &>> 3) &<< 2]
        let row = rows[start.row &+ (y & 7) &+ (z & 7) &* 8]
        return UInt32(truncatingIfNeeded: start.point &+ row.point(axis: axis, voxel: x & 7))
    }
}

/// How the surface cuts a cell: for each of the 256 ways in which its corners lie inside (negative) or outside.
///
/// Made from the cube's topology: on each face, segments join the edges that change sign and cut off the inside corners
/// one by one, whatever lies beyond the face; so two cells agree on the face between them, and the surface has no holes
/// (the ambiguity of Lorensen and Cline 1987, found by Duerst 1988). The segments of a cell form loops, which are cut
/// into triangles.
///
/// Corner c lies at x = c & 1, y = c >> 1 & 1, z = c >> 2. Edge `4 * axis + i` goes along its axis.
package struct CubeTable: Sendable {
    /// Triples of edges for each case; counterclockwise seen from outside.
    package let triangles: [[UInt8]]
    /// The same in rows of `flatStride`, each closed by `end`.
    let flat: [UInt8]
    static let flatStride = 16
    static let end = UInt8.max
    /// The corner at which each edge begins, four bits an edge.
    static let lowCorners: UInt64 = (0..<12).reduce(0) { $0 | UInt64(corners($1).low) << UInt64(4 * $1) }

    package static let shared = CubeTable()

    private init() {
        triangles = (0..<256).map { CubeTable.loops($0).flatMap(CubeTable.triangulated) }
        // No case has more than five triangles.
        flat = triangles.flatMap { $0 + Array(repeating: CubeTable.end, count: CubeTable.flatStride - $0.count) }
    }

    /// The two ends of an edge.
    package static func corners(_ edge: Int) -> (low: Int, high: Int) {
        let axis = edge / 4
        let (first, second) = ((axis + 1) % 3, (axis + 2) % 3)
        let low = (edge & 1) << first | (edge >> 1 & 1) << second
        return (low, low | 1 << axis)
    }

    /// The edge between two neighbouring corners.
    private static func edge(_ a: Int, _ b: Int) -> Int {
        (0..<12).first { corners($0) == (min(a, b), max(a, b)) } ?? 0
    }

    /// The corners of a face, counterclockwise seen from outside of the cube.
    private static func face(axis: Int, isHigh: Bool) -> [Int] {
        let (first, second) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3))
        let ring = [0, first, first | second, second].map { $0 | (isHigh ? 1 << axis : 0) }
        return isHigh ? ring : ring.reversed()
    }

    private static let faces: [[Int]] = (0..<6).map { face(axis: $0 / 2, isHigh: $0 % 2 == 1) }

    /// Closed chains of edges, each once.
    private static func loops(_ inside: Int) -> [[Int]] {
        var next: [Int: Int] = [:]
        for ring in faces {
            func isInside(_ index: Int) -> Bool { inside >> ring[index & 3] & 1 == 1 }
            for start in 0..<4 where isInside(start) && !isInside(start + 3) {
                // A run of inside corners: the segment leads from where it ends to where it begins.
                var end = start
                while isInside(end + 1) { end += 1 }
                let entry = edge(ring[(start + 3) & 3], ring[start & 3])
                let exit = edge(ring[end & 3], ring[(end + 1) & 3])
                next[entry] = exit
            }
        }
        var result: [[Int]] = []
        for first in 0..<12 {
            var loop: [Int] = []
            var edge = first
            while let following = next.removeValue(forKey: edge) {
                loop.append(edge)
                edge = following
            }
            if !loop.isEmpty { result.append(loop) }
        }
        return result
    }

    /// A loop in triangles, without a diagonal that lies in a face, where the next cell may have the same one.
    private static func triangulated(_ loop: [Int]) -> [UInt8] {
        best(loop).triangles.flatMap { $0 }.map { UInt8($0) }
    }

    /// The triangulation of a polygon with the fewest diagonals within faces; the first one of equals.
    private static func best(_ polygon: [Int]) -> (cost: Int, triangles: [[Int]]) {
        guard polygon.count >= 3, let first = polygon.first, let last = polygon.last else { return (0, []) }
        var result: (cost: Int, triangles: [[Int]]) = (.max, [])
        for apex in 1..<(polygon.count - 1) {
            let left = best(Array(polygon[...apex]))
            let right = best(Array(polygon[apex...]))
            let isDiagonal = (left.triangles.isEmpty ? 0 : 1, right.triangles.isEmpty ? 0 : 1)
            let cost =
                left.cost + right.cost + isDiagonal.0 * (shareFace(first, polygon[apex]) ? 1 : 0)
                + isDiagonal.1 * (shareFace(polygon[apex], last) ? 1 : 0)
            if cost < result.cost {
                result = (cost, left.triangles + [[first, polygon[apex], last]] + right.triangles)
            }
        }
        return result
    }

    private static func shareFace(_ a: Int, _ b: Int) -> Bool {
        let points = [corners(a).low, corners(a).high, corners(b).low, corners(b).high]
        return faces.contains { ring in points.allSatisfy(ring.contains) }
    }
}
