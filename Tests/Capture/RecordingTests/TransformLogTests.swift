import Recording
import TestSupport
import Testing

/// The logarithm of rigid motions and its derivative, against differences.
@Suite struct TransformLogTests {
    private func random(_ generator: inout SeededRandomNumbers, angle: Double) -> Vector6 {
        func value(_ size: Double) -> Double { Double.random(in: -size...size, using: &generator) }
        let axis = Vector3(value(1), value(1), value(1))
        return Vector6(Vector3(value(3), value(3), value(3)), axis / axis.length * angle)
    }

    @Test("logarithm and exponential undo each other", arguments: [0, 1e-9, 1e-4, 0.009, 0.011, 0.1, 1, 3.1])
    func inverse(angle: Double) {
        var generator = SeededRandomNumbers(seed: 5)
        for _ in 0..<50 {
            let v = random(&generator, angle: angle)
            let back = Transform(exponential: v).logarithm - v
            #expect(back.dot(back).squareRoot() < 1e-9, "\(v)")
        }
    }

    @Test("the derivative is that of differences", arguments: [0, 1e-3, 0.009, 0.05, 0.099, 0.101, 1, 2.5])
    func derivative(angle: Double) {
        var generator = SeededRandomNumbers(seed: 6)
        for _ in 0..<20 {
            let log = random(&generator, angle: angle)
            let motion = Transform(exponential: log)
            let jacobian = Transform.inverseRightJacobian(log)
            for axis in 0..<6 {
                var step = Vector6.zero
                if axis < 3 { step.translation[axis] = 1e-5 } else { step.rotation[axis - 3] = 1e-5 }
                let forward = (motion * Transform(exponential: step)).logarithm
                let back = (motion * Transform(exponential: step * -1)).logarithm
                let difference = (forward - back) * (1 / 2e-5) - jacobian * (step * 1e5)
                #expect(difference.dot(difference).squareRoot() < 1e-7 * (1 + log.translation.length))
            }
        }
    }

    @Test("a motion in the axes of the world turns about the place where the frame is")
    func movedInWorld() {
        var generator = SeededRandomNumbers(seed: 7)
        for angle in [0.1, 1, 2] {
            let motion = Transform(exponential: random(&generator, angle: angle))
            let small = random(&generator, angle: 0.3)
            let (there, back) = (
                Transform(rotation: .identity, translation: motion.translation), motion.translation * -1
            )
            let turn = Transform(exponential: Vector6(.zero, small.rotation))
            let about = there * turn * Transform(rotation: .identity, translation: back) * motion
            let expected = Transform(rotation: .identity, translation: small.translation) * about
            let difference = (expected.inverse * motion.moved(inWorldBy: small)).logarithm
            #expect(difference.dot(difference) < 1e-20)
        }
    }

    @Test("matrices of six are factored and inverted")
    func cholesky() throws {
        var generator = SeededRandomNumbers(seed: 8)
        for _ in 0..<50 {
            let values = (0..<36).map { _ in Double.random(in: -1...1, using: &generator) }
            let a = Matrix6(rowMajor: values)
            let positive = a * a.transposed + Matrix6.identity * 0.1
            let factor = try #require(positive.cholesky)
            let product = factor * factor.transposed - positive
            let inverse = try #require(positive.symmetricInverse)
            let identity = positive * inverse - .identity
            for row in (product.rows + identity.rows).flatMap(\.self) { #expect(abs(row) < 1e-9) }
            #expect((Matrix6.identity * -1).cholesky == nil && Matrix6.zero.symmetricInverse == nil)
            // By rows, as a naive multiplication has it.
            var naive: [Double] = []
            for i in 0..<6 {
                for j in 0..<6 {
                    var sum = 0.0
                    for k in 0..<6 { sum += values[6 * i + k] * values[6 * j + k] }
                    naive.append(sum)
                }
            }
            for (row, expected) in zip((a * a.transposed).rows.flatMap(\.self), naive) {
                #expect(abs(row - expected) < 1e-12)
            }
        }
    }
}
