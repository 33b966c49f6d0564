import Recording

/// The room as `truth.json` describes it, met by the most naive means: walking along a ray by the distance to go.
struct MarchedRoom {
    var low: Vector3
    var high: Vector3
    var boxes: [(low: Vector3, high: Vector3)]
    var spheres: [(centre: Vector3, radius: Double)]

    init(truth: JSONFields) throws {
        let room = try truth.object("room")
        low = try room.vector("low")
        high = try room.vector("high")
        boxes = try room.objects("boxes").map { (try $0.vector("low"), try $0.vector("high")) }
        spheres = try room.objects("spheres").map { (try $0.vector("centre"), try $0.number("radius")) }
    }

    /// How far a point in free space may move in any direction.
    func clearance(_ p: Vector3) -> Double {
        var distance = min(
            min(p.x - low.x, high.x - p.x),
            min(p.y - low.y, high.y - p.y),
            min(p.z - low.z, high.z - p.z)
        )
        for box in boxes {
            let x = max(0, max(box.low.x - p.x, p.x - box.high.x))
            let y = max(0, max(box.low.y - p.y, p.y - box.high.y))
            let z = max(0, max(box.low.z - p.z, p.z - box.high.z))
            distance = min(distance, (x * x + y * y + z * z).squareRoot())
        }
        for sphere in spheres {
            let d = p - sphere.centre
            distance = min(distance, (d.x * d.x + d.y * d.y + d.z * d.z).squareRoot() - sphere.radius)
        }
        return distance
    }

    /// The parameter at which `origin + t * direction` meets something.
    func march(_ origin: Vector3, _ direction: Vector3) -> Double {
        let speed = (direction * direction).sum().squareRoot()
        var t = 0.0
        for _ in 0..<10_000 {
            let clearance = clearance(origin + t * direction)
            if clearance < 1e-7 { return t }
            t += clearance / speed
        }
        return t
    }
}

/// A frame of a written sample as its line tells it: the camera in column-major numbers.
struct WrittenCamera {
    let matrix: [Double]
    let fx: Double
    let fy: Double
    let cx: Double
    let cy: Double
    let width: Double
    let height: Double

    init(_ line: JSONFields) throws {
        matrix = try line.numbers("camera_transform")
        let k = try line.numbers("camera_intrinsics")
        (fx, fy, cx, cy) = (k[0], k[4], k[6], k[7])
        let size = try line.numbers("camera_resolution")
        (width, height) = (size[0], size[1])
    }

    var position: Vector3 { Vector3(matrix[12], matrix[13], matrix[14]) }

    func rotated(_ v: Vector3) -> Vector3 {
        Vector3(
            matrix[0] * v.x + matrix[4] * v.y + matrix[8] * v.z,
            matrix[1] * v.x + matrix[5] * v.y + matrix[9] * v.z,
            matrix[2] * v.x + matrix[6] * v.y + matrix[10] * v.z
        )
    }

    func inverseRotated(_ v: Vector3) -> Vector3 {
        Vector3(
            matrix[0] * v.x + matrix[1] * v.y + matrix[2] * v.z,
            matrix[4] * v.x + matrix[5] * v.y + matrix[6] * v.z,
            matrix[8] * v.x + matrix[9] * v.y + matrix[10] * v.z
        )
    }

    /// The ray of a sensor point, 1 long along the optical axis; whole numbers are centres of pixels.
    func direction(x: Double, y: Double) -> Vector3 {
        rotated(Vector3((x - cx) / fx, -(y - cy) / fy, -1))
    }
}
