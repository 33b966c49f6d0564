// Eight voxels at a time. Only arithmetic, comparisons and bit operations, as in PointClouds: on x86-64 without flags
// everything else of Swift's SIMD becomes one call per lane.

typealias Floats = SIMD8<Float>
typealias Integers = SIMD8<Int32>
typealias Shorts = SIMD8<Int16>

/// Adding this rounds a number of less than 2^22 to an integer, which the low bits of the sum then hold.
let roundingMagic: Float = 12_582_912
let roundingMagicBits: Int32 = 0x4B40_0000

/// All ones in the lanes where `mask` holds, 0 elsewhere.
@inline(__always)
func bits(_ mask: SIMDMask<SIMD8<Int32>>) -> Integers { unsafeBitCast(mask, to: Integers.self) }

@inline(__always)
func select(_ mask: Integers, _ yes: Floats, _ no: Floats) -> Floats {
    let chosen = unsafeBitCast(yes, to: Integers.self) & mask | unsafeBitCast(no, to: Integers.self) & ~mask
    return unsafeBitCast(chosen, to: Floats.self)
}

/// The smaller of each pair.
@inline(__always)
func smaller(_ a: Floats, _ b: Floats) -> Floats { select(bits(a .< b), a, b) }

/// The nearest whole numbers, of numbers below 2^22.
@inline(__always)
func rounded(_ values: Floats) -> Floats { (values + roundingMagic) - roundingMagic }

/// Whole numbers below 2^22 as integers.
@inline(__always)
func integers(_ values: Floats) -> Integers {
    unsafeBitCast(values + roundingMagic, to: Integers.self) &- roundingMagicBits
}

/// Integers below 2^22 as numbers.
@inline(__always)
func floats(_ values: Integers) -> Floats {
    unsafeBitCast(values &+ roundingMagicBits, to: Floats.self) - roundingMagic
}

@inline(__always)
func loadShorts(_ address: UnsafePointer<Int16>) -> Shorts {
    UnsafeRawPointer(address).loadUnaligned(as: Shorts.self)
}

@inline(__always)
func storeShorts(_ values: Shorts, _ address: UnsafeMutablePointer<Int16>) {
    UnsafeMutableRawPointer(address).storeBytes(of: values, as: Shorts.self)
}

/// One byte a lane, lane 0 lowest, from lanes that are all ones or all zeros.
@inline(__always)
func laneBytes(_ lanes: Integers) -> UInt64 {
    unsafeBitCast(SIMD8<Int8>(truncatingIfNeeded: lanes), to: UInt64.self)
}
