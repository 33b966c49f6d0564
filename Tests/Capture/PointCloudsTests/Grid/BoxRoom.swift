import Glibc
import Recording

/// The same numbers on every run.
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 0x2545_F491_4F6C_DD1D }

    /// In 0..<1.
    mutating func uniform() -> Float {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Float(state >> 40) / Float(1 << 24)
    }

    mutating func between(_ low: Float, _ high: Float) -> Float { low + (high - low) * uniform() }

    /// Nearly normal, with mean 0 and deviation 1.
    mutating func normal() -> Float {
        var sum: Float = 0
        for _ in 0..<12 { sum += uniform() }
        return sum - 6
    }
}

/// A room with slanted walls and turned boxes before a pinhole camera at the origin, x right, y down, z forward.
///
/// Depths go from some 0.5 m to 8 m.
struct BoxRoom {
    private struct Wall {
        var normal: SIMD3<Float>
        var distance: Float
    }

    private struct Box {
        var centre: SIMD3<Float>
        var half: SIMD3<Float>
        var sine: Float
        var cosine: Float

        func turned(_ v: SIMD3<Float>) -> SIMD3<Float> {
            SIMD3(cosine * v.x - sine * v.z, v.y, sine * v.x + cosine * v.z)
        }
    }

    private var walls: [Wall] = []
    private var boxes: [Box] = []
    private var pitch: Float

    init(seed: UInt64) {
        var dice = Dice(seed)
        func wall(_ x: Float, _ y: Float, _ z: Float, _ distance: Float) {
            let normal = SIMD3(x, y, z)
            let length = (normal * normal).sum().squareRoot()
            walls.append(Wall(normal: normal / length, distance: distance))
        }
        pitch = dice.between(0.05, 0.35)
        wall(0, 1, 0, 1.4)
        wall(0, -1, 0, 1.3)
        wall(-1, dice.between(-0.05, 0.05), dice.between(-0.2, 0.2), dice.between(1.5, 2.2))
        wall(1, dice.between(-0.05, 0.05), dice.between(-0.2, 0.2), dice.between(1.5, 2.5))
        wall(dice.between(-0.3, 0.3), 0, 1, dice.between(7, 7.8))
        // Half of the far wall stands nearer.
        let side: Float = dice.uniform() < 0.5 ? -1 : 1
        boxes.append(
            Box(centre: SIMD3(side * 2, 0, dice.between(5, 5.8)), half: SIMD3(1.7, 2, 1), sine: 0.1, cosine: 0.995)
        )
        // A table's edge near the camera, and furniture.
        boxes.append(
            Box(
                centre: SIMD3(dice.between(-0.5, 0.5), 0.75, dice.between(0.8, 1)),
                half: SIMD3(0.35, 0.35, 0.3),
                sine: 0.2,
                cosine: 0.98
            )
        )
        for _ in 0..<6 {
            let angle = dice.between(-0.8, 0.8)
            let half = SIMD3(dice.between(0.15, 0.5), dice.between(0.2, 0.8), dice.between(0.15, 0.5))
            let centre = SIMD3(dice.between(-1.6, 1.6), 1.4 - half.y, dice.between(1.7, 5.5))
            boxes.append(Box(centre: centre, half: half, sine: sin(angle), cosine: cos(angle)))
        }
    }

    /// Depth in metres at the centres of pixels, and which surface is seen: a wall's faces count as one surface each.
    func view(_ size: GridSize) -> (depth: [Float], surface: [UInt8]) {
        var depth = [Float](repeating: 0, count: size.count)
        var surface = [UInt8](repeating: 0, count: size.count)
        let (sine, cosine) = (sin(pitch), cos(pitch))
        for row in 0..<size.height {
            for column in 0..<size.width {
                let x = ((Float(column) + 0.5) / Float(size.width) - 0.5) * 1.3
                let y = ((Float(row) + 0.5) / Float(size.height) - 0.5) * 0.98
                let ray = SIMD3(x, cosine * y + sine, -sine * y + cosine)
                (depth[row * size.width + column], surface[row * size.width + column]) = cast(ray)
            }
        }
        return (depth, surface)
    }

    private func cast(_ ray: SIMD3<Float>) -> (Float, UInt8) {
        var best: (Float, UInt8) = (.infinity, 0)
        for (number, wall) in walls.enumerated() {
            let speed = (wall.normal * ray).sum()
            if speed > 0, wall.distance / speed < best.0 { best = (wall.distance / speed, UInt8(number)) }
        }
        for (number, box) in boxes.enumerated() {
            let direction = box.turned(ray)
            let origin = -box.turned(box.centre)
            var (enter, leave): (Float, Float) = (0, .infinity)
            var face = 0
            for axis in 0..<3 {
                let first = (-box.half[axis] - origin[axis]) / direction[axis]
                let second = (box.half[axis] - origin[axis]) / direction[axis]
                if min(first, second) > enter { (enter, face) = (min(first, second), axis) }
                leave = min(leave, max(first, second))
            }
            if enter > 0.1, enter < leave, enter < best.0 { best = (enter, UInt8(10 + 3 * number + face)) }
        }
        return best
    }
}
