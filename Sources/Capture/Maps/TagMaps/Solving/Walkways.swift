package import Recording

/// Where one can walk in a map: places that a walk has passed, and which of them are next to each other.
///
/// Where two parts of the walks cross, seen from above and within a metre of height, there is one more place.
package struct Walkways: Sendable {
    package struct Place: Sendable {
        package var pose: Transform
        /// Indices of places, ascending.
        package var neighbours: [Int] = []
        package var visibleTags = 0
    }

    package private(set) var places: [Place] = []
    /// The places at crossings, which are the last ones.
    package private(set) var crossings = 0

    private static let heightMetres = 1.0
    private static let cellMetres = 0.5
    /// Crossings that are closer together are one place.
    private static let sharedMetres = 0.25
    /// With how many others a segment is compared in a cell: those that came last.
    private static let mostCompared = 1000

    /// - Parameters:
    ///   - walks: The poses of each walk in one world, y up, in the order of time.
    ///   - visibleTags: the number of tags seen from each pose of each walk.
    package init(_ walks: [[Transform]], visibleTags: [[Int: Int]] = []) {
        var segments: [(Int, Int)] = []
        for (index, walk) in walks.enumerated() {
            for (pose, transform) in walk.enumerated() {
                places.append(Place(pose: transform))
                if index < visibleTags.count { places[places.count - 1].visibleTags = visibleTags[index][pose] ?? 0 }
                if pose > 0 { segments.append((places.count - 2, places.count - 1)) }
            }
        }
        // By segment: the places on it beside its ends, with how far along they are.
        var inner = [[(along: Double, place: Int)]](repeating: [], count: segments.count)
        join(segments, &inner)
        for (index, segment) in segments.enumerated() {
            let chain = [segment.0] + inner[index].sorted { $0 < $1 }.map(\.place) + [segment.1]
            for (a, b) in zip(chain, chain.dropFirst()) {
                places[a].neighbours.append(b)
                places[b].neighbours.append(a)
            }
        }
        for index in places.indices { places[index].neighbours = Set(places[index].neighbours).sorted() }
    }

    /// From places by number; neighbours that are not there are none.
    init(vertices: [(id: Int64, pose: Transform, neighbours: [Int64])]) {
        var indices: [Int64: Int] = [:]
        for vertex in vertices where indices[vertex.id] == nil {
            indices[vertex.id] = places.count
            places.append(Place(pose: vertex.pose))
        }
        for vertex in vertices {
            guard let index = indices[vertex.id] else { continue }
            for other in vertex.neighbours.compactMap({ indices[$0] }) where other != index {
                places[index].neighbours.append(other)
                places[other].neighbours.append(index)
            }
        }
        for index in places.indices { places[index].neighbours = Set(places[index].neighbours).sorted() }
    }

    private struct Cell: Hashable {
        var x: Int
        var z: Int
        /// The height of shared places; segments are in all heights.
        var y = 0

        init(_ point: Vector3, _ sideMetres: Double) {
            func cell(_ value: Double) -> Int { Int((value / sideMetres).rounded(.down)) }
            (x, y, z) = (cell(point.x), Int(point.y.rounded(.down)), cell(point.z))
        }

        init(x: Int, z: Int) { (self.x, self.z) = (x, z) }
    }

    /// Puts a place where segments cross, one for all crossings that are close together: who walks in one room for an hour
    /// crosses the own way a million times.
    private mutating func join(_ segments: [(Int, Int)], _ inner: inout [[(along: Double, place: Int)]]) {
        var cells: [Cell: [Int]] = [:]
        var shared: [Cell: Int] = [:]
        for (second, segment) in segments.enumerated() {
            for cell in self.cells(segment) {
                for first in cells[cell, default: []].suffix(Self.mostCompared) where segments[first].1 != segment.0 {
                    guard let (a, b, pose) = crossing(segments[first], segment) else { continue }
                    let corner = Cell(pose.translation, Self.sharedMetres)
                    let place = shared[corner] ?? places.count
                    if place == places.count {
                        shared[corner] = place
                        places.append(Place(pose: pose))
                        crossings += 1
                    }
                    if !inner[first].contains(where: { $0.place == place }) { inner[first].append((a, place)) }
                    if !inner[second].contains(where: { $0.place == place }) { inner[second].append((b, place)) }
                }
                cells[cell, default: []].append(second)
            }
        }
    }

    /// The cells that a segment goes through, seen from above.
    private func cells(_ segment: (Int, Int)) -> [Cell] {
        let (a, b) = (places[segment.0].pose.translation, places[segment.1].pose.translation)
        // What leaps over many cells is a jump of the tracking, no way that was walked.
        guard (a - b).length < 10, a.length < 1e6 else { return [] }
        func cell(_ value: Double) -> Int { Int((value / Self.cellMetres).rounded(.down)) }
        let (start, end) = a.x <= b.x ? (a, b) : (b, a)
        let isSteep = end.x - start.x < 1e-6
        let slope = isSteep ? 0 : (end.z - start.z) / (end.x - start.x)
        return (cell(start.x)...cell(end.x)).flatMap { x in
            // The part of the segment in this column.
            let from = max(start.x, Double(x) * Self.cellMetres)
            let to = min(end.x, Double(x + 1) * Self.cellMetres)
            let z = isSteep ? [start.z, end.z] : [from, to].map { start.z + slope * ($0 - start.x) }
            return (cell(min(z[0], z[1]))...cell(max(z[0], z[1]))).map { Cell(x: x, z: $0) }
        }
    }

    /// How far along both segments they cross, and where; nil where they do not.
    private func crossing(_ first: (Int, Int), _ second: (Int, Int)) -> (Double, Double, Transform)? {
        let (p, q) = (places[first.0].pose, places[second.0].pose)
        let (u, v) = (
            places[first.1].pose.translation - p.translation, places[second.1].pose.translation - q.translation
        )
        let determinant = u.x * v.z - u.z * v.x
        guard abs(determinant) > 1e-9 else { return nil }
        let d = q.translation - p.translation
        let (a, b) = ((d.x * v.z - d.z * v.x) / determinant, (d.x * u.z - d.z * u.x) / determinant)
        guard a > 0, a < 1, b > 0, b < 1 else { return nil }
        let (here, there) = (p.translation + u * a, q.translation + v * b)
        guard abs(here.y - there.y) < Self.heightMetres else { return nil }
        return (a, b, Transform(rotation: p.rotation, translation: (here + there) / 2))
    }

    package func place(nearestTo point: Vector3) -> Int? {
        places.indices.min {
            (places[$0].pose.translation - point).length < (places[$1].pose.translation - point).length
        }
    }

    /// The shortest way between two places (Dijkstra 1959), and its length; nil where there is none.
    package func path(from start: Int, to end: Int) -> (places: [Int], metres: Double)? {
        guard places.indices.contains(start), places.indices.contains(end) else { return nil }
        var distances = [Double](repeating: .infinity, count: places.count)
        var before = [Int](repeating: -1, count: places.count)
        var queue = Heap<(distance: Double, place: Int)> { $0 < $1 }
        distances[start] = 0
        queue.insert((0, start))
        while let (distance, place) = queue.removeFirst() {
            guard distance <= distances[place] else { continue }
            if place == end { break }
            for next in places[place].neighbours {
                let step = (places[next].pose.translation - places[place].pose.translation).length
                guard distance + step < distances[next] else { continue }
                distances[next] = distance + step
                before[next] = place
                queue.insert((distance + step, next))
            }
        }
        guard distances[end].isFinite else { return nil }
        var path = [end]
        while let last = path.last, last != start { path.append(before[last]) }
        return (path.reversed(), distances[end])
    }
}
