/// The options of an ``MCAPWriter``.
package struct MCAPWriterOptions: Hashable, Sendable {
    /// The size of uncompressed records at which a chunk ends.
    package var chunkBytes: Int
    package var compression: MCAPCompression
    /// The level of ``LZ4Frame`` or ``Zstandard``; nil for the default.
    package var level: Int?

    package init(chunkBytes: Int = 1 << 20, compression: MCAPCompression = .none, level: Int? = nil) {
        self.chunkBytes = max(1, chunkBytes)
        self.compression = compression
        self.level = level
    }
}
