/// What comes out of a decompressor: grows with what really comes, up to a limit.
///
/// What a header claims is never reserved beyond a small multiple of the input that is really there.
struct DecompressionBuffer {
    private var bytes: [UInt8]
    private var filled = 0
    private let limit: Int

    /// - Parameters:
    ///   - limit: The largest output in bytes.
    ///   - expected: What a header claims the output to be.
    ///   - inputByteCount: The size of the compressed input.
    init(limit: Int, expected: Int, inputByteCount: Int) {
        self.limit = max(0, limit)
        let plausible = max(1 << 20, inputByteCount.multipliedReportingOverflow(by: 16).partialValue)
        let initial = max(0, min(expected, self.limit, plausible))
        // One byte more than the limit tells output that ends there from output that does not.
        bytes = Self.grown([], to: initial + 1)
    }

    /// Whether more came out than allowed.
    var exceedsLimit: Bool { filled > limit }

    /// Lets `step` fill the free part, which is never empty, and say how many bytes it wrote.
    mutating func fill(_ step: (UnsafeMutableRawBufferPointer) -> Int) {
        if filled == bytes.count {
            let wanted = min(max(1 << 16, bytes.count), limit + 1 - bytes.count)
            bytes = Self.grown(bytes, to: bytes.count + max(1, wanted))
        }
        let start = filled
        let written = bytes.withUnsafeMutableBytes { step(UnsafeMutableRawBufferPointer(rebasing: $0[start...])) }
        filled += written
    }

    /// The same bytes and zeros after them.
    private static func grown(_ bytes: [UInt8], to count: Int) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let start = buffer.initialize(fromContentsOf: bytes)
            buffer[start...].initialize(repeating: 0)
            filled = count
        }
    }

    /// The output, at most `limit` bytes of it.
    consuming func finished() -> [UInt8] {
        var result = bytes
        result.removeLast(result.count - min(filled, limit))
        return result
    }
}

/// What a decompressor gave: everything, or what came before a problem.
package struct Decompressed: Sendable {
    package var bytes: [UInt8]
    package var problem: CompressionError?

    /// The bytes, if they are all there.
    package func whole() throws(CompressionError) -> [UInt8] {
        if let problem { throw problem }
        return bytes
    }
}
