/// One file of a bag while it is being written, of either storage.
protocol ChunkStorage: AnyObject {
    /// The name that metadata.yaml lists once there is something sound under it.
    var fileName: String { get }

    /// Makes a topic known; rows refer to it by its place in the order of these calls.
    func add(_ topic: BagTopic) throws
    func write(_ row: BagRow) throws

    /// Takes what belongs to no topic; it is in the file once that is closed.
    func enclose(_ enclosure: BagEnclosure) throws

    /// The size that the closed file would have with `byteCount` more bytes of message.
    func projectedFileBytes(adding byteCount: Int) throws -> Int

    /// Prepares the visibility of what was written so far; false if this storage shows nothing before its end, or if
    /// there is nothing new.
    func prepare() throws -> Bool

    /// Prepares the end of the file, with what goes into it about itself; it is on the disk then, but not visible.
    func prepareEnd(metadata: BagMetadata) throws

    /// Makes visible under `fileName` what was prepared, in one step.
    func show() throws

    /// What is left to do after `prepare` and `show`, while readers look at the result already.
    func settle() throws

    /// Gives up what is not visible yet and frees its space.
    func discard()
}
