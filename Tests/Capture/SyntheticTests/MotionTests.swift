import Foundation
import Recording
import Synthetic
import Testing

@Suite struct MotionTests {
    /// The axes of the phone and those of its camera, from the published relation (-y, x, z).
    private func camera(fromDevice v: Vector3) -> Vector3 { Vector3(-v.y, v.x, v.z) }

    private func options(_ orientation: ImageOrientation) -> SampleOptions {
        var options = WrittenSample.smallOptions()
        options.orientation = .fixed(orientation)
        options.durationSeconds = 3
        options.framesPerSecond = 10
        options.imageSize = GridSize(width: 32, height: 24)
        options.hasLidar = false
        return options
    }

    @Test(arguments: [ImageOrientation.landscapeRight, .portrait])
    func gyroscopeIntegratesToThePoses(orientation: ImageOrientation) async throws {
        let sample = try await WrittenSample(options(orientation))
        let lines = try sample.lines("frames.jsonl")
        let motion = try sample.lines("imu.jsonl")
        let first = try lines[0].number("timestamp")
        var rotation = try pose(lines[0]).rotation
        var next = 1
        for (place, line) in motion.enumerated() {
            let time = try line.number("timestamp")
            guard time >= first - 1e-6, place + 1 < motion.count, next < lines.count else { continue }
            if abs(time - (try lines[next].number("timestamp"))) < 1e-4 {
                let difference = (rotation.inverse * (try pose(lines[next]).rotation)).rotationVector.length
                #expect(difference < 2e-4, "frame \(next)")
                next += 1
            }
            // The mean of two samples is the rate in between, to second order.
            let rate = (try line.vector("rotation_rate") + motion[place + 1].vector("rotation_rate")) / 2
            let step = camera(fromDevice: rate) * (try motion[place + 1].number("timestamp") - time)
            if step.length > 0 {
                rotation = rotation * Quaternion(angleRadians: step.length, axis: step / step.length)
            }
        }
        #expect(next == lines.count)
    }

    @Test(arguments: [ImageOrientation.landscapeLeft, .portraitUpsideDown])
    func accelerometerIntegratesToThePositions(orientation: ImageOrientation) async throws {
        let sample = try await WrittenSample(options(orientation))
        let lines = try sample.lines("frames.jsonl")
        let times = try lines.map { try $0.number("timestamp") }
        let motion = try sample.lines("imu.jsonl").filter { try $0.number("timestamp") >= times[0] - 1e-6 }
        let trajectory = SyntheticSession.trajectory(options(orientation))
        var position = try pose(lines[0]).translation
        var velocity =
            (trajectory.worldFromCamera(atSeconds: 1e-3).translation
                - trajectory.worldFromCamera(atSeconds: -1e-3).translation) / 2e-3
        var next = 1
        for place in 0..<motion.count - 1 {
            let time = try motion[place].number("timestamp")
            let step = try motion[place + 1].number("timestamp") - time
            if next < lines.count, abs(time - times[next]) < 1e-4 {
                #expect((position - (try pose(lines[next]).translation)).length < 2e-3, "frame \(next)")
                next += 1
            }
            // Specific force is -(user + gravity) * g; adding gravity again leaves the motion.
            let rotation = trajectory.worldFromCamera(atSeconds: time - times[0]).rotation
            let force = try motion[place].vector("user_acceleration") + motion[place].vector("gravity")
            let acceleration = rotation.rotating(camera(fromDevice: -9.80665 * force)) + Vector3(0, -9.80665, 0)
            position += velocity * step + acceleration * (step * step / 2)
            velocity += acceleration * step
        }
        #expect(next == lines.count)
    }

    @Test func gravityAndAttitudeAgreeWithThePoses() async throws {
        let sample = try await WrittenSample(options(.portrait))
        for line in try sample.lines("frames.jsonl") {
            let later = try line.number("imu_timestamp") - line.number("timestamp")
            #expect(later > 0 && later < 0.1)
            let gravity = try line.vector("gravity")
            #expect(abs(gravity.length - 1) < 1e-9)
            let expected = try WrittenCamera(line).inverseRotated(Vector3(0, -1, 0))
            #expect((camera(fromDevice: gravity) - expected).length < 0.05)
            let q = try line.numbers("attitude_quaternion")
            let attitude = Quaternion(x: q[0], y: q[1], z: q[2], w: q[3])
            #expect((attitude.inverse.rotating(Vector3(0, 0, -1)) - gravity).length < 1e-9)
            let euler = try line.numbers("attitude_euler")
            let rebuilt =
                Quaternion(angleRadians: euler[2], axis: Vector3(0, 0, 1))
                * Quaternion(angleRadians: euler[1], axis: Vector3(1, 0, 0))
                * Quaternion(angleRadians: euler[0], axis: Vector3(0, 1, 0))
            #expect((attitude.inverse * rebuilt).rotationVector.length < 1e-6)
            let angles = try line.numbers("camera_euler_angles")
            let camera =
                Quaternion(angleRadians: angles[1], axis: Vector3(0, 1, 0))
                * Quaternion(angleRadians: angles[0], axis: Vector3(1, 0, 0))
                * Quaternion(angleRadians: angles[2], axis: Vector3(0, 0, 1))
            #expect((try pose(line).rotation.inverse * camera).rotationVector.length < 1e-5)
        }
    }

