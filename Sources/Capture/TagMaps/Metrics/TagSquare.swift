import Recording

/// The square of a detection: where the rays of its corners meet its plane.
struct TagSquare {
    /// The length of each edge, in metres.
    let edges: [Double]

    /// Nil where a corner's ray does not meet the plane in front of the camera.
    init?(_ detection: RawTagMap.Detection) {
        let pose = detection.cameraFromTag
        guard detection.corners.count == 4 else { return nil }
        let normal = pose.rotation.rotating(Vector3(0, 0, 1))
        var points: [Vector3] = []
        for corner in detection.corners {
            let ray = Self.ray(corner, detection.intrinsics)
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

    /// In ARKit's camera axes: x right, y up, z back.
    static func ray(_ pixel: SIMD2<Double>, _ k: [Double]) -> Vector3 {
        Vector3((pixel.x - k[2]) / k[0], -(pixel.y - k[3]) / k[1], -1)
    }

    /// Where a point of the camera's axes is seen.
    static func pixel(_ point: Vector3, _ k: [Double]) -> SIMD2<Double>? {
        guard point.z < -1e-6 else { return nil }
        return SIMD2(k[2] - k[0] * point.x / point.z, k[3] + k[1] * point.y / point.z)
    }

    /// The corners of a tag of this edge, in its own axes, in the order of detections.
    static func corners(edgeMetres edge: Double) -> [Vector3] {
        let half = edge / 2
        return [
            Vector3(-half, -half, 0), Vector3(half, -half, 0), Vector3(half, half, 0), Vector3(-half, half, 0),
        ]
    }
}
