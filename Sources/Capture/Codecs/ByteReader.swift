/// Bounds-checked big-endian and little-endian reads from borrowed bytes.
///
/// Each read beyond the end gives `nil`; the caller says what that means.
struct ByteReader {
    let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }

    func byte(at offset: Int) -> UInt8? {
        offset >= 0 && offset < bytes.count ? bytes[offset] : nil
    }

    func bigEndian16(at offset: Int) -> Int? {
        guard has(2, at: offset) else { return nil }
        return Int(bytes[offset]) << 8 | Int(bytes[offset + 1])
    }

    func littleEndian16(at offset: Int) -> Int? {
        guard has(2, at: offset) else { return nil }
        return Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
    }

    func littleEndian32(at offset: Int) -> Int? {
        guard has(4, at: offset) else { return nil }
        return Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }

    func littleEndian64(at offset: Int) -> UInt64? {
        guard has(8, at: offset) else { return nil }
        return UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    private func has(_ length: Int, at offset: Int) -> Bool {
        offset >= 0 && offset <= bytes.count && length <= bytes.count - offset
    }
}
