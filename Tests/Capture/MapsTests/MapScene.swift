import Maps
import Perception
import Recording
import Synthetic
import Testing

/// Boxes and spheres, perhaps in a room, whose depth is computed ray by ray.
struct MapScene {
    var boxes: [(low: Vector3, high: Vector3)] = []
    var spheres: [(centre: Vector3, radius: Double)] = []
    /// Seen from inside.
    var room: (low: Vector3, high: Vector3)?

    static let camera = CameraIntrinsics(width: 960, height: 720, fx: 724, fy: 726, cx: 481.4, cy: 358.2)

    init() {}

    /// The furnished room of synthetic sessions.
    init(_ room: Room) {
        boxes = room.boxes.map { ($0.low, $0.high) }
        spheres = room.spheres.map { ($0.centre, $0.radius) }
        self.room = (room.low, room.high)
    }

    /// The ray's first hit in multiples of its direction; 0 without any.
    func depth(from origin: Vector3, along ray: Vector3) -> Double {
        var best = Double.infinity
        for box in boxes + (room.map { [$0] } ?? []) {
            let (a, b) = ((box.low - origin) / ray, (box.high - origin) / ray)
            let near = (0..<3).map { min(a[$0], b[$0]) }.max() ?? 0
            let far = (0..<3).map { max(a[$0], b[$0]) }.min() ?? 0
            if near > 0 && near < far { best = min(best, near) }
            if near <= 0 && far > 0 { best = min(best, far) }
        }
        for sphere in spheres {
            let toCentre = sphere.centre - origin
            let along = dot(toCentre, ray) / dot(ray, ray)
            let closest = toCentre - along * ray
            let rest = sphere.radius * sphere.radius - dot(closest, closest)
            if rest > 0 {
                let near = along - (rest / dot(ray, ray)).squareRoot()
                if near > 0 { best = min(best, near) }
            }
        }
        return best.isFinite ? best : 0
    }

    func view(_ pose: Transform, width: Int = 256, height: Int = 192) -> DepthView {
        let camera = Self.camera.scaled(toWidth: width, height: height)
        var metres: [Float] = []
        for row in 0..<height {
            for column in 0..<width {
                let ray = Vector3(
                    (Double(column) - camera.cx) / camera.fx,
                    (camera.cy - Double(row)) / camera.fy,
                    -1
                )
                metres.append(Float(depth(from: pose.translation, along: pose.rotation.rotating(ray))))
            }
        }
        let depth = DepthMap(width: width, height: height, metres: metres)
        return DepthView(depth: depth, intrinsics: Self.camera, worldFromCamera: pose)
    }

    /// A pose that looks from one place to another, with y up.
    static func pose(from eye: Vector3, to target: Vector3) -> Transform {
        let back = (eye - target) / (eye - target).length
        let up = abs(back.y) > 0.99 ? Vector3(0, 0, 1) : Vector3(0, 1, 0)
        let side = cross(up, back)
        let right = side / side.length
        return Transform(rotation: Quaternion(columns: right, cross(back, right), back), translation: eye)
    }

    /// Poses around a point, evenly over the sphere of directions.
    static func poses(around centre: Vector3, distance: Double, count: Int) -> [Transform] {
        (0..<count).map { index in
            let height = 1 - 2 * (Double(index) + 0.5) / Double(count)
            let turn = Double(index) * 2.399963
            let level = (1 - height * height).squareRoot()
            let direction = Quaternion(angleRadians: turn, axis: Vector3(0, 1, 0)).rotating(Vector3(level, height, 0))
            return pose(from: centre + distance * direction, to: centre)
        }
    }

    /// The samples of a view, all of one colour where one is given.
    static func frame(_ view: DepthView, image: RGBImage? = nil) throws -> MapFrame {
        let samples = try DepthSampler().samples(view, image: image, imageScale: 1)
        return try #require(MapFrame(samples, worldFromCamera: view.worldFromCamera))
    }

    static func image(red: UInt8, green: UInt8, blue: UInt8) -> RGBImage {
        RGBImage(width: 96, height: 72, pixels: (0..<96 * 72).flatMap { _ in [red, green, blue] })
    }

    /// The field after all frames.
    static func field(
        _ frames: [MapFrame],
        _ parameters: MapParameters = MapParameters(),
        jobs: Int = 1
    ) async throws -> FieldSnapshot {
        let volume = try MapVolume(parameters, jobs: jobs)
        for frame in frames { await volume.integrate(frame) }
        return await volume.snapshot()
    }
}
