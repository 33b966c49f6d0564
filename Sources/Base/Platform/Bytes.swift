/// The order of the bytes of a number.
@frozen
@usableFromInline
package enum ByteOrder: Sendable {
    case little
    case big
}

/// Bounds-checked reads of numbers from borrowed bytes, at an offset or one after the other.
///
/// A read beyond the end gives nil and moves nothing; the caller throws what its format says about it.
@frozen
@usableFromInline
package struct ByteReader {
    @usableFromInline package let bytes: UnsafeRawBufferPointer
    @usableFromInline package let order: ByteOrder
    /// The offset of the next byte that ``next(_:)`` reads; one outside of the bytes reads nothing.
    @usableFromInline package var position = 0

    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer, _ order: ByteOrder = .little) {
        self.bytes = bytes
        self.order = order
    }

    @inlinable package var count: Int { bytes.count }
    /// The number of bytes from ``position`` to the end.
    @inlinable package var remaining: Int { bytes.count &- position }

    @inlinable
    package func has(_ length: Int, at offset: Int) -> Bool {
        offset >= 0 && offset <= bytes.count && length <= bytes.count &- offset
    }

    @inlinable
    package func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        as type: Value.Type = Value.self
    ) -> Value? {
        guard has(MemoryLayout<Value>.size, at: offset) else { return nil }
        let value = bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)
        return order == .little ? Value(littleEndian: value) : Value(bigEndian: value)
    }

    @inlinable
    package func byte(at offset: Int) -> UInt8? { integer(at: offset) }

    @inlinable
    package func uint16(at offset: Int) -> Int? { integer(at: offset, as: UInt16.self).map(Int.init) }

    @inlinable
    package func uint32(at offset: Int) -> Int? { integer(at: offset, as: UInt32.self).map(Int.init) }

    @inlinable
    package func uint64(at offset: Int) -> UInt64? { integer(at: offset) }

    /// Reads the next number.
    @inlinable
    package mutating func next<Value: FixedWidthInteger & BitwiseCopyable>(
        _ type: Value.Type = Value.self
    ) -> Value? {
        guard let value = integer(at: position, as: type) else { return nil }
        position &+= MemoryLayout<Value>.size
        return value
    }

    /// Takes the next `count` bytes.
    @inlinable
    package mutating func take(_ count: Int) -> UnsafeRawBufferPointer? {
        guard count >= 0, has(count, at: position) else { return nil }
        defer { position &+= count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position &+ count])
    }
}

extension [UInt8] {
    /// The bytes of a number.
    @inlinable
    package static func integer<Value: FixedWidthInteger>(_ value: Value, _ order: ByteOrder = .little) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendInteger(value, order)
        return bytes
    }

    /// Appends the bytes of a number.
    @inlinable
    package mutating func appendInteger<Value: FixedWidthInteger>(_ value: Value, _ order: ByteOrder = .little) {
        Swift.withUnsafeBytes(of: order == .little ? value.littleEndian : value.bigEndian) { append(contentsOf: $0) }
    }

    /// Replaces the bytes at an offset by those of a number; bytes beyond the end are left out.
    package mutating func replaceInteger<Value: FixedWidthInteger>(
        at offset: Int,
        with value: Value,
        _ order: ByteOrder = .little
    ) {
        Swift.withUnsafeBytes(of: order == .little ? value.littleEndian : value.bigEndian) { bytes in
            for (place, byte) in zip(indices.dropFirst(offset), bytes) { self[place] = byte }
        }
    }
}
