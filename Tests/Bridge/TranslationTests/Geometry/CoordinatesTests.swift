import Recording
import Sessions
import TestSupport
import Testing
import Translation

/// Every change of axes against vectors written by hand from the specification.
@Suite struct CoordinatesTests {
    private let forward = Vector3(0, 0, -1)

    @Test func mapIsTheWorldWithZUp() {
        let vectors: [(Vector3, Vector3)] = [
            (Vector3(1, 0, 0), Vector3(1, 0, 0)), (Vector3(0, 1, 0), Vector3(0, 0, 1)),
            (Vector3(0, 0, 1), Vector3(0, -1, 0)), (Vector3(2, 3, 5), Vector3(2, -5, 3)),
        ]
        for (world, map) in vectors { #expect((Coordinates.mapFromWorld * world).isClose(to: map)) }
    }

    @Test func opticalFrameLooksForward() {
        #expect((Coordinates.opticalFromCamera * Vector3(2, 3, 5)).isClose(to: Vector3(2, -3, -5)))
        #expect((Coordinates.opticalFromCamera * forward).isClose(to: Vector3(0, 0, 1)))
    }

    /// x forward, y left, z up, at the camera's own place.
    @Test func baseIsABody() {
        #expect((Coordinates.baseFromCamera * Vector3(2, 3, 5)).isClose(to: Vector3(-5, -2, 3)))
        #expect((Coordinates.baseFromCamera * forward).isClose(to: Vector3(1, 0, 0)))
        #expect(Coordinates.baseFromCamera.translation == .zero)
    }

    /// Portrait: x right, y to the top edge, z out of the screen.
    ///
    /// The sensor's x points to the bottom edge.
    @Test func deviceAxes() {
        #expect((DeviceAxes.cameraFromDevice * Vector3(2, 3, 5)).isClose(to: Vector3(-3, 2, 5)))
        #expect((DeviceAxes.cameraFromDevice * Vector3(0, 1, 0)).isClose(to: Vector3(-1, 0, 0)))
        // Portrait: gravity points to the bottom edge, and in the sensor's image to the right.
        #expect((DeviceAxes.cameraFromDevice * Vector3(0, -1, 0)).isClose(to: Vector3(1, 0, 0)))
    }

    @Test func bodyInTheMap() {
        // ARKit's start: the camera looks along -z, which is north (y) in the map.
        let start = Coordinates.mapFromBase(.identity, policy: .ros)
        #expect((start * Vector3(1, 0, 0)).isClose(to: Vector3(0, 1, 0)))
        #expect((start * Vector3(0, 1, 0)).isClose(to: Vector3(-1, 0, 0)))
        #expect((start * Vector3(0, 0, 1)).isClose(to: Vector3(0, 0, 1)))
        let pose = Recording.Transform(
            rotation: Recording.Quaternion(angleRadians: .pi / 2, axis: Vector3(0, 1, 0)),
            translation: Vector3(1, 2, 3)
        )
        // Turned to the left by a right angle the camera looks west.
        let body = Coordinates.mapFromBase(pose, policy: .ros)
        #expect((body * Vector3(1, 0, 0)).isClose(to: Vector3(0, -3, 2)))
        #expect(body.translation.isClose(to: Vector3(1, -3, 2)))
        #expect(Coordinates.mapFromBase(pose, policy: .app) == pose)
    }

    /// Where the body is says where the camera is: two poses by hand, and there and back.
    @Test func camerasOfBodies() {
        let south = Recording.Transform(
            rotation: Recording.Quaternion(angleRadians: -.pi / 2, axis: Vector3(0, 0, 1)),
            translation: Vector3(1, -3, 2)
        )
        // A body that looks south (-y) is a camera that looks along +z.
        let camera = Coordinates.worldFromCamera(south, policy: .ros)
        #expect((camera * Vector3(0, 0, -1)).isClose(to: Vector3(1, 2, 4)))
        #expect((camera * Vector3(0, 1, 0)).isClose(to: Vector3(1, 3, 3)))
        #expect(camera.translation.isClose(to: Vector3(1, 2, 3)))
        #expect(Coordinates.worldFromCamera(south, policy: .app) == south)
        for policy in [FramePolicy.ros, .app] {
            let body = Coordinates.mapFromBase(camera, policy: policy)
            let again = Coordinates.worldFromCamera(body, policy: policy)
            for point in [Vector3(0, 0, 0), Vector3(1, 2, 3)] { #expect((again * point).isClose(to: camera * point)) }
        }
    }

    @Test func cloudsAndBodiesAgree() {
        let pose = Recording.Transform(
            rotation: Recording.Quaternion(angleRadians: 0.7, axis: Vector3(0.6, 0, 0.8)),
            translation: Vector3(-1, 0.5, 2)
        )
        let point = Vector3(0.3, -0.4, -1.7)
        let byBody = Coordinates.mapFromBase(pose, policy: .ros) * (Coordinates.baseFromCamera * point)
        #expect(byBody.isClose(to: Coordinates.mapFromCamera(pose, policy: .ros) * point, 1e-12))
        #expect(byBody.isClose(to: Coordinates.mapFromWorld * (pose * point), 1e-12))
        #expect((Coordinates.mapFromCamera(pose, policy: .app) * point).isClose(to: pose * point))
    }

    /// A point seen through the turned camera matrix in the turned frame is where the turned image shows it.
    @Test(arguments: ImageOrientation.allCases)
    func turnedImagesAreSeenInTurnedFrames(orientation: ImageOrientation) {
        // Whole numbers are the centres of pixels: a turned image counts from the centre of its last column or row.
        let (lastColumn, lastRow) = (1919.0, 1439.0)
        let sensor = CameraIntrinsics(width: 1920, height: 1440, fx: 1440, fy: 1450, cx: 955, cy: 724)
        let stored = orientation.storedIntrinsics(sensor)
        let storedFromOptical = Coordinates.sensorOpticalFromStoredOptical(orientation).inverse
        var numbers = SeededRandomNumbers(seed: 4)
        for _ in 0..<100 {
            let p = Vector3(
                Double.random(in: -1...1, using: &numbers),
                Double.random(in: -1...1, using: &numbers),
                Double.random(in: -5 ... -1, using: &numbers)
            )
            let x = p.x / -p.z * sensor.fx + sensor.cx
            let y = -p.y / -p.z * sensor.fy + sensor.cy
            let expected =
                switch orientation {
                case .landscapeRight: (x, y)
                case .landscapeLeft: (lastColumn - x, lastRow - y)
                case .portrait: (lastRow - y, x)
                case .portraitUpsideDown: (y, lastColumn - x)
                }
            let q = storedFromOptical * (Coordinates.opticalFromCamera * p)
            #expect(abs(q.x / q.z * stored.fx + stored.cx - expected.0) < 1e-9)
            #expect(abs(q.y / q.z * stored.fy + stored.cy - expected.1) < 1e-9)
        }
    }

    /// The table of the recording app's rotated frames, in terms of the sensor's optical frame.
    @Test func turnedFramesByTheTable() {
        let p = Vector3(2, 3, 5)
        let table: [(ImageOrientation, Vector3)] = [
            (.portrait, Vector3(-3, 2, 5)), (.portraitUpsideDown, Vector3(3, -2, 5)),
            (.landscapeLeft, Vector3(-2, -3, 5)), (.landscapeRight, p),
        ]
        for (orientation, expected) in table {
            let stored = Coordinates.sensorOpticalFromStoredOptical(orientation).inverse * p
            #expect(stored.isClose(to: expected), "\(orientation)")
        }
    }

    @Test func gravityIsComparedInDegrees() throws {
        func sample(_ gravity: Vector3) -> MotionSample {
            MotionSample(
                time: Timestamp(nanoseconds: 0),
                userAcceleration: .zero,
                rotationRate: .zero,
                gravity: gravity
            )
        }
        // Held level in landscape, buttons up: the camera's y points up, gravity to the phone's left edge.
        let level = sample(Vector3(-1, 0, 0))
        #expect(try #require(DeviceAxes.gravityDisagreementDegrees(level, .identity)) < 1e-9)
        let tilted = Recording.Transform(rotation: Recording.Quaternion(angleRadians: 0.1, axis: Vector3(0, 0, 1)))
        let degrees = try #require(DeviceAxes.gravityDisagreementDegrees(level, tilted))
        #expect(abs(degrees - 0.1 * 180 / .pi) < 1e-9)
        let opposite = try #require(DeviceAxes.gravityDisagreementDegrees(sample(Vector3(1, 0, 0)), .identity))
        #expect(abs(opposite - 180) < 1e-9)
        #expect(DeviceAxes.gravityDisagreementDegrees(sample(.zero), .identity) == nil)
    }

    @Test func gravityCheckTakesTheMedian() throws {
        var check = GravityCheck()
        #expect(check.medianDegrees == nil && check.problem == nil)
        let camera = CameraIntrinsics(width: 64, height: 48, fx: 50, fy: 50, cx: 32, cy: 24)
        for index in 0..<21 {
            let time = Timestamp(nanoseconds: Int64(index) * 100_000_000)
            let angle = index < 11 ? 0.2 : 0
            let frame = FrameReference(
                index: index,
                line: index + 1,
                time: time,
                worldFromCamera: Recording.Transform(
                    rotation: Recording.Quaternion(angleRadians: angle, axis: Vector3(0, 0, 1))
                ),
                intrinsics: camera,
                tracking: .normal
            )
            check.add(.frame(frame))
            for gravity in [Vector3(-1, 0, 0), Vector3(1e200, 1e200, 0)] {
                check.add(
                    .motion(
                        MotionSample(
                            time: time.advanced(byNanoseconds: 10_000_000),
                            userAcceleration: .zero,
                            rotationRate: .zero,
                            gravity: gravity
                        )
                    )
                )
            }
        }
        #expect(check.count == 21)
        let expected: Double = 0.2 * 180 / .pi
        #expect(abs(try #require(check.medianDegrees) - expected) <= 0.25)
        let problem = try #require(check.problem)
        #expect(problem.kind == .gravityDisagrees && problem.found.contains("21 samples"))
    }
}
