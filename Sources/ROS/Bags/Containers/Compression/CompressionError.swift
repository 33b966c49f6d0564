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
