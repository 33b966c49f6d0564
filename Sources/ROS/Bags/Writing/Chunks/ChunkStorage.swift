/// One file of a bag while it is being written, of either storage.
protocol ChunkStorage: AnyObject {
    /// The name that metadata.yaml lists once the file is valid.
    var fileName: String { get }

    /// Adds a topic; rows refer to it by the order of these calls.
    func add(_ topic: BagTopic) throws
    func write(_ row: BagRow) throws

    /// Adds an attachment or metadata record; it is in the file once that is closed.
    func writeExtra(_ record: ExtraRecord) throws

    /// The size of the closed file after a message of `byteCount` more bytes.
    func projectedFileBytes(adding byteCount: Int) throws -> Int

    /// Prepares to show the rows so far; returns false if there are no new ones, or nothing is shown before the end.
    func prepare() throws -> Bool

    /// Finishes the file, with its own metadata; it is on disk then, but not visible yet.
    func prepareEnd(metadata: BagMetadata) throws

    /// Makes the prepared content visible under `fileName`, atomically.
    func show() throws

    /// Completes the work after `prepare` and `show`, while readers already see the result.
    func settle() throws

    /// Discards what is not visible yet, and frees its space.
    func discard()
}
