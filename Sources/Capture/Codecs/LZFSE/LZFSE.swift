/// Apple's LZFSE: Lempel-Ziv whose lengths, distances and literals are packed by finite-state entropy.
///
/// A stream is blocks of five kinds, each behind four bytes of magic, the last one `bvx$`. The format is that of Apple's
/// reference implementation; all numbers are little-endian. How much a stream holds is known to who reads it: no number
/// of the stream makes memory be taken.
package enum LZFSE {
    /// Returns the content of the stream, which is exactly `byteCount` bytes; data after its end mark is ignored.
    package static func decode(_ bytes: [UInt8], byteCount: Int) throws(CodecError) -> [UInt8] {
        try decode(bytes[...], byteCount: byteCount)
    }

    /// The same for a part of an array; offsets in errors count from the part's first byte.
    package static func decode(_ bytes: ArraySlice<UInt8>, byteCount: Int) throws(CodecError) -> [UInt8] {
        guard byteCount >= 0 else { throw CodecError(.lzfse, "expected a size, found \(byteCount)") }
        // A typed error does not pass through either closure.
        var problem: CodecError?
        let output = [UInt8](unsafeUninitializedCapacity: byteCount + LZFSEOutput.slack) { buffer, count in
            bytes.withUnsafeBytes { input in
                let output = LZFSEOutput(UnsafeMutableRawBufferPointer(buffer), limit: byteCount)
                var decoder = LZFSEDecoder(input: input, output: output)
                do throws(CodecError) { try decoder.run() } catch { problem = error }
                count = problem == nil ? byteCount : 0
            }
        }
        if let problem { throw problem }
        return output
    }

    /// A stream that holds the bytes as they are, for readers of the format: `bvx-` blocks, then `bvx$`.
    package static func encodeStored(_ bytes: [UInt8]) -> [UInt8] {
        let blockBytes = 1 << 30
        var stream: [UInt8] = []
        stream.reserveCapacity(bytes.count + 12)
        for start in stride(from: 0, to: bytes.count, by: blockBytes) {
            let block = bytes[start..<min(bytes.count, start + blockBytes)]
            stream += LZFSEMagic.stored.bytes
            stream += (0..<4).map { UInt8(truncatingIfNeeded: block.count >> (8 * $0)) }
            stream += block
        }
        return stream + LZFSEMagic.end.bytes
    }
}

/// The first four bytes of a block.
enum LZFSEMagic: UInt32 {
    /// `bvx-`: the bytes themselves.
    case stored = 0x2D78_7662
    /// `bvx1`: LZFSE behind a header with plain tables.
    case plainTables = 0x3178_7662
    /// `bvx2`: LZFSE behind a header with packed tables.
    case packedTables = 0x3278_7662
    /// `bvxn`: LZVN.
    case lzvn = 0x6E78_7662
    /// `bvx$`: the end.
    case end = 0x2478_7662

    var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) } }
}
