import CZlib
import WebSocket

/// Decompresses messages, each of which may refer to the one before it.
final class ZlibInflater: MessageInflater {
    private let stream = makeStream()

    /// Its window is the largest there is, whatever was agreed on, so that a stream is judged alike however it is cut.
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
        // A sender may end its stream with each message and begin another one (RFC 7692, 7.2.3.4); the window stays.
        let hasEnded = status == Z_STREAM_END
        if hasEnded { inflateResetKeep(stream) }
        return InflateStep(
            consumed: consumed,
            produced: produced,
            isDamaged: status != Z_OK && status != Z_BUF_ERROR && !hasEnded,
            isBetweenBlocks: hasEnded || stream.pointee.data_type & 128 != 0
        )
    }

    func reset() {
        inflateReset(stream)
    }
}
