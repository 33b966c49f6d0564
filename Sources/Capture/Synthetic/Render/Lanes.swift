/// Four single-precision values that are worked on at once.
typealias Lanes = SIMD4<Float>
/// A choice for each lane: all bits set, or none.
typealias LaneMask = SIMD4<Int32>

// Only arithmetic and bit operations: the standard library's SIMD comparisons, minima and square roots take the lanes
// apart on processors without AVX.

extension LaneMask {
    /// Set where `a` is less than `b`; neither may be infinite or no number.
    @inline(__always) static func less(_ a: Lanes, _ b: Lanes) -> LaneMask {
        unsafeBitCast(a - b, to: LaneMask.self) &>> 31
    }

    /// Set where `a` and `b` are the same number.
    @inline(__always) static func equal(_ a: LaneMask, _ b: LaneMask) -> LaneMask {
        let difference = a ^ b
        return ~((difference | (0 &- difference)) &>> 31)
    }

    @inline(__always) var isNone: Bool { self == .zero }
    @inline(__always) var isAll: Bool { self == LaneMask(repeating: -1) }

    @inline(__always) func select(_ a: LaneMask, _ b: LaneMask) -> LaneMask { b ^ ((a ^ b) & self) }

    @inline(__always) func select(_ a: Lanes, _ b: Lanes) -> Lanes {
        unsafeBitCast(select(unsafeBitCast(a, to: LaneMask.self), unsafeBitCast(b, to: LaneMask.self)), to: Lanes.self)
    }
}

@inline(__always) func smaller(_ a: Lanes, _ b: Lanes) -> Lanes { LaneMask.less(a, b).select(a, b) }
@inline(__always) func larger(_ a: Lanes, _ b: Lanes) -> Lanes { LaneMask.less(a, b).select(b, a) }

/// The value, or zero where it is negative.
@inline(__always) func positivePart(_ a: Lanes) -> Lanes {
    let bits = unsafeBitCast(a, to: LaneMask.self)
    return unsafeBitCast(bits & ~(bits &>> 31), to: Lanes.self)
}

/// The value within 0 and `high`.
@inline(__always) func clamp(_ a: Lanes, to high: Float) -> Lanes {
    smaller(positivePart(a), Lanes(repeating: high))
}

@inline(__always) func absolute(_ a: Lanes) -> Lanes {
    unsafeBitCast(unsafeBitCast(a, to: LaneMask.self) & 0x7FFF_FFFF, to: Lanes.self)
}

/// The largest whole number not above `a`, for magnitudes below 2^22.
@inline(__always) func floorOf(_ a: Lanes) -> (value: Lanes, integer: LaneMask) {
    let shifted = a + 12_582_912
    let rounded = shifted - 12_582_912
    let isAbove = LaneMask.less(a, rounded)
    let one = Lanes(repeating: 1)
    let value = rounded - isAbove.select(one, .zero)
    return (value, (unsafeBitCast(shifted, to: LaneMask.self) &- 0x4B40_0000) &+ isAbove)
}

@inline(__always) func fraction(_ a: Lanes) -> Lanes { a - floorOf(a).value }

/// One over the square root of a positive number: an estimate from its bits, then three steps of Newton's method.
@inline(__always) func inverseSquareRoot(_ a: Lanes) -> Lanes {
    let bits = 0x5F37_59DF &- (unsafeBitCast(a, to: LaneMask.self) &>> 1)
    var y = unsafeBitCast(bits, to: Lanes.self)
    let half = a * 0.5
    y = y * (1.5 - half * y * y)
    y = y * (1.5 - half * y * y)
    return y * (1.5 - half * y * y)
}

/// Three coordinates or colour channels, each of four lanes.
struct LaneTriple {
    var x: Lanes
    var y: Lanes
    var z: Lanes

    @inline(__always) init(_ x: Lanes, _ y: Lanes, _ z: Lanes) {
        self.x = x
        self.y = y
        self.z = z
    }

    @inline(__always) init(_ value: SIMD3<Float>) {
        self.init(Lanes(repeating: value.x), Lanes(repeating: value.y), Lanes(repeating: value.z))
    }

    @inline(__always) static func * (a: LaneTriple, b: Lanes) -> LaneTriple { LaneTriple(a.x * b, a.y * b, a.z * b) }
    @inline(__always) static func + (a: LaneTriple, b: LaneTriple) -> LaneTriple {
        LaneTriple(a.x + b.x, a.y + b.y, a.z + b.z)
    }

    /// From this colour (0) to another one (1).
    @inline(__always) func mixed(with other: LaneTriple, _ amount: Lanes) -> LaneTriple {
        LaneTriple(x + (other.x - x) * amount, y + (other.y - y) * amount, z + (other.z - z) * amount)
    }

    @inline(__always) func mixed(with other: SIMD3<Float>, _ amount: Lanes) -> LaneTriple {
        mixed(with: LaneTriple(other), amount)
    }
}
