import Recording
import Tags

/// The square of a detection: where the rays of its corners meet its plane.
struct TagSquare {
    /// The length of each edge, in metres.
    let edges: [Double]

    /// Nil where a corner's ray does not meet the plane in front of the camera.
    init?(_ detection: RawTagMap.Detection) {
        let pose = detection.cameraFromTag
        guard detection.corners.count == 4, let camera = detection.camera else { return nil }
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        var points: [Vector3] = []
        for corner in detection.corners {
            let ray = camera.ray(corner)
            let slope = dot(normal, ray)
            guard abs(slope) > 1e-9 else { return nil }
            let distance = dot(normal, pose.translation) / slope
            guard distance > 0, distance < 1000 else { return nil }
            points.append(ray * distance)
        }
        edges = (0..<4).map { (points[$0] - points[($0 + 1) % 4]).length }
    }

    var edgeMetres: Double { edges.reduce(0, +) / 4 }

    /// Whether the corners are an exact square: corners that were measured never are.
    var isComputed: Bool { edges.allSatisfy { abs($0 / edgeMetres - 1) < 1e-6 } }
}
