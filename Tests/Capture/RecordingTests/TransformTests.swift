import Recording
import TestSupport
import Testing

@Suite struct TransformTests {
    private static func random(_ seed: UInt64) -> [Transform] {
        var numbers = SeededRandomNumbers(seed: seed)
        func vector(_ size: Double) -> Vector3 {
            Vector3(
                .random(in: -size...size, using: &numbers),
                .random(in: -size...size, using: &numbers),
                .random(in: -size...size, using: &numbers)
            )
        }
        return (0..<40).map { _ in
            let axis = vector(1)
            let angle = Double.random(in: -7...7, using: &numbers)
            return Transform(
                rotation: Quaternion(angleRadians: angle, axis: axis / axis.length),
                translation: vector(50)
            )
        }
    }

    private func isClose(_ a: Transform, _ b: Transform, _ tolerance: Double = 1e-11) -> Bool {
        let q = a.rotation.inverse * b.rotation
        return (a.translation - b.translation).length < tolerance && 1 - abs(q.w) < tolerance
    }

    @Test func groupLaws() {
        let transforms = Self.random(1)
        for (a, b) in zip(transforms, transforms.dropFirst()) {
            #expect(isClose(a * .identity, a) && isClose(.identity * a, a))
            #expect(isClose(a * a.inverse, .identity) && isClose(a.inverse * a, .identity))
            #expect(isClose((a * b).inverse, b.inverse * a.inverse))
            #expect(isClose((a * b) * transforms[0], a * (b * transforms[0]), 1e-9))
        }
    }

    @Test func productsAndPointsAgree() {
        let transforms = Self.random(2)
        let point = Vector3(1, -2, 3)
        for (a, b) in zip(transforms, transforms.dropFirst()) {
            #expect(((a * b) * point - a * (b * point)).length < 1e-11)
            // Rigid: distances stay.
            let other = Vector3(-4, 0.5, 2)
            #expect(abs((a * point - a * other).length - (point - other).length) < 1e-11)
        }
    }

    @Test func matricesAreReadAndWrittenByColumns() throws {
        // A quarter turn about z: x goes to y.
        let matrix: [Double] = [0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 5, 6, 7, 1]
        let transform = try Transform(columnMajor: matrix)
        #expect((transform * Vector3(1, 0, 0) - Vector3(5, 7, 7)).length < 1e-12)
        #expect(zip(transform.columnMajor, matrix).allSatisfy { abs($0 - $1) < 1e-12 })
        for random in Self.random(3) {
            let back = try Transform(columnMajor: random.columnMajor)
            #expect(isClose(back, random, 1e-12))
            let single = try Transform(columnMajor: random.columnMajor.map { Double(Float($0)) })
            #expect(isClose(single, random, 1e-5))
        }
    }

    /// All four branches of the conversion, at and around half turns.
    @Test(arguments: [
        Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1), Vector3(0.6, 0.8, 0), Vector3(0, -0.6, 0.8),
    ])
    func halfTurnsSurviveTheMatrix(axis: Vector3) {
        for angle in [0, 1e-9, 1e-4, 1, .pi / 2, .pi - 1e-7, .pi, .pi + 1e-3, 4, 2 * .pi] as [Double] {
            let q = Quaternion(angleRadians: angle, axis: axis)
            let (c0, c1, c2) = q.columns
            let back = Quaternion(columns: c0, c1, c2)
            #expect(abs(back.norm - 1) < 1e-14)
            let v = Vector3(0.3, -0.7, 0.2)
            #expect((back.rotating(v) - q.rotating(v)).length < 1e-12, "\(angle)")
        }
    }

    @Test func rotationVectorIsAxisTimesAngle() {
        let axis = Vector3(2.0 / 3, -1.0 / 3, 2.0 / 3)
        for angle in [0, 1e-13, 1e-6, 0.5, 3, .pi] as [Double] {
            #expect((Quaternion(angleRadians: angle, axis: axis).rotationVector - axis * angle).length < 1e-9)
        }
        // The other way round is shorter.
        let long = Quaternion(angleRadians: 2 * .pi - 0.25, axis: axis).rotationVector
        #expect((long + axis * 0.25).length < 1e-12)
        let q = Quaternion(angleRadians: 0.3, axis: axis)
        let negated = Quaternion(x: -q.x, y: -q.y, z: -q.z, w: -q.w)
        #expect((negated.rotationVector - q.rotationVector).length < 1e-12)
    }

    @Test func interpolationIsEvenAndTakesTheShorterWay() {
        let axis = Vector3(0, 0, 1)
        let a = Transform(rotation: Quaternion(angleRadians: 0.2, axis: axis), translation: Vector3(1, 0, 0))
        let b = Transform(rotation: Quaternion(angleRadians: 1.4, axis: axis), translation: Vector3(3, 4, 0))
        #expect(isClose(a.interpolated(to: b, fraction: 0), a) && isClose(a.interpolated(to: b, fraction: 1), b))
        let part = a.interpolated(to: b, fraction: 0.25)
        #expect((part.translation - Vector3(1.5, 1, 0)).length < 1e-12)
        #expect((part.rotation.rotationVector - axis * 0.5).length < 1e-12)
        let negated = Quaternion(x: -b.rotation.x, y: -b.rotation.y, z: -b.rotation.z, w: -b.rotation.w)
        let other = a.rotation.interpolated(to: negated, fraction: 0.25)
        #expect((other.rotationVector - axis * 0.5).length < 1e-12)
        let far = Quaternion(angleRadians: 0.1, axis: axis)
            .interpolated(to: Quaternion(angleRadians: 2 * .pi - 0.1, axis: axis), fraction: 0.5)
        #expect(far.rotationVector.length < 1e-12)
        #expect(a.rotation.interpolated(to: a.rotation, fraction: 0.7) == a.rotation)
    }

    @Test func productsAreRightHanded() {
        let x = Vector3(1, 0, 0)
        let y = Vector3(0, 1, 0)
        #expect(cross(x, y) == Vector3(0, 0, 1) && dot(x, y) == 0 && dot(x + y, x + y) == 2)
        let turn = Quaternion(angleRadians: .pi / 2, axis: Vector3(0, 0, 1))
        #expect((turn.rotating(x) - y).length < 1e-15)
        // `a * b` rotates by b first.
        let tip = Quaternion(angleRadians: .pi / 2, axis: x)
        #expect(((tip * turn).rotating(x) - Vector3(0, 0, 1)).length < 1e-15)
    }
}
