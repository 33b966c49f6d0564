import Recording
import TestSupport
import Testing

@Suite struct AttitudeCheckTests {
    /// Gravity in the device's axes, from a rotation matrix that is written out: the last row of reference from device,
    /// downwards.
    private func sample(_ q: Quaternion, inverted: Bool = false, error: Double = 0) -> MotionSample {
        let (x, y, z, w) = (q.x, q.y, q.z, q.w)
        let row = Vector3(2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y))
        return MotionSample(
            time: Timestamp(nanoseconds: 0),
            userAcceleration: .zero,
            rotationRate: .zero,
            gravity: -row + Vector3(error, 0, 0),
            attitude: inverted ? q.inverse : q
        )
    }

    private func random(_ numbers: inout SeededRandomNumbers) -> Quaternion {
        func number() -> Double { Double.random(in: -1...1, using: &numbers) }
        return Quaternion(x: number(), y: number(), z: number(), w: number()).normalized
    }

    @Test(arguments: [false, true])
    func directionIsThatWhichExplainsGravity(inverted: Bool) throws {
        var check = AttitudeCheck()
        var numbers = SeededRandomNumbers(seed: 3)
        for _ in 0..<500 { check.add(sample(random(&numbers), inverted: inverted)) }
        #expect(check.direction == (inverted ? .deviceFromReference : .referenceFromDevice))
        #expect(check.count == 500)
        #expect(try #require(check.residual) < 0.0006)
    }

    /// One sample that lies flat fits both ways; the others decide for it too.
    @Test func theWholeSessionDecides() throws {
        var check = AttitudeCheck()
        let turned = Quaternion(angleRadians: 1, axis: Vector3(0, 0, 1))
        for _ in 0..<100 { check.add(sample(turned)) }
        #expect(check.direction == .referenceFromDevice)
        let tilted = Quaternion(angleRadians: 0.5, axis: Vector3(1, 0, 0))
        check.add(sample(tilted * turned, inverted: true))
        #expect(check.direction == .deviceFromReference)
    }

    @Test func residualIsTheMedianDifference() throws {
        var check = AttitudeCheck()
        #expect(check.residual == nil)
        var numbers = SeededRandomNumbers(seed: 4)
        for index in 0..<101 { check.add(sample(random(&numbers), error: index < 60 ? 0.1 : 0)) }
        #expect(abs(try #require(check.residual) - 0.1) < 0.0006)
        // Gravity in m/s² instead of g, and absurd values.
        var wrong = AttitudeCheck()
        var odd = sample(.identity)
        odd.gravity *= 9.81
        wrong.add(odd)
        odd.gravity = Vector3(.infinity, 0, 0)
        wrong.add(odd)
        #expect(wrong.count == 1 && (wrong.residual ?? 0) > 2)
    }

    /// A part of the samples is inverted: the median does not show it, the share does.
    @Test(arguments: [(0, true), (25, true), (26, false), (200, false)])
    func inversionsOfAPartAreNoticed(invertedCount: Int, agrees: Bool) throws {
        var check = AttitudeCheck()
        for index in 0..<500 {
            let upright = Quaternion(angleRadians: 1.5 + Double(index) / 5000, axis: Vector3(1, 0, 0))
            check.add(sample(upright, inverted: index < invertedCount))
        }
        #expect(check.direction == .referenceFromDevice)
        #expect(try #require(check.residual) < 0.0006)
        #expect(check.contradictingShare == Double(invertedCount) / 500 && check.agrees == agrees)
        let nearlyAll = try #require(check.largestResidual(ofShare: 1 - AttitudeCheck.maximumShare))
        #expect(agrees ? nearlyAll < 0.0006 : nearlyAll > 1.9)
    }
}
