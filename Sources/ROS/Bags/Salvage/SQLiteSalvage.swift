package import Platform
package import SystemPackage

/// Saves the rows of a damaged .db3 file one by one into a new one.
///
/// The rows are read in page order as far as possible, then searched by number, and below damaged inner pages read from
/// the leaves. So a damaged page costs only its own content. Circular pages are followed only as often as the file may
/// have rows. Each row is saved once, and no more bytes than the file has: a row that is met again, as on a page that was
/// copied over another one, is left out, and what had its place is lost.
package struct SQLiteSalvage {
    package private(set) var messageCount = 0
    /// Rows that exist but whose content is unreadable.
    package private(set) var brokenCount = 0
    /// Rows of an unknown topic.
    package private(set) var strayCount = 0
    /// Topics of which only name, type and serialization could be read.
    package private(set) var partialTopicCount = 0
    /// Rows with an invalid timestamp.
    package private(set) var timelessCount = 0
    /// Rows that are gone, as far as the index of times or the numbers of the rows tell; nil if neither does.
    package private(set) var lostCount: Int?
    /// The number of bytes by which the file is shorter than its header says.
    package private(set) var missingBytes = 0
    private let source: SQLiteDatabase
    private let target: SQLiteDatabase
    private let sourceBytes: Int
    private var savedBytes = 0
    private var times = RowTimes([:])
    private var lastTime: Int64 = 0
    /// The greatest row number seen.
    private var greatest: Int64?
    /// The number of repeated rows that are still tolerated.
    private var repeatsLeft: Int
    private var renumbered: Set<Arrival> = []
    /// Rows that the walk over the table has met once more.
    private var doubledCount = 0

    /// Saves every readable row.
    ///
    /// - Parameters:
    ///   - original: The file with what is there of a page that is cut, which `path` is without.
    ///   - topics: Topics by number from other files of the bag, in case the file's own table is lost.
    package static func salvage(
        _ path: FilePath,
        of original: FilePath? = nil,
        to target: FilePath,
        topics: [Int64: BagTopic]
    ) throws(SQLiteError) -> SQLiteSalvage {
        var salvage = try SQLiteSalvage(path, target)
        salvage.partialTopicCount =
            try SQLiteTableSalvage(source: salvage.source, target: salvage.target, mostRows: salvage.repeatsLeft)
            .copy(topics, leavesOf: path)
        salvage.times = RowTimes(TopicsByNumber.byNumber((try? storedTopics(salvage.target)) ?? []))
        let isWhole = try salvage.copyRowsInOrder()
        if !isWhole {
            // Rows behind an error in one direction may be reachable in the other.
            _ = try salvage.copyRowsInOrder(descending: true)
            try salvage.copyRowsByNumber()
        }
        let indexed = salvage.indexedCount()
        let found = salvage.messageCount
        if !isWhole || salvage.doubledCount > 0 || found == 0 || indexed.map({ $0 > found }) == true {
            try salvage.copyRowsOfLeaves(original ?? path)
        }
        try salvage.countLost(isWhole: isWhole, indexed)
        try salvage.target.execute(BagTable.timeIndex)
        try salvage.target.execute("COMMIT")
        try salvage.target.close()
        return salvage
    }

    private init(_ path: FilePath, _ target: FilePath) throws(SQLiteError) {
        sourceBytes = fileBytes(path)
        repeatsLeft = Self.mostRepeats(sourceBytes)
        source = try SQLiteDatabase(opening: path, access: .immutable)
        // Without this SQLite refuses a file with fewer pages than its header says.
        try source.execute("PRAGMA writable_schema=ON")
        try source.execute("PRAGMA trusted_schema=OFF")
        self.target = try SQLiteDatabase(opening: target, access: .readWrite)
        let pageBytes = (try? source.integer("PRAGMA page_size")).flatMap { $0 } ?? 4096
        missingBytes = Self.missingBytes(path, Int(pageBytes))
        try self.target.execute("PRAGMA page_size=\(pageBytes)")
        try self.target.execute("PRAGMA journal_mode=OFF")
        try self.target.execute("PRAGMA synchronous=OFF")
        try self.target.execute("BEGIN")
    }

    /// By how many bytes a file is shorter than its header says; 0 for what has no header.
    package static func missingBytes(_ path: FilePath) -> Int {
        missingBytes(path, pageBytes((try? RegularFile.head(of: path, byteCount: 18)) ?? []))
    }

    private static func missingBytes(_ path: FilePath, _ pageBytes: Int) -> Int {
        max(0, Int(statedPages(path)) * pageBytes - fileBytes(path))
    }

    /// The bound for repeated rows: a row takes more than 16 bytes.
    private static func mostRepeats(_ sourceBytes: Int) -> Int { sourceBytes / 16 + 10_000 }

    /// The available bytes of a truncated last page; 0 if all pages are complete.
    ///
    /// SQLite would fill such a page with zeros and take them for content, so it is removed before a salvage.
    package static func cutPageBytes(_ path: FilePath) throws(FileError) -> Int64 {
        let pageBytes = pageBytes(try RegularFile.head(of: path, byteCount: 18))
        return pageBytes >= 512 ? Int64(fileBytes(path) % pageBytes) : 0
    }

    /// The page size from bytes 16 and 17 of the header, where 1 stands for 65,536; 0 if they are missing.
    static func pageBytes(_ head: [UInt8]) -> Int {
        guard head.count >= 18 else { return 0 }
        let stored = Int(head[16]) << 8 | Int(head[17])
        return stored == 1 ? 65_536 : stored
    }

    /// The database size in pages from bytes 28 to 31 of the header (SQLite file format, 1.3.7).
    private static func statedPages(_ path: FilePath) -> UInt32 {
        guard let head = try? RegularFile.head(of: path, byteCount: 32), head.count == 32 else { return 0 }
        return head[28...].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Copies the rows of one walk over the table, as any SQLite reader sees them; returns false if an error ended it.
    ///
    /// A row with a number that is already taken gets a new one.
    private mutating func copyRowsInOrder(descending: Bool = false) throws(SQLiteError) -> Bool {
        let arrivals = try Arrivals(target)
        let order = descending ? " ORDER BY rowid DESC" : ""
        let query = "SELECT rowid, topic_id, timestamp, data FROM messages NOT INDEXED" + order
        guard let rows = try? source.prepare(query) else { return false }
        do throws(SQLiteError) {
            while repeatsLeft > 0, try rows.step() {
                // A cell overwritten with zeros reads as a row without values.
                guard rows.isInteger(at: 1) || rows.isInteger(at: 2) else {
                    repeatsLeft -= 1
                    continue
                }
                if try !meet(Arrival(rows), rows.bytes(at: 3), arrivals) { doubledCount += 1 }
            }
            return repeatsLeft > 0
        } catch {
            guard error.path == source.path else { throw error }
            return false
        }
    }

    /// Copies the rows of leaf pages that no walk over the tree has found.
    private mutating func copyRowsOfLeaves(_ path: FilePath) throws(SQLiteError) {
        guard var leaves = try? SQLiteLeafRows(path) else { return }
        defer { leaves.close() }
        let arrivals = try Arrivals(target)
        try leaves.forEach { row throws(SQLiteError) in
            guard repeatsLeft > 0, let message = row.message, arrivals.topics.contains(message.arrival.topic) else {
                return
            }
            let result = message.bytes.withUnsafeBytes { bytes in
                Result { () throws(SQLiteError) in try meet(message.arrival, bytes, arrivals) }
            }
            _ = try result.get()
        }
    }

    /// Saves a row unless it is already saved; a row with a number that is taken gets a new one.
    ///
    /// - Returns: False if it is already saved.
    private mutating func meet(
        _ row: Arrival,
        _ bytes: UnsafeRawBufferPointer,
        _ arrivals: Arrivals
    ) throws(SQLiteError) -> Bool {
        let saved = arrivals.saved
        saved.reset()
        try saved.bind(row.number, at: 1)
        guard try saved.step() else {
            try take(row, bytes, arrivals.topics, arrivals.insert)
            return true
        }
        let isAlike = saved.integer(at: 0) == row.topic && (saved.integer(at: 1) == row.time || row.time == nil)
        if isAlike || renumbered.contains(row) {
            repeatsLeft -= 1
            return false
        }
        renumbered.insert(row)
        try take(row, bytes, arrivals.topics, arrivals.insertAnew)
        return true
    }

    /// Compares what was saved with the index of times, which has every row once, or else with the numbers of the rows.
    ///
    /// - Parameters:
    ///   - isWhole: Whether the walk over the table came to its end.
    ///   - indexed: The rows of the index; nil if it cannot be read.
    private mutating func countLost(isWhole: Bool, _ indexed: Int?) throws(SQLiteError) {
        let known = messageCount + brokenCount + strayCount
        if let count = indexed {
            lostCount = max(0, count - known)
        } else if isWhole, doubledCount > 0 {
            let span = try target.integer("SELECT max(id) - min(id) + 1 FROM messages") ?? 0
            let gaps = max(0, min(Int(clamping: span), Self.mostRepeats(sourceBytes)) - known)
            lostCount = max(gaps, doubledCount)
        }
    }

    /// The rows of the index of times; nil where there is none that can be read.
    private func indexedCount() -> Int? {
        guard let list = try? source.prepare("SELECT name FROM pragma_index_list('messages') WHERE partial = 0"),
            (try? list.step()) == true,
            let rows = try? source.prepare("SELECT rowid FROM messages INDEXED BY \(sqlQuoted(list.text(at: 0)))")
        else { return nil }
        var count = 0
        do throws(SQLiteError) {
            while count < sourceBytes, try rows.step() { count += 1 }
        } catch {
            return nil
        }
        return count < sourceBytes ? count : nil
    }

    private mutating func copyRowsByNumber() throws(SQLiteError) {
        // A page with a bad cell is skipped as a whole: the walk in order has already saved its rows.
        try source.execute("PRAGMA cell_size_check=ON")
        let search = SQLiteRowSearch(source: source)
        let insert = try target.prepare(Self.insertion)
        let isSaved = try target.prepare("SELECT 1 FROM messages WHERE id = ?1")
        let known = try Self.numbers(of: target)
        greatest = messageCount > 0 ? try target.integer("SELECT max(id) FROM messages") : nil
        // Rows that were not saved will be found again.
        (brokenCount, strayCount, repeatsLeft) = (0, 0, Self.mostRepeats(sourceBytes))
        var next = Int64.min
        while repeatsLeft > 0, let first = search.firstReadable(from: next) {
            guard
                let rows = try? source.prepare(
                    "SELECT rowid, topic_id, timestamp, data FROM messages WHERE rowid >= ?1"
                )
            else { return }
            try rows.bind(first, at: 1)
            var last: Int64?
            do throws(SQLiteError) {
                while repeatsLeft > 0, try rows.step() {
                    let number = rows.integer(at: 0)
                    last = number
                    if let greatest, number <= greatest {
                        if try isRepeated(number, isSaved) { continue }
                    } else {
                        greatest = number
                    }
                    try take(Arrival(rows), rows.bytes(at: 3), known, insert)
                }
                return
            } catch {
                guard error.path == source.path else { throw error }
            }
            // The row that failed is the next one, or the first one if none was read.
            let start = last.map { $0 < .max ? max($0 + 1, next &+ 1) : .max } ?? first
            guard start < .max else { return }
            let failed = search.firstNumber(from: start)
            if failed != nil { brokenCount += 1 }
            guard max(failed ?? start, start) < .max else { return }
            next = max(failed ?? start, start) + 1
        }
    }

    /// True if the row is already saved, because of circular pages; only a limited number of these is skipped.
    private mutating func isRepeated(_ number: Int64, _ isSaved: SQLiteStatement) throws(SQLiteError) -> Bool {
        isSaved.reset()
        try isSaved.bind(number, at: 1)
        guard try isSaved.step() else { return false }
        repeatsLeft -= 1
        return true
    }

    private mutating func take(
        _ row: Arrival,
        _ bytes: UnsafeRawBufferPointer,
        _ known: Set<Int64>,
        _ insert: SQLiteStatement
    ) throws(SQLiteError) {
        guard known.contains(row.topic) else {
            strayCount += 1
            return
        }
        // In a sound file no overflow page belongs to two rows.
        guard bytes.count <= sourceBytes - savedBytes else {
            brokenCount += 1
            return
        }
        if row.time == nil { timelessCount += 1 }
        let time = row.time ?? times.stamp(topic: row.topic, bytes) ?? lastTime
        try insert.bind(row.number, at: 1)
        try insert.bind(row.topic, at: 2)
        try insert.bind(time, at: 3)
        try insert.bindWithoutCopy(bytes, at: 4)
        try insert.run()
        messageCount += 1
        savedBytes += bytes.count
        lastTime = time
    }
}
