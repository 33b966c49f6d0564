import CZlib

/// A z_stream at a fixed address, because zlib's state points back to it.
func makeStream() -> UnsafeMutablePointer<z_stream> {
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    return stream
}

/// The most bytes that one call of zlib gets; its counts have 32 bits.
let maximumCount = Int(Int32.max)

/// Compresses the messages of a connection in one direction, each of which may refer to earlier ones: a raw deflate stream.
package final class ZlibDeflater {
    private let stream = makeStream()

    /// The window size as a power of two, from 8 to 15.
    package init?(level: Int, windowBits: Int) {
        // zlib makes no raw streams with a window of 256 bytes. With one of 512 it looks back at most 512 - 262 bytes,
        // so the output is valid for a window of 256.
        let windowBits = Int32(max(windowBits, 9))
        let size = Int32(MemoryLayout<z_stream>.size)
        let memoryLevel: Int32 = 8
        let status = deflateInit2_(
            stream,
            Int32(level),
            Z_DEFLATED,
            -windowBits,
            memoryLevel,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            size
        )
        guard status == Z_OK else {
            stream.deallocate()
            return nil
        }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Returns the compressed message, flushed to a byte boundary, without the trailing 00 00 FF FF (RFC 7692, 7.2.1);
    /// `nil` on failure.
    package func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
        guard let source = message.baseAddress?.assumingMemoryBound(to: UInt8.self), message.count <= maximumCount
        else {
            return nil
        }
        stream.pointee.next_in = UnsafeMutablePointer(mutating: source)
        stream.pointee.avail_in = UInt32(message.count)
        defer { stream.pointee.next_in = nil }
        // deflateBound is for a finished stream; a flush adds an empty block.
        let capacity = Int(deflateBound(stream, UInt(message.count))) + 16
        var output = flushed(capacity: capacity)
        while stream.pointee.avail_out == 0 {
            output += flushed(capacity: capacity)
        }
        guard stream.pointee.avail_in == 0, output.suffix(4) == [0x00, 0x00, 0xFF, 0xFF] else { return nil }
        output.removeLast(4)
        return output
    }

    /// Forgets the messages so far.
    func reset() { deflateReset(stream) }

    /// Compresses into a buffer of at most `capacity` bytes.
    private func flushed(capacity: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
            stream.pointee.next_out = buffer.baseAddress
            stream.pointee.avail_out = UInt32(truncatingIfNeeded: buffer.count)
            _ = CZlib.deflate(stream, Z_SYNC_FLUSH)
            count = buffer.count - Int(stream.pointee.avail_out)
            stream.pointee.next_out = nil
        }
    }
}

/// The result of one step of decompression.
struct InflateStep {
    var consumed: Int
    var produced: Int
    /// The input is damaged from here on; the output so far is valid.
    var isDamaged: Bool
    /// The input ended between two blocks.
    var isBetweenBlocks: Bool
}

/// Decompresses messages, each of which may refer to earlier ones; the stream arrives in pieces of any size.
final class ZlibInflater {
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

    /// Decompresses `input` into `output` until one of them is used up.
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

    /// Forgets the messages so far.
    func reset() { inflateReset(stream) }
}
