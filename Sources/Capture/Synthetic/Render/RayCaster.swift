import Recording

/// The first hits of four rays.
struct Hit {
    /// The ray parameter: z-depth in metres, where the direction has a length of 1 along the optical axis.
    var depth: Lanes
    /// 0 to 5 for the room's sides (axis * 2 + 1 for the high one), then the boxes, then the spheres.
    var surface: LaneMask
    /// The axis of the normal; 3 on a sphere.
    var axis: LaneMask
}

/// Finds what rays from one point meet in the room.
struct RayCaster {
    private struct Slab {
        var low: SIMD3<Float>
        var high: SIMD3<Float>
        var surface: Int32
    }

    private struct Ball {
        var toOrigin: SIMD3<Float>
        var excess: Float
        var surface: Int32
    }

    /// Low and high corners and centres are taken relative to the origin of the rays, in double precision.
    private let side: Slab
    private let slabs: [Slab]
    private let balls: [Ball]

    /// The objects that a set of rays may meet.
    struct Candidates {
        var slabs: [Int]
        var balls: [Int]

        var isEmpty: Bool { slabs.isEmpty && balls.isEmpty }
    }

    init(room: Room, origin: Vector3) {
        side = Slab(low: SIMD3<Float>(room.low - origin), high: SIMD3<Float>(room.high - origin), surface: 0)
        slabs = room.boxes.enumerated().map { index, box in
            Slab(low: SIMD3<Float>(box.low - origin), high: SIMD3<Float>(box.high - origin), surface: Int32(6 + index))
        }
        balls = room.spheres.enumerated().map { index, sphere in
            let toOrigin = origin - sphere.centre
            return Ball(
                toOrigin: SIMD3<Float>(toOrigin),
                excess: Float(dot(toOrigin, toOrigin) - sphere.radius * sphere.radius),
                surface: Int32(6 + room.boxes.count + index)
            )
        }
    }

    var allCandidates: Candidates {
        Candidates(slabs: Array(slabs.indices), balls: Array(balls.indices))
    }

    @inline(__always)
    func cast(_ direction: LaneTriple, _ candidates: borrowing Candidates, before side: CommonSide? = nil) -> Hit {
        let inverse = LaneTriple(
            RayCaster.reciprocal(direction.x),
            RayCaster.reciprocal(direction.y),
            RayCaster.reciprocal(direction.z)
        )
        var hit = side.map { self.hit(direction, at: $0) } ?? sideHit(inverse)
        for index in candidates.slabs { meet(slabs[index], inverse, &hit) }
        for index in candidates.balls { meet(balls[index], direction, &hit) }
        return hit
    }

    /// A side of the room that every ray of a cone meets, behind whatever stands before it.
    struct CommonSide {
        var index: Int
        var axis: Int
        /// From the origin to the side's plane, along its axis.
        var distance: Float
    }

    /// The side that all four corner rays of a cone meet: the room is convex, so that all rays between them meet it too.
    func commonSide(_ corners: LaneTriple) -> CommonSide? {
        let hit = cast(corners, Candidates(slabs: [], balls: []))
        let index = Int(hit.surface.x)
        guard LaneMask.equal(hit.surface, LaneMask(repeating: hit.surface.x)).isAll else { return nil }
        let axis = index / 2
        return CommonSide(index: index, axis: axis, distance: index % 2 == 0 ? side.low[axis] : side.high[axis])
    }

    /// The depth at which rays that are known to meet a side do so.
    @inline(__always)
    func depth(_ direction: LaneTriple, at side: CommonSide) -> Lanes {
        side.distance / (side.axis == 0 ? direction.x : side.axis == 1 ? direction.y : direction.z)
    }

    @inline(__always)
    private func hit(_ direction: LaneTriple, at side: CommonSide) -> Hit {
        Hit(
            depth: depth(direction, at: side),
            surface: LaneMask(repeating: Int32(side.index)),
            axis: LaneMask(repeating: Int32(side.axis))
        )
    }

