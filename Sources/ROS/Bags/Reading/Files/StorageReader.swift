import SystemPackage

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

    /// Rows one by one, by where they lie.
    func placedRows() throws(BagError) -> any PlacedRows
}

/// The rows of one file by time.
protocol StoredRows: AnyObject {
    /// The next wanted row; nil at the end.
    func next() throws(BagError) -> StoredRow?

    /// What was given so far, and what is missing.
    var account: RowAccount { get }
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
    var place: StoredPlace
    /// The message, or as many of its first bytes as were wanted and are there.
    var bytes: [UInt8]
    /// The size of the message.
    var byteCount: Int
    /// The size in the file, where each message is compressed on its own; else the same.
    var storedByteCount: Int
}

/// The account of the rows of a file that were asked for.
struct RowAccount {
    /// How many are listed; the others are counted.
    private static let listedProblems = 100

    private let path: FilePath
    private let tolerance: BagTolerance
    /// How many were given.
    var handedCount = 0
    /// How many of the wanted messages are known to be missing, so far.
    private(set) var missingCount = 0
    /// The problems of damaged messages that were left out so far; the first hundred places.
    private(set) var problems: [BagError] = []

    init(_ path: FilePath, _ tolerance: BagTolerance) {
        self.path = path
        self.tolerance = tolerance
    }

    /// Notes a problem that cost some of the rows, and goes on, or throws it.
    mutating func pass(_ error: BagError, missing count: Int = 1) throws(BagError) {
        guard tolerance.contains(.damage) else { throw error }
        missingCount += count
        if problems.count < Self.listedProblems { problems.append(error) }
    }

    /// Compares what was handed out with what was counted before.
    ///
    /// - Parameter judge: The source of the expected number: "the table".
    mutating func finish(expecting expected: Int?, by judge: String) throws(BagError) {
        guard let expected, handedCount + missingCount != expected else { return }
        let error = BagError.damaged(
            path,
            place: "messages",
            expected: "\(expected), as \(judge) says",
            found: "\(handedCount)" + (missingCount > 0 ? " and \(missingCount) that cannot be read" : "")
        )
        try pass(error, missing: max(0, expected - handedCount - missingCount))
    }
}

/// How many messages a storage file holds, counted where that is cheap: what is read is compared with it.
struct StoredCensus: Sendable, Hashable {
    /// Messages that can be read by the file's own topic number: the rows of a table, or what an MCAP file's statistics
    /// or the records themselves say.
    var counts: [Int64: Int] = [:]
    /// Entries that are no message, such as a row whose topic is in no table; each says its number.
    var unreadable: [UnreadableRows] = []
    /// Damage in the file because of which an unknown number of messages may be missing.
    var damage: [String] = []
    /// False where the counting broke off: then the counts are what was found until there.
    var isComplete = true
    /// True if the table of a .db3 file has rows twice, or less rows than its index: its pages may hold more.
    var needsSalvage = false
    /// The oddities of the file, although every message can be read.
    var remarks: [String] = []
    /// The earliest and the latest message; nil for none.
    var times: TimeSpan?
    /// How the rows of a .db3 file come by time; other forms know it themselves.
    var order = RowOrder.sorted

    /// Messages and what should have been some.
    var total: Int { clampedSum(counts.values) + unreadableCount }

    var unreadableCount: Int { clampedSum(unreadable.map(\.count)) }
}

/// The sum of counts, of which a file may claim any; it ends at a number that no file reaches.
package func clampedSum(_ counts: some Sequence<Int>) -> Int {
    counts.reduce(0) { min($0, 1 << 60) + max(0, min($1, 1 << 60)) }
}

/// Rows that cannot be read as messages, for one reason.
struct UnreadableRows: Sendable, Hashable {
    var count: Int
    /// As it goes on after the number of rows: "name a topic that the table topics does not have".
    var reason: String
}

/// In which order the rows of a .db3 file are read, so that they come by time.
enum RowOrder: Sendable, Hashable {
    /// The numbers of the rows follow their times: the table is read from its beginning to its end.
    case table
    /// The rows are read by the index of that name, which was found to have every row once.
    case index(String)
    /// SQLite sorts the times, on the disk where they are many: there is no index, or it differs from the table.
    case sorted
}
