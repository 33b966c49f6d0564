/// How an ``MCAPWriter`` lays out its file.
package struct MCAPWriterOptions: Hashable, Sendable {
    /// A chunk ends with the message that makes its records this long.
    package var chunkBytes: Int
    package var compression: MCAPCompression
    /// Of ``LZ4Frame`` or ``Zstandard``; nil for their usual one.
    package var level: Int?

    package init(chunkBytes: Int = 1 << 20, compression: MCAPCompression = .none, level: Int? = nil) {
        self.chunkBytes = max(1, chunkBytes)
        self.compression = compression
        self.level = level
    }
}