    @Test func repeatedImagesKeepTheMotionSmooth() async throws {
        var options = options(.landscapeRight)
        options.durationSeconds = 8
        options.imageCount = 15
        let trajectory = SyntheticSession.trajectory(options)
        var largest = 0.0
        for tick in 0..<8000 {
            largest = max(largest, trajectory.acceleration(atSeconds: Double(tick) * 1e-3).length)
        }
        #expect(largest < 15)
        let sample = try await WrittenSample(options)
        let lines = try sample.lines("frames.jsonl")
        let frames = try sample.object("truth.json").objects("frames")
        #expect(lines.count == 80)
        var shown = Set<Int>()
        for (line, frame) in zip(lines, frames) {
            let image = Int(try frame.number("image"))
            shown.insert(image)
            let difference = try pose(line).translation - pose(lines[image]).translation
            #expect(difference.length < 1e-6)
        }
        #expect(shown.count == 15)
        #expect(try sample.fileNumber("rgb/000000.jpg") == sample.fileNumber("rgb/000028.jpg"))
        #expect(try sample.fileNumber("rgb/000000.jpg") != sample.fileNumber("rgb/000001.jpg"))
    }

    @Test func fixesLieWhereTheCameraIs() async throws {
        var options = options(.landscapeRight)
        options.hasGPS = true
        let sample = try await WrittenSample(options)
        let origin = try sample.object("truth.json").object("gps_origin")
        let o = (
            try origin.number("latitude"), try origin.number("longitude"), try origin.number("ellipsoidal_altitude")
        )
        let first = try sample.lines("frames.jsonl")[0].number("timestamp")
        let trajectory = SyntheticSession.trajectory(options)
        let fixes = try sample.lines("gps.jsonl")
        #expect(fixes.count == 3)
        for fix in fixes {
            let place = (
                try fix.number("latitude"), try fix.number("longitude"), try fix.number("ellipsoidal_altitude")
            )
            let enu = earthCentred(place) - earthCentred(o)
            let (latitude, longitude) = (o.0 * .pi / 180, o.1 * .pi / 180)
            let east = -sin(longitude) * enu.x + cos(longitude) * enu.y
            let north = -sin(latitude) * (cos(longitude) * enu.x + sin(longitude) * enu.y) + cos(latitude) * enu.z
            let up = cos(latitude) * (cos(longitude) * enu.x + sin(longitude) * enu.y) + sin(latitude) * enu.z
            let position = trajectory.worldFromCamera(atSeconds: try fix.number("timestamp") - first).translation
            #expect((Vector3(east, up, -north) - position).length < 1e-5)
            #expect(try fix.number("ellipsoidal_altitude") - fix.number("altitude") > 40)
            let unix = try #require(Double(try fix.text("unix_time")))
            #expect(abs(unix - 1_767_268_800 - (try fix.number("timestamp") - 4321.25)) < 1e-3)
        }
    }

    /// WGS 84, the closed formula in the forward direction.
    private func earthCentred(_ p: (Double, Double, Double)) -> Vector3 {
        let (latitude, longitude) = (p.0 * .pi / 180, p.1 * .pi / 180)
        let f = 1 / 298.257223563
        let e2 = 2 * f - f * f
        let n = 6_378_137 / sqrt(1 - e2 * sin(latitude) * sin(latitude))
        return Vector3(
            (n + p.2) * cos(latitude) * cos(longitude),
            (n + p.2) * cos(latitude) * sin(longitude),
            (n * (1 - e2) + p.2) * sin(latitude)
        )
    }

    private func pose(_ line: JSONFields) throws -> Transform {
        try Transform(columnMajor: try line.numbers("camera_transform"))
    }
}
