import Maps
import Testing

@Suite("How the surface cuts a cell")
struct CubeTableTests {
    private typealias Side = SIMD2<Int>

    /// The sides of a case's triangles that no other triangle of it has the other way round.
    private func border(_ inside: Int) -> Set<Side> {
        let edges = CubeTable.shared.triangles[inside].map { Int($0) }
        var sides: Set<Side> = []
        for first in stride(from: 0, to: edges.count, by: 3) {
            for index in 0..<3 {
                let (from, to) = (edges[first + index], edges[first + (index + 1) % 3])
                if sides.remove(Side(to, from)) == nil { sides.insert(Side(from, to)) }
            }
        }
        return sides
    }

    private func lies(_ edge: Int, axis: Int, isHigh: Bool) -> Bool {
        let (low, high) = CubeTable.corners(edge)
        return low >> axis & 1 == (isHigh ? 1 : 0) && high >> axis & 1 == (isHigh ? 1 : 0)
    }

    @Test("points are exactly on the edges whose ends differ", arguments: 0..<256)
    func edges(inside: Int) {
        let used = Set(CubeTable.shared.triangles[inside].map { Int($0) })
        let changing = (0..<12).filter { edge in
            let (low, high) = CubeTable.corners(edge)
            return inside >> low & 1 != inside >> high & 1
        }
        #expect(used == Set(changing))
    }

    @Test("the border of every case lies in the faces, and no other side does", arguments: 0..<256)
    func faces(inside: Int) {
        let border = border(inside)
        let edges = CubeTable.shared.triangles[inside].map { Int($0) }
        for first in stride(from: 0, to: edges.count, by: 3) {
            for index in 0..<3 {
                let side = Side(edges[first + index], edges[first + (index + 1) % 3])
                let isInFace = (0..<6).contains { face in
                    lies(side.x, axis: face / 2, isHigh: face % 2 == 1)
                        && lies(side.y, axis: face / 2, isHigh: face % 2 == 1)
                }
                #expect(isInFace == border.contains(side), "\(inside): \(side)")
            }
        }
    }

    @Test("two cells agree on the face between them", arguments: 0..<3)
    func neighbours(axis: Int) {
        // The border within a face depends on its four corners alone, and runs the other way in the next cell.
        var known: [Int: Set<Side>] = [:]
        for isHigh in [true, false] {
            for inside in 0..<256 {
                var sides: Set<Side> = []
                for side in border(inside)
                where lies(side.x, axis: axis, isHigh: isHigh) && lies(side.y, axis: axis, isHigh: isHigh) {
                    let places = [side.x, side.y].map { place($0, axis: axis) }
                    sides.insert(isHigh ? Side(places[0], places[1]) : Side(places[1], places[0]))
                }
                let corners = (0..<8).filter { $0 >> axis & 1 == (isHigh ? 1 : 0) }
                let key = corners.enumerated().reduce(0) { $0 | (inside >> $1.element & 1) << $1.offset }
                if let other = known[key] { #expect(other == sides, "\(inside)") } else { known[key] = sides }
            }
        }
        #expect(known.count == 16)
    }

    /// An edge of a face by its place within it, whichever of the two faces of the axis that is.
    private func place(_ edge: Int, axis: Int) -> Int {
        let (low, high) = CubeTable.corners(edge)
        return (low & ~(1 << axis)) * 8 + (high & ~(1 << axis))
    }
}
