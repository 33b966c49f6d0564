import Perception
import Recording
import TestSupport
import Testing

/// Poses of squares by their corners, against exact projections.
@Suite struct SquarePoseTests {
    private let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1450, fy: 1440, cx: 955, cy: 722)

    private func randomPose(_ generator: inout SeededRandomNumbers) -> Transform {
        func value(_ size: Double) -> Double { Double.random(in: -size...size, using: &generator) }
        // Turned by up to 70 degrees away from the camera, and in any way about its normal.
        let axis = Vector3(value(1), value(1), 0)
        let tilt = Quaternion(angleRadians: value(1.2), axis: axis / axis.length)
        let roll = Quaternion(angleRadians: value(.pi), axis: Vector3(0, 0, 1))
        let distance = 0.4 + abs(value(3))
        return Transform(
            rotation: (tilt * roll).normalized,
            translation: Vector3(value(0.3) * distance, value(0.3) * distance, -distance)
        )
    }

    private func corners(_ pose: Transform, _ edge: Double) throws -> [SIMD2<Double>] {
        // Written out: x over depth, and y over depth counted down.
        SquarePose.corners(edgeMetres: edge).map { corner in
            let p = pose * corner
            return SIMD2(955 + 1450 * p.x / -p.z, 722 - 1440 * p.y / -p.z)
        }
    }

    @Test("a pose is found again from exact corners, and the second one is a minimum as well")
    func exact() throws {
        var generator = SeededRandomNumbers(seed: 1)
        var pairs = 0
        for _ in 0..<1000 {
            let pose = randomPose(&generator)
            let corners = try corners(pose, 0.152)
            let found = SquarePose.solve(corners: corners, edgeMetres: 0.152, camera: camera, sigmaPixels: 0.3)
            let best = try #require(found.first)
            let error = (pose.inverse * best.cameraFromTag).logarithm
            #expect(error.dot(error).squareRoot() < 1e-6 && best.reprojectionPixels < 1e-6)
            guard found.count == 2 else { continue }
            pairs += 1
            // No small step from there is better.
            for axis in 0..<6 {
                for sign in [-1.0, 1.0] {
                    var step = Vector6.zero
                    if axis < 3 { step.translation[axis] = sign * 1e-5 } else { step.rotation[axis - 3] = sign * 1e-4 }
                    let moved = found[1].cameraFromTag.moved(by: step)
                    let squares = zip(SquarePose.corners(edgeMetres: 0.152), corners).reduce(0.0) { sum, pair in
                        guard let pixel = camera.pixel(moved * pair.0) else { return .infinity }
                        return sum + ((pixel - pair.1) * (pixel - pair.1)).sum()
                    }
                    #expect((squares / 4).squareRoot() >= found[1].reprojectionPixels)
                }
            }
        }
        #expect(pairs > 300)
    }

    @Test("the covariance is that of noise")
    func covariance() throws {
        var generator = SeededRandomNumbers(seed: 2)
        func normal() -> Double {
            (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &generator) }
        }
        let pose = Transform(
            rotation: Quaternion(angleRadians: 0.8, axis: Vector3(0, 1, 0)),
            translation: Vector3(0.1, -0.2, -1)
        )
        let exact = try corners(pose, 0.152)
        var squares = Vector6.zero
        var expected = Vector6.zero
        let count = 4000
        for _ in 0..<count {
            let noisy = exact.map { $0 + SIMD2(normal(), normal()) * 0.3 }
            let found = SquarePose.solve(corners: noisy, edgeMetres: 0.152, camera: camera, sigmaPixels: 0.3)
            let best = try #require(
                found.min {
                    (pose.inverse * $0.cameraFromTag).rotation.angleRadians
                        < (pose.inverse * $1.cameraFromTag).rotation.angleRadians
                }
            )
            let error = pose.inverse * best.cameraFromTag
            squares =
                squares
                + Vector6(
                    error.translation * error.translation,
                    error.rotation.rotationVector * error.rotation.rotationVector
                )
            expected = expected + best.covariance.diagonal
        }
        for axis in 0..<3 {
            #expect((0.8...1.2).contains((squares.translation[axis] / expected.translation[axis]).squareRoot()))
            #expect((0.8...1.2).contains((squares.rotation[axis] / expected.rotation[axis]).squareRoot()))
        }
    }

    @Test("corners that are no square in front of a camera have no pose")
    func nonsense() {
        let point = SIMD2(100.0, 100.0)
        let cases: [[SIMD2<Double>]] = [
            [], [point, point, point, point], [point, SIMD2(.nan, 0), SIMD2(5, 5), SIMD2(0, 5)],
            [SIMD2(0, 0), SIMD2(1, 0), SIMD2(2, 0), SIMD2(3, 0)], [SIMD2(1e300, 0), SIMD2(0, 1e300), point, point],
        ]
        for corners in cases {
            for pose in SquarePose.solve(corners: corners, edgeMetres: 0.1, camera: camera, sigmaPixels: 0.3) {
                #expect(pose.cameraFromTag.translation.length.isFinite)
            }
        }
        #expect(SquarePose.solve(corners: cases[0], edgeMetres: 0.1, camera: camera, sigmaPixels: 1).isEmpty)
        #expect(SquarePose.solve(corners: cases[1], edgeMetres: 0.1, camera: camera, sigmaPixels: 1).isEmpty)
    }
}
