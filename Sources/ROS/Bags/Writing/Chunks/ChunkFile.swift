/// One file on the disk that takes topics and rows; it is not readable between its commits.
protocol ChunkFile: AnyObject {
    /// Makes a topic known; rows refer to it by its place in the order of these calls.
    func add(_ topic: BagTopic) throws
    func insert(_ row: BagRow) throws

    /// Takes what belongs to no topic; a file that has no place for it must not be asked.
    func enclose(_ enclosure: BagEnclosure) throws

    /// The size of the closed file with `byteCount` more bytes of message.
    func projectedBytes(adding byteCount: Int) throws -> Int

    /// Makes the file as it lies a sound one.
    func commit() throws

    /// Takes what the twin has and this file lacks: these changes.
    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws

    /// Writes the end of the file, with what it says about itself, and closes it.
    func finish(metadata: BagMetadata) throws
}

extension ChunkFile {
    func enclose(_ enclosure: BagEnclosure) throws {}
}

/// What happened to a file since its twin had the same content.
enum ChunkChange {
    case topic(BagTopic)
    case row(BagRow)
}
