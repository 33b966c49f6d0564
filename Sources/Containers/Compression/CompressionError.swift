/// Compressed bytes that are damaged, cut, or larger than allowed; or a failure of the compressor.
package struct CompressionError: Error, Hashable, Sendable, CustomStringConvertible {
    /// "zstd" or "LZ4".
    package var format: String
    /// Where in the compressed bytes.
    package var offset: Int
    package var expected: String
    package var found: String

    package init(format: String, offset: Int, expected: String, found: String) {
        self.format = format
        self.offset = offset
        self.expected = expected
        self.found = found
    }

    package var description: String { "\(format): offset \(offset): expected \(expected), found \(found)" }
}
