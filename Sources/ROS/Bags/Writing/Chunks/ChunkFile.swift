/// A file on disk that takes topics and rows; it is valid only after a commit.
protocol ChunkFile: AnyObject {
    /// Adds a topic; rows refer to it by the order of these calls.
    func add(_ topic: BagTopic) throws
    func insert(_ row: BagRow) throws

    /// Adds an attachment or metadata record; must not be called for a .db3 file.
    func writeExtra(_ record: ExtraRecord) throws

    /// The size of the closed file after a message of `byteCount` more bytes.
    func projectedBytes(adding byteCount: Int) throws -> Int

    /// Makes the file on disk valid.
    func commit() throws

    /// Applies the changes that the twin already has.
    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws

    /// Writes the end of the file, with its own metadata, and closes it.
    func finish(metadata: BagMetadata) throws
}

extension ChunkFile {
    func writeExtra(_ record: ExtraRecord) throws {}
}

/// The changes of a file since its twin had the same content.
enum ChunkChange {
    case topic(BagTopic)
    case row(BagRow)
}
