import CZstd

/// Compresses and decompresses whole buffers as Zstandard frames (RFC 8878), with libzstd.
package enum Zstandard {
    package static let defaultLevel = 3
    /// The bytes of a frame that contain its claimed size.
    package static let headerBytes = 18
    static let format = "zstd"

    /// Compresses into one frame with its content size; the same input and level give the same bytes.
    package static func compress(
        _ bytes: UnsafeRawBufferPointer,
        level: Int = defaultLevel
    ) throws(CompressionError) -> [UInt8] {
        try ZstandardCompressor(level: level).compress(bytes)
    }

    /// Decompresses consecutive frames as far as they are sound.
    ///
    /// - Parameters:
    ///   - limit: The maximum output in bytes; more is a problem.
    ///   - expectedSize: A hint for the first allocation; ignored if the input is too small for it.
    package static func decompressed(
        _ input: UnsafeRawBufferPointer,
        limit: Int,
        expectedSize: Int? = nil
    ) -> Decompressed {
        var output = DecompressionBuffer(
            limit: limit,
            expected: expectedSize ?? claimedSize(input) ?? 4 * input.count,
            inputByteCount: input.count
        )
        guard let stream = ZSTD_createDStream() else {
            return Decompressed(bytes: [], problem: outOfMemory)
        }
        defer { ZSTD_freeDStream(stream) }
        let problem = decompress(input, with: stream, into: &output, limit: limit)
        return Decompressed(bytes: output.finished(), problem: problem)
    }

    /// Like ``decompressed(_:limit:expectedSize:)``, but throws unless everything could be decompressed.
    package static func decompress(
        _ input: UnsafeRawBufferPointer,
        limit: Int,
        expectedSize: Int? = nil
    ) throws(CompressionError) -> [UInt8] {
        try decompressed(input, limit: limit, expectedSize: expectedSize).whole()
    }

    /// The content size that the first frame's header claims, if there is a plausible one.
    package static func claimedSize(_ input: UnsafeRawBufferPointer) -> Int? {
        // The two largest values mean that the size is unknown, or that there is no frame.
        Int(exactly: ZSTD_getFrameContentSize(input.baseAddress, input.count))
    }

    private static func decompress(
        _ input: UnsafeRawBufferPointer,
        with stream: OpaquePointer,
        into output: inout DecompressionBuffer,
        limit: Int
    ) -> CompressionError? {
        var source = ZSTD_inBuffer(src: input.baseAddress, size: input.count, pos: 0)
        // The return value of libzstd: 0 at the end of a frame, else a hint or an error.
        var status = 1
        while true {
            var isFull = false
            output.fill { free in
                var target = ZSTD_outBuffer(dst: free.baseAddress, size: free.count, pos: 0)
                status = ZSTD_decompressStream(stream, &target, &source)
                isFull = target.pos == target.size
                return target.pos
            }
            if ZSTD_isError(status) != 0 { return failure(status, at: source.pos, "a zstd frame") }
            if output.exceedsLimit { return tooLarge(limit, at: source.pos) }
            if source.pos == source.size, status == 0 { return nil }
            if source.pos == source.size, !isFull { return cut(at: source.pos) }
        }
    }

    static let outOfMemory = CompressionError(format: format, offset: 0, expected: "memory", found: "none")

    static func failure(_ status: Int, at offset: Int, _ expected: String) -> CompressionError {
        let name = String(cString: ZSTD_getErrorName(status))
        return CompressionError(format: format, offset: offset, expected: expected, found: name)
    }

    static func tooLarge(_ limit: Int, at offset: Int) -> CompressionError {
        CompressionError(
            format: format,
            offset: offset,
            expected: "at most \(limit) bytes of content",
            found: "more",
            isLimit: true
        )
    }

    static func cut(at offset: Int) -> CompressionError {
        CompressionError(
            format: format,
            offset: offset,
            expected: "the rest of a frame",
            found: "the end",
            isCut: true
        )
    }
}

/// A compressor that reuses its context, for many small buffers.
package final class ZstandardCompressor {
    private let context: OpaquePointer

    /// - Parameter level: 1 (fast) to 22; negative levels are faster still.
    package init(level: Int = Zstandard.defaultLevel) throws(CompressionError) {
        guard let context = ZSTD_createCCtx() else { throw Zstandard.outOfMemory }
        self.context = context
        let clamped = min(max(Int32(clamping: level), ZSTD_minCLevel()), ZSTD_maxCLevel())
        let status = ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, clamped)
        if ZSTD_isError(status) != 0 { throw Zstandard.failure(status, at: 0, "a compression level") }
    }

    deinit { ZSTD_freeCCtx(context) }

    /// Compresses into one frame with its content size.
    package func compress(_ bytes: UnsafeRawBufferPointer) throws(CompressionError) -> [UInt8] {
        let bound = ZSTD_compressBound(bytes.count)
        var status = 0
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            status = ZSTD_compress2(context, buffer.baseAddress, bound, bytes.baseAddress, bytes.count)
            count = ZSTD_isError(status) == 0 ? status : 0
        }
        if ZSTD_isError(status) != 0 { throw Zstandard.failure(status, at: 0, "to compress") }
        return output
    }
}
