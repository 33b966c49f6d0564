import Platform

/// Some rows of an OpenEXR image, as they lie in the file.
struct EXRBlock {
    private let bytes: ArraySlice<UInt8>
    private let compression: EXRHeader.Compression
    /// How many bytes the rows have when they are unpacked.
    private let byteCount: Int
    private let offset: Int

    /// - Parameter index: The index of the block, from top to bottom.
    init(_ index: Int, of file: [UInt8], _ header: EXRHeader) throws(CodecError) {
        let entry = header.byteCount + 8 * index
        let firstRow = index * header.compression.rowCount
        let place = file.withUnsafeBytes { ByteReader($0).uint64(at: entry) }
        guard let place else { throw CodecError(.exr, at: entry, "the table of offsets ends early") }
        let first = header.byteCount + 8 * header.blockCount
        guard place >= UInt64(first), place <= UInt64(file.count), file.count - Int(place) >= 8 else {
            throw CodecError(.exr, at: entry, "expected rows behind byte \(first), found them at \(place)")
        }
        offset = Int(place)
        let (row, size) = file.withUnsafeBytes { [offset] buffer in
            (ByteReader(buffer).uint32(at: offset) ?? 0, ByteReader(buffer).uint32(at: offset + 4) ?? 0)
        }
        let expected = header.firstRow + firstRow
        guard Int(Int32(truncatingIfNeeded: row)) == expected else {
            throw CodecError(.exr, at: offset, "expected row \(expected), found \(Int32(truncatingIfNeeded: row))")
        }
        guard size <= file.count - offset - 8 else {
            throw CodecError(.exr, at: offset, "expected \(size) bytes of rows, found the end of the file")
        }
        byteCount = min(header.compression.rowCount, header.height - firstRow) * header.rowByteCount
        bytes = file[offset + 8..<offset + 8 + size]
        compression = header.compression
    }

    /// The rows, unpacked.
    func content() throws(CodecError) -> [UInt8] {
        // What packing does not make smaller is stored as it is.
        if bytes.count == byteCount { return Array(bytes) }
        guard compression != .none, bytes.count < byteCount else {
            throw CodecError(.exr, at: offset, "expected \(byteCount) bytes of rows, found \(bytes.count)")
        }
        let packed = try ZlibData.inflated(bytes, byteCount: byteCount, for: .exr, at: offset + 8)
        return Self.joined(packed)
    }

    /// Undoes what ZIP does before zlib: each byte is a difference to the one before it, plus 128; and all even bytes
    /// come before all odd ones.
    private static func joined(_ differences: [UInt8]) -> [UInt8] {
        let half = (differences.count + 1) / 2
        var value: UInt8 = 128
        return [UInt8](unsafeUninitializedCapacity: differences.count) { output, count in
            for (place, difference) in differences.enumerated() {
                value = value &+ difference &- 128
                output[place < half ? 2 * place : 2 * (place - half) + 1] = value
            }
            count = differences.count
        }
    }

    /// The other way: halves, then differences.
    static func parted(_ content: [UInt8]) -> [UInt8] {
        var previous: UInt8 = 128
        let halves = [0, 1].flatMap { stride(from: $0, to: content.count, by: 2) }
        return halves.map { place in
            defer { previous = content[place] }
            return content[place] &- previous &+ 128
        }
    }
}
