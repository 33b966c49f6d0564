package import Recording
package import Synthetic

/// How far points lie from the surfaces of a synthetic room, and on which they lie.
extension Room {
    /// The distance from a point to the nearest surface, in metres.
    package func distanceToSurface(_ point: Vector3) -> Double {
        var distance = Room.distance(from: point, toBoundaryOf: low, high)
        for box in boxes { distance = min(distance, Room.distance(from: point, toBoundaryOf: box.low, box.high)) }
        for sphere in spheres {
            distance = min(distance, abs((point - sphere.centre).length - sphere.radius))
        }
        return distance
    }

    package func surface(nearestTo point: Vector3) -> Surface {
        var best = Surface.side(axis: 0, isHigh: false)
        var distance = Double.infinity
        func offer(_ candidate: Double, _ surface: Surface) {
            if candidate < distance { (distance, best) = (candidate, surface) }
        }
        for axis in 0..<3 {
            offer(abs(point[axis] - low[axis]), .side(axis: axis, isHigh: false))
            offer(abs(point[axis] - high[axis]), .side(axis: axis, isHigh: true))
        }
        for (index, box) in boxes.enumerated() {
            let axis = (0..<3).min { Room.faceDistance(point, box, $0) < Room.faceDistance(point, box, $1) } ?? 0
            offer(Room.distance(from: point, toBoundaryOf: box.low, box.high), .box(index, axis: axis))
        }
        for (index, sphere) in spheres.enumerated() {
            offer(abs((point - sphere.centre).length - sphere.radius), .sphere(index))
        }
        return best
    }

    private static func faceDistance(_ point: Vector3, _ box: Box, _ axis: Int) -> Double {
        min(abs(point[axis] - box.low[axis]), abs(point[axis] - box.high[axis]))
    }

    private static func distance(from point: Vector3, toBoundaryOf low: Vector3, _ high: Vector3) -> Double {
        var outside = Vector3.zero
        var inside = Double.infinity
        for axis in 0..<3 {
            let beyond = max(low[axis] - point[axis], point[axis] - high[axis])
            outside[axis] = max(0, beyond)
            inside = min(inside, -beyond)
        }
        return inside > 0 ? inside : outside.length
    }
}
