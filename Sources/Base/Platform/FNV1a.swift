/// The 64-bit hash of Fowler, Noll and Vo (FNV-1a) of bytes that come one after the other: quick, and no secret.
@frozen
@usableFromInline
package struct FNV1a: Hashable, Sendable {
    @usableFromInline package private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    @inlinable package init() {}

    @inlinable
    package mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
    }
}
