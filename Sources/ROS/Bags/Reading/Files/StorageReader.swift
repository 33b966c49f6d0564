/// A storage file of a bag, opened for reading; its form stays behind this.
///
/// Topics have numbers of the file's own. What is odd but readable is said in `warnings`.
protocol StorageReader: AnyObject {
    /// The topics by ascending number; several numbers may mean the same topic.
    var topics: [StoredTopic] { get }
    /// The schema version of a .db3 file; 0 for other forms.
    var schemaVersion: Int { get }
    /// `sqlite3` or `mcap`, as metadata.yaml calls it.
    var storageIdentifier: String { get }
    /// The metadata that the file itself has of the bag; nil if none.
    var ownMetadata: BagMetadata? { get }
    var warnings: [String] { get }
    /// The size of what was unpacked, where the file as a whole is compressed.
    var unpackedBytes: Int? { get }
    /// The contents that only an MCAP file has.
    var container: MCAPContents? { get }

    /// Counts what is in the file, as far as that needs no look at the messages.
    func census() throws(BagError) -> StoredCensus

    /// An attachment of an .mcap file by its place in `container`, or why it cannot be read; both for a wrong checksum.
    func attachment(at index: Int) throws(BagError) -> (attachment: BagAttachment?, problem: BagError?)

    /// The wanted rows by time, one at a time.
    ///
    /// - Parameters:
    ///   - census: What `census` gave, of this opening or of an earlier one.
    ///   - wantedBytes: How many of the first bytes of a row are wanted by topic number, where the whole of them
    ///     is not; none for a topic that is not there.
    func rows(
        _ query: BagQuery,
        _ census: StoredCensus,
        wantedBytes: [Int64: Int]?
    ) throws(BagError) -> any StoredRows
}

/// The rows of one file by time.
protocol StoredRows: AnyObject {
    /// The next wanted row; nil at the end.
    func next() throws(BagError) -> StoredRow?

    /// The problems of damaged messages that were left out so far; the first hundred places.
    var problems: [BagError] { get }

    /// How many were given.
    var handedCount: Int { get }

    /// How many of the wanted messages are known to be missing, so far.
    var missingCount: Int { get }
}

extension StorageReader {
    func attachment(at index: Int) throws(BagError) -> (attachment: BagAttachment?, problem: BagError?) { (nil, nil) }
}

struct StoredTopic {
    var number: Int64
    var topic: BagTopic
}

struct StoredRow {
    /// The file's own topic number.
    var topic: Int64
    var time: Int64
    /// The message, or as many of its first bytes as were wanted and are there.
    var bytes: [UInt8]
    /// The size of the message.
    var byteCount: Int
    /// The size in the file, where each message is compressed on its own; else the same.
    var storedByteCount: Int
}
