import CZlib

/// A DEFLATE stream (RFC 1951) being decompressed in pieces.
final class Inflater {
    enum Wrapping {
        /// As in ZIP.
        case none
        /// RFC 1950, as in PNG.
        case zlib
    }

    private let codec: CodecError.Codec
    // zlib's state points back to its stream, which therefore must not move.
    private let stream: UnsafeMutablePointer<z_stream>
    private(set) var isFinished = false

    init(_ wrapping: Wrapping = .none, for codec: CodecError.Codec = .zip) throws(CodecError) {
        self.codec = codec
        stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let bits = wrapping == .zlib ? MAX_WBITS : -MAX_WBITS
        let status = inflateInit2_(stream, bits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            throw CodecError(codec, "zlib cannot start: status \(status)")
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    /// Decompresses from `input` to `output` and says how much of both was used.
    ///
    /// Nothing is used where one of them is empty and the other one does not suffice.
    func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) throws(CodecError) -> (consumed: Int, produced: Int) {
        let inputCount = min(input.count, Int(Int32.max))
        let outputCount = min(output.count, Int(Int32.max))
        var placeholder: UInt8 = 0
        let status = withUnsafeMutablePointer(to: &placeholder) { spare in
            let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source) ?? spare
            stream.pointee.avail_in = UInt32(inputCount)
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? spare
            stream.pointee.avail_out = UInt32(outputCount)
            return CZlib.inflate(stream, Z_NO_FLUSH)
        }
        guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
            throw CodecError(codec, "damaged deflate data: zlib status \(status)")
        }
        isFinished = status == Z_STREAM_END
        return (inputCount - Int(stream.pointee.avail_in), outputCount - Int(stream.pointee.avail_out))
    }
}
