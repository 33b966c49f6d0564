import CZlib

/// Compresses messages, each of which may refer to earlier ones.
final class ZlibDeflater: MessageDeflater {
    private let stream = makeStream()

    /// The window size as a power of two, from 8 to 15.
    init?(level: Int32, windowBits: Int32) {
        // zlib makes no raw streams with a window of 256 bytes. With one of 512 it looks back at most 512 - 262 bytes,
        // so the output is valid for a window of 256.
        let windowBits = max(windowBits, 9)
        let size = Int32(MemoryLayout<z_stream>.size)
        let memoryLevel: Int32 = 8
        let status = deflateInit2_(
            stream,
            level,
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

    func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]? {
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
