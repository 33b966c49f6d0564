/// A storage file of a bag, opened for reading; its form stays behind this.
///
/// Topics have numbers of the file's own. What is odd but readable is said in `warnings`.
protocol StoredFile: AnyObject {
    /// The topics by ascending number; several numbers may mean the same topic.
    var topics: [StoredTopic] { get }
    /// The schema version of a .db3 file; 0 for other forms.
    var schemaVersion: Int { get }
    /// `sqlite3` or `mcap`, as metadata.yaml calls it.
    var storageIdentifier: String { get }
    /// What the file says about the bag itself; nil if nothing.
    var ownMetadata: BagMetadata? { get }
    var warnings: [String] { get }
    /// What only an MCAP file has.
    var container: MCAPContents? { get }

    /// The times of the earliest and the latest row.
    func times() throws(BagError) -> TimeSpan?

    /// The wanted rows by time, one at a time.
    func rows(_ query: BagQuery) throws(BagError) -> any StoredRows

    /// Calls for each row in time order, without its bytes but for as many of the first as are wanted of a topic.
    func scan(wantedBytes: (_ topic: Int64) -> Int, _ body: (StoredRowHead) -> Void) throws(BagError)
}

/// The rows of one file by time.
protocol StoredRows: AnyObject {
    /// The next wanted row; nil at the end.
    func next() throws(BagError) -> StoredRow?

    /// What was left out because it was damaged, so far.
    var problems: [BagError] { get }
}

struct StoredTopic {
    var number: Int64
    var topic: BagTopic
}

struct StoredRow {
    /// The file's own topic number.
    var topic: Int64
    var time: Int64
    var bytes: [UInt8]
}

/// A row without its content.
struct StoredRowHead {
    /// The file's own topic number.
    var topic: Int64
    var time: Int64
    /// The size of the message.
    var byteCount: Int
    /// The size in the file, where each message is compressed on its own; else the same.
    var storedByteCount: Int
    /// As many of the message's first bytes as were wanted and are there.
    var firstBytes: [UInt8]
}
