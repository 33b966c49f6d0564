import Bags

extension FuzzTarget {
    /// Compressed buffers: the first byte says whether of zstd or of LZ4.
    static let compression = FuzzTarget(
        name: "compression",
        seeds: {
            let texts: [[UInt8]] = [[], Array("message".utf8), [UInt8](repeating: 7, count: 3000), Array(0...255)]
            return texts.flatMap { text -> [[UInt8]] in
                [true, false].map { [$0 ? 0 : 1] + (compressed(text, isZstandard: $0) ?? []) }
            }
        },
        dictionary: ["\u{4}\u{22}\u{4D}\u{18}", "\u{50}*M\u{18}"],
        run: { input in
            guard let first = input.first else { return }
            let isZstandard = first & 1 == 0
            let output = decompressed(UnsafeRawBufferPointer(rebasing: input.dropFirst()), isZstandard: isZstandard)
            require(output.bytes.count <= limit, "\(output.bytes.count) bytes, more than the limit")
            guard output.problem == nil else { return }
            guard let again = compressed(output.bytes, isZstandard: isZstandard) else {
                return require(false, "what was decompressed cannot be compressed")
            }
            let back = again.withUnsafeBytes { decompressed($0, isZstandard: isZstandard) }
            require(back.problem == nil && back.bytes == output.bytes, "what was compressed again is not the same")
        }
    )

    private static let limit = 1 << 18

    private static func compressed(_ bytes: [UInt8], isZstandard: Bool) -> [UInt8]? {
        bytes.withUnsafeBytes { bytes in
            isZstandard ? try? Zstandard.compress(bytes, level: 1) : try? LZ4Frame.compress(bytes)
        }
    }

    private static func decompressed(_ bytes: UnsafeRawBufferPointer, isZstandard: Bool) -> Decompressed {
        isZstandard ? Zstandard.decompressed(bytes, limit: limit) : LZ4Frame.decompressed(bytes, limit: limit)
    }
}