    /// 1 / d, with zeros moved aside so that nothing becomes infinite.
    @inline(__always) private static func reciprocal(_ d: Lanes) -> Lanes {
        let isTiny = LaneMask.less(absolute(d), Lanes(repeating: 1e-9))
        return 1 / isTiny.select(Lanes(repeating: 1e-9), d)
    }

    /// The room is seen from inside: the nearest of the three far sides.
    @inline(__always) private func sideHit(_ inverse: LaneTriple) -> Hit {
        let one = LaneMask(repeating: 1)
        @inline(__always) func far(_ low: Float, _ high: Float, _ inverse: Lanes) -> (depth: Lanes, isHigh: LaneMask) {
            let atLow = low * inverse
            let atHigh = high * inverse
            let isHigh = LaneMask.less(atLow, atHigh)
            return (isHigh.select(atHigh, atLow), isHigh & one)
        }
        let x = far(side.low.x, side.high.x, inverse.x)
        let y = far(side.low.y, side.high.y, inverse.y)
        let z = far(side.low.z, side.high.z, inverse.z)
        let isY = LaneMask.less(y.depth, x.depth)
        var hit = Hit(
            depth: isY.select(y.depth, x.depth),
            surface: isY.select(y.isHigh &+ 2, x.isHigh),
            axis: isY & one
        )
        let isZ = LaneMask.less(z.depth, hit.depth)
        hit.depth = isZ.select(z.depth, hit.depth)
        hit.surface = isZ.select(z.isHigh &+ 4, hit.surface)
        hit.axis = isZ.select(LaneMask(repeating: 2), hit.axis)
        return hit
    }

    @inline(__always) private func meet(_ slab: Slab, _ inverse: LaneTriple, _ hit: inout Hit) {
        @inline(__always) func span(_ low: Float, _ high: Float, _ inverse: Lanes) -> (near: Lanes, far: Lanes) {
            let atLow = low * inverse
            let atHigh = high * inverse
            let isOrdered = LaneMask.less(atLow, atHigh)
            return (isOrdered.select(atLow, atHigh), isOrdered.select(atHigh, atLow))
        }
        let x = span(slab.low.x, slab.high.x, inverse.x)
        let y = span(slab.low.y, slab.high.y, inverse.y)
        let z = span(slab.low.z, slab.high.z, inverse.z)
        let far = smaller(smaller(x.far, y.far), z.far)
        let isY = LaneMask.less(x.near, y.near)
        var near = isY.select(y.near, x.near)
        var axis = isY & LaneMask(repeating: 1)
        let isZ = LaneMask.less(near, z.near)
        near = isZ.select(z.near, near)
        axis = isZ.select(LaneMask(repeating: 2), axis)
        let isHit =
            LaneMask.less(near, far) & LaneMask.less(Lanes(repeating: 0.01), near)
            & LaneMask.less(near, hit.depth)
        hit.depth = isHit.select(near, hit.depth)
        hit.surface = isHit.select(LaneMask(repeating: slab.surface), hit.surface)
        hit.axis = isHit.select(axis, hit.axis)
    }

    @inline(__always) private func meet(_ ball: Ball, _ d: LaneTriple, _ hit: inout Hit) {
        let a = d.x * d.x + d.y * d.y + d.z * d.z
        let b = d.x * ball.toOrigin.x + d.y * ball.toOrigin.y + d.z * ball.toOrigin.z
        let discriminant = b * b - a * ball.excess
        let isMet = LaneMask.less(Lanes(repeating: 1e-12), discriminant)
        guard !isMet.isNone else { return }
        let safe = isMet.select(discriminant, Lanes(repeating: 1))
        let near = (-b - safe * inverseSquareRoot(safe)) / a
        let isHit = isMet & LaneMask.less(Lanes(repeating: 0.01), near) & LaneMask.less(near, hit.depth)
        hit.depth = isHit.select(near, hit.depth)
        hit.surface = isHit.select(LaneMask(repeating: ball.surface), hit.surface)
        hit.axis = isHit.select(LaneMask(repeating: 3), hit.axis)
    }
}
