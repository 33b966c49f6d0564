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
