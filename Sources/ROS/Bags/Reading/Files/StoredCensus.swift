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
func clampedSum(_ counts: some Sequence<Int>) -> Int {
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
