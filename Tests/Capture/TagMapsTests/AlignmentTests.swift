import Maps
import Recording
import TestSupport
import Testing

/// The rigid motion between two sets of points.
@Suite struct AlignmentTests {
    @Test(arguments: 0..<50)
    func findsAMotionThatWasMade(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        func random() -> Double { Double.random(in: -10...10, using: &generator) }
        let axis = Vector3(random(), random(), random())
        let motion = Transform(
            rotation: Quaternion(angleRadians: random() / 3, axis: axis / axis.length),
            translation: Vector3(random(), random(), random())
        )
        // Three points are enough, also in a plane.
        let points = (0..<(3 + Int(seed % 5))).map { _ in Vector3(random(), random(), seed % 2 == 0 ? 0 : random()) }
        let found = try #require(RigidAlignment.transform(points, to: points.map { motion * $0 }))
        for point in points { #expect(((found * point) - (motion * point)).length < 1e-9) }
    }

    @Test func noMotionOfTwoPoints() {
        let points = [Vector3(0, 0, 0), Vector3(1, 0, 0)]
        #expect(RigidAlignment.transform(points, to: points) == nil)
        let three = points + [Vector3(.nan, 0, 0)]
        #expect(RigidAlignment.transform(three, to: three) == nil)
        #expect(RigidAlignment.transform(points + points, to: points) == nil)
    }

    /// No other motion nearby has a smaller error: what least squares mean.
    @Test(arguments: 0..<10)
    func isTheNearest(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: 100 + seed)
        func random(_ size: Double) -> Double { Double.random(in: -size...size, using: &generator) }
        let source = (0..<8).map { _ in Vector3(random(5), random(5), random(5)) }
        let target = source.map { $0 + Vector3(random(1), random(1), random(1)) }
        let found = try #require(RigidAlignment.transform(source, to: target))
        func error(_ motion: Transform) -> Double {
            zip(source, target).reduce(0) { $0 + dot(motion * $1.0 - $1.1, motion * $1.0 - $1.1) }
        }
        for _ in 0..<40 {
            let axis = Vector3(random(1), random(1), random(1))
            let nudge = Transform(
                rotation: Quaternion(angleRadians: random(0.01), axis: axis / axis.length),
                translation: Vector3(random(0.01), random(0.01), random(0.01))
            )
            #expect(error(nudge * found) > error(found))
        }
    }
}
