import CLZ4

/// Compresses and decompresses whole buffers as LZ4 frames (LZ4 Frame Format 1.6), with liblz4.
package enum LZ4Frame {
    private static let format = "LZ4"

    /// Compresses into one frame with its content size; the same input and level give the same bytes.
    ///
    /// - Parameter level: 0 is the fast compressor, 3 to 12 the slower ones that compress better.
    package static func compress(
        _ bytes: UnsafeRawBufferPointer,
        level: Int = 0
    ) throws(CompressionError) -> [UInt8] {
        var preferences = LZ4F_preferences_t()
        preferences.frameInfo.contentSize = UInt64(bytes.count)
        preferences.compressionLevel = Int32(clamping: level)
        let bound = LZ4F_compressFrameBound(bytes.count, &preferences)
        var status = 0
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            status = LZ4F_compressFrame(buffer.baseAddress, bound, bytes.baseAddress, bytes.count, &preferences)
            count = LZ4F_isError(status) == 0 ? status : 0
        }
        if LZ4F_isError(status) != 0 { throw failure(status, at: 0, "to compress") }
        return output
    }

    /// Decompresses consecutive frames as far as they are sound.
    package static func decompressed(
        _ input: UnsafeRawBufferPointer,
        limit: Int,
        expectedSize: Int? = nil
    ) -> Decompressed {
        var output = DecompressionBuffer(
            limit: limit,
            expected: expectedSize ?? 4 * input.count,
            inputByteCount: input.count
        )
        var context: OpaquePointer?
        let status = LZ4F_createDecompressionContext(&context, UInt32(LZ4F_VERSION))
        guard let context, LZ4F_isError(status) == 0 else {
            return Decompressed(bytes: [], problem: failure(status, at: 0, "memory"))
        }
        defer { LZ4F_freeDecompressionContext(context) }
        let problem = decompress(input, with: context, into: &output, limit: limit)
        return Decompressed(bytes: output.finished(), problem: problem)
    }

    private static func decompress(
        _ input: UnsafeRawBufferPointer,
        with context: OpaquePointer,
        into output: inout DecompressionBuffer,
        limit: Int
    ) -> CompressionError? {
        var position = 0
        // The return value of liblz4: 0 at the end of a frame, else a hint or an error.
        var status = 1
        while true {
            var consumed = input.count - position
            var produced = 0
            var isFull = false
            output.fill { free in
                produced = free.count
                let source = consumed > 0 ? input.baseAddress.map { $0 + position } : nil
                status = LZ4F_decompress(context, free.baseAddress, &produced, source, &consumed, nil)
                guard LZ4F_isError(status) == 0 else { return 0 }
                isFull = produced == free.count
                return produced
            }
            if LZ4F_isError(status) != 0 { return failure(status, at: position, "an LZ4 frame") }
            position += consumed
            if output.exceedsLimit {
                return problem(at: position, "at most \(limit) bytes of content", "more")
            }
            if position == input.count, status == 0 { return nil }
            let isStuck = consumed == 0 && produced == 0
            if position == input.count, !isFull { return problem(at: position, "the rest of a frame", "the end") }
            if isStuck { return problem(at: position, "an LZ4 frame", "no progress") }
        }
    }

    private static func failure(_ status: Int, at offset: Int, _ expected: String) -> CompressionError {
        problem(at: offset, expected, String(cString: LZ4F_getErrorName(status)))
    }

    private static func problem(at offset: Int, _ expected: String, _ found: String) -> CompressionError {
        CompressionError(format: format, offset: offset, expected: expected, found: found)
    }
}
