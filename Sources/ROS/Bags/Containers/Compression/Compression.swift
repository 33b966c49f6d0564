/// The output buffer of a decompressor, which grows with the actual output, up to a limit.
///
/// It never reserves more for a claimed size than a small multiple of the actual input.
struct DecompressionBuffer {
    private var bytes: [UInt8]
    private var filled = 0
    private let limit: Int

    /// - Parameter expected: The output size that a header claims.
    init(limit: Int, expected: Int, inputByteCount: Int) {
        self.limit = max(0, limit)
        let plausible = max(1 << 20, inputByteCount.multipliedReportingOverflow(by: 16).partialValue)
        let initial = max(0, min(expected, self.limit, plausible))
        // One byte above the limit tells whether the output ends at the limit.
        bytes = Self.grown([], to: initial + 1)
    }

    var exceedsLimit: Bool { filled > limit }

    /// Lets `step` write into the free part, which is never empty, and return the number of bytes written.
    mutating func fill(_ step: (UnsafeMutableRawBufferPointer) -> Int) {
        if filled == bytes.count {
            let wanted = min(max(1 << 16, bytes.count), limit + 1 - bytes.count)
            bytes = Self.grown(bytes, to: bytes.count + max(1, wanted))
        }
        let start = filled
        let written = bytes.withUnsafeMutableBytes { step(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
        filled += written
    }

    /// A buffer with the same bytes, followed by zeros.
    private static func grown(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let start = buffer.initialize(fromContentsOf: bytes)
            buffer[start...].initialize(repeating: 0)
            filled = count
        }
    }

    /// The output, cut to `limit` bytes.
    consuming func finished() -> [UInt8] {
        var result = bytes
        result.removeLast(result.count - min(filled, limit))
        return result
    }
}

/// The result of a decompression: all output, or the output before a problem.
package struct Decompressed: Sendable {
    package var bytes: [UInt8]
    package var problem: CompressionError?

    /// The bytes; throws the problem, if there is one.
    package func whole() throws(CompressionError) -> [UInt8] {
        if let problem { throw problem }
        return bytes
    }
}

/// Compressed bytes that are damaged, cut, or larger than allowed; or a failure of the compressor.
package struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// "zstd" or "LZ4".
    package var format: String
    /// The offset in the compressed bytes.
    package var offset: Int
    package var expected: String
    package var found: String
    /// True if the content is larger than the caller allows, although it may be sound.
    package var isLimit = false
    /// True if the input ends before its time, and all before is sound.
    package var isCut = false

    package var description: String { "\(format): offset \(offset): expected \(expected), found \(found)" }
}
