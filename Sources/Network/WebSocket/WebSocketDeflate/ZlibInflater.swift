import CZlib

/// Decompresses messages, each of which may refer to earlier ones.
final class ZlibInflater: MessageInflater {
    private let stream = makeStream()

    /// The window is always the largest one, so that the result does not depend on how the stream is split.
    init?() {
        let status = inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
    }

    func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateStep {
        let inputCount = min(input.count, maximumCount)
        let outputCount = min(output.count, maximumCount)
        var placeholder: UInt8 = 0
        let status = withUnsafeMutablePointer(to: &placeholder) { spare in
            let source = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.next_in = UnsafeMutablePointer(mutating: source) ?? spare
            stream.pointee.avail_in = UInt32(inputCount)
            stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? spare
            stream.pointee.avail_out = UInt32(outputCount)
            return CZlib.inflate(stream, Z_SYNC_FLUSH)
        }
        let consumed = inputCount - Int(stream.pointee.avail_in)
        let produced = outputCount - Int(stream.pointee.avail_out)
        // A sender may end the stream with a message and begin a new one (RFC 7692, 7.2.3.4); the window is kept.
        let hasEnded = status == Z_STREAM_END
        if hasEnded { inflateResetKeep(stream) }
        return InflateStep(
            consumed: consumed,
            produced: produced,
            isDamaged: status != Z_OK && status != Z_BUF_ERROR && !hasEnded,
            isBetweenBlocks: hasEnded || stream.pointee.data_type & 128 != 0
        )
    }

    func reset() { inflateReset(stream) }
}
