// Eight pixels at a time. Only arithmetic, comparisons and bit operations: on x86-64 without flags everything else of
// Swift's SIMD (conversions, rounding, `replacing`) becomes one call per lane.
typealias Floats = SIMD8<Float>
typealias Integers = SIMD8<Int32>

/// All ones in the lanes where `mask` holds, 0 elsewhere.
@inline(__always)
func bits(_ mask: SIMDMask<SIMD8<Int32>>) -> Integers {
    unsafeBitCast(mask, to: Integers.self)
}

/// All ones in the negative lanes, 0 elsewhere.
///
/// Order comparisons of integers are among what goes lane by lane.
@inline(__always)
func signs(_ values: Integers) -> Integers {
    values &>> 31
}

/// All ones in the lanes that are exactly +0, 0 elsewhere.
@inline(__always)
func isZero(_ values: Floats) -> Integers {
    bits(unsafeBitCast(values, to: Integers.self) .== Integers.zero)
}

/// Eight consecutive values from any address.
@inline(__always)
func load(_ address: UnsafePointer<Float>) -> Floats {
    UnsafeRawPointer(address).loadUnaligned(as: Floats.self)
}

/// One byte a lane, lane 0 lowest, from lanes that are all ones or all zeros.
@inline(__always)
func laneBytes(_ lanes: Integers) -> UInt64 {
    unsafeBitCast(SIMD8<Int8>(truncatingIfNeeded: lanes), to: UInt64.self)
}

/// Adding this rounds a number of less than 2^22 to an integer, which the low bits of the sum then hold.
let roundingMagic: Float = 12_582_912
/// The bits of `roundingMagic`.
let roundingMagicBits: Int32 = 0x4B40_0000

/// `floor(values)` minus `base`, where `base` already includes `roundingMagicBits`; exact below 2^22.
@inline(__always)
func floorIndices(_ values: Floats, base: Integers) -> Integers {
    let shifted = values + roundingMagic
    let roundedUp = bits((shifted - roundingMagic) .> values)
    return unsafeBitCast(shifted, to: Integers.self) &- base &+ roundedUp
}

/// `floor(values)` of one point's coordinates; exact below 2^22.
@inline(__always)
func floorIndices(_ values: SIMD4<Float>) -> SIMD4<Int32> {
    let shifted = values + roundingMagic
    let roundedUp = unsafeBitCast((shifted - roundingMagic) .> values, to: SIMD4<Int32>.self)
    return unsafeBitCast(shifted, to: SIMD4<Int32>.self) &- roundingMagicBits &+ roundedUp
}

/// Memory for plain numbers that is kept from frame to frame: it grows, and is neither shrunk nor cleared.
final class Scratch<Element: BitwiseCopyable> {
    private var storage = UnsafeMutablePointer<Element>.allocate(capacity: 1)
    private var capacity = 1

    /// Room for `count` elements, whose values are undefined; what was there before may be lost.
    func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
        if count > capacity {
            storage.deallocate()
            storage = .allocate(capacity: count)
            capacity = count
        }
        return storage
    }

    deinit {
        storage.deallocate()
    }
}
