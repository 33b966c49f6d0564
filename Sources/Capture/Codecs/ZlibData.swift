import CZlib

/// Whole zlib streams (RFC 1950) at once, where both sizes are known.
enum ZlibData {
    /// Returns the content of a stream, which is exactly `byteCount` bytes.
    ///
    /// - Parameter offset: Where the stream lies, for errors.
    static func inflated(
        _ input: ArraySlice<UInt8>,
        byteCount: Int,
        for codec: CodecError.Codec,
        at offset: Int
    ) throws(CodecError) -> [UInt8] {
        // No stream of that size holds more: nothing is allocated for a size that cannot be.
        guard byteCount <= 1100 * (input.count + 1) else {
            throw CodecError(codec, at: offset, "expected \(byteCount) bytes of zlib data, found \(input.count) packed")
        }
        let inflater = try Inflater(.zlib, for: codec)
        var output = [UInt8](repeating: 0, count: byteCount)
        let (_, produced) = try input.withUnsafeBufferPointer { (source) throws(CodecError) in
            try output.withUnsafeMutableBufferPointer { (target) throws(CodecError) in
                try inflater.inflate(UnsafeRawBufferPointer(source), into: UnsafeMutableRawBufferPointer(target))
            }
        }
        // The checksum at the end was looked at too.
        guard produced == byteCount, inflater.isFinished else {
            throw CodecError(codec, at: offset, "expected \(byteCount) bytes of zlib data, found \(produced)")
        }
        return output
    }

    /// The bytes as a stream; `level` is zlib's, 0 to 9.
    static func deflated(
        _ input: [UInt8],
        level: Int,
        for codec: CodecError.Codec
    ) throws(CodecError) -> [UInt8] {
        let bound = Int(compressBound(UInt(input.count)))
        var status: Int32 = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            var length = UInt(bound)
            status = compress2(buffer.baseAddress, &length, input, UInt(input.count), Int32(level))
            count = status == Z_OK ? Int(length) : 0
        }
        guard status == Z_OK else { throw CodecError(codec, "zlib failed with status \(status)") }
        return output
    }
}
