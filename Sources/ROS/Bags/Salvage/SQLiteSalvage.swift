package import Containers
package import Files
package import SystemPackage

/// Saves the rows of a damaged .db3 file one by one into a new one.
///
/// The rows are read in the order of the pages as far as that goes, then sought by number. What lies below inner pages
/// that are damaged is read from the leaves. So a damaged page costs what is in it. Pages that lead in circles are
/// followed only as often as the file may have rows; each row is saved once, and no more bytes than the file has.
package struct SQLiteSalvage {
    package private(set) var messageCount = 0
    /// Rows that are there and whose content is not.
    package private(set) var brokenCount = 0
    /// Rows whose topic is not known.
    package private(set) var strayCount = 0
    /// Topics of which more than name, type and serialization could not be read.
    package private(set) var partialTopicCount = 0
    /// Rows whose timestamp was no time.
    package private(set) var timelessCount = 0
    /// How much shorter the file is than it says.
    package private(set) var missingBytes = 0
    private let source: SQLiteDatabase
    private let target: SQLiteDatabase
    private let sourceBytes: Int
    private var savedBytes = 0
    private var times = RowTimes([:])
    private var lastTime: Int64 = 0
    /// The greatest number that was met.
    private var greatest: Int64?
    /// How many rows may still be met again.
    private var repeatsLeft: Int
    private var renumbered: Set<Arrival> = []

    /// Saves what can be read.
    ///
    /// - Parameter topics: What other files of the bag say of topics by number, where the file's own table is lost.
    package static func salvage(
        _ path: FilePath,
        to target: FilePath,
        topics: [Int64: BagTopic]
    ) throws(SQLiteError) -> SQLiteSalvage {
        var salvage = try SQLiteSalvage(path, target)
        salvage.partialTopicCount =
            try SQLiteTableSalvage(source: salvage.source, target: salvage.target, mostRows: salvage.repeatsLeft)
            .copy(topics)
        salvage.times = RowTimes(TopicsByNumber.byNumber((try? storedTopics(salvage.target)) ?? []))
        // What lies behind an error in one direction may be reached in the other.
        if try !salvage.copyRowsInOrder() {
            _ = try salvage.copyRowsInOrder(descending: true)
            try salvage.copyRowsByNumber()
            try salvage.copyRowsOfLeaves(path)
        }
        try salvage.target.execute(BagTable.timeIndex)
        try salvage.target.execute("COMMIT")
        try salvage.target.close()
        return salvage
    }

    private init(_ path: FilePath, _ target: FilePath) throws(SQLiteError) {
        sourceBytes = fileBytes(path)
        repeatsLeft = Self.mostRepeats(sourceBytes)
        source = try SQLiteDatabase(opening: path, access: .immutable)
        // Without this SQLite reads nothing of a file that has fewer pages than it says.
        try source.execute("PRAGMA writable_schema=ON")
        try source.execute("PRAGMA trusted_schema=OFF")
        self.target = try SQLiteDatabase(opening: target, access: .readWrite)
        let pageBytes = (try? source.integer("PRAGMA page_size")).flatMap { $0 } ?? 4096
        missingBytes = max(0, Int(Self.statedPages(path)) * Int(pageBytes) - fileBytes(path))
        try self.target.execute("PRAGMA page_size=\(pageBytes)")
        try self.target.execute("PRAGMA journal_mode=OFF")
        try self.target.execute("PRAGMA synchronous=OFF")
        try self.target.execute("BEGIN")
    }

    /// A row takes more than 16 bytes.
    private static func mostRepeats(_ sourceBytes: Int) -> Int { sourceBytes / 16 + 10_000 }

    /// How many bytes are there of a page that is cut; 0 for a file of whole pages.
    ///
    /// SQLite fills such a page with zeros and takes them for content: it has to go before a salvage.
    package static func cutPageBytes(_ path: FilePath) throws(FileError) -> Int64 {
        let pageBytes = pageBytes(try RegularFile.head(of: path, byteCount: 18))
        return pageBytes >= 512 ? Int64(fileBytes(path) % pageBytes) : 0
    }

    /// The size of a page by bytes 16 and 17 of the header, where 65,536 is stored as 1; 0 without them.
    static func pageBytes(_ head: [UInt8]) -> Int {
        guard head.count >= 18 else { return 0 }
        let stored = Int(head[16]) << 8 | Int(head[17])
        return stored == 1 ? 65_536 : stored
    }

    /// The size of the database in pages by its header, bytes 28 to 31 (SQLite file format, 1.3.7).
    private static func statedPages(_ path: FilePath) -> UInt32 {
        guard let head = try? RegularFile.head(of: path, byteCount: 32), head.count == 32 else { return 0 }
        return head[28...].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Copies what one walk over the pages gives, as any reader of SQLite sees it; false where an error ended it.
    ///
    /// A row whose number is that of another one is saved with a new number.
    private mutating func copyRowsInOrder(descending: Bool = false) throws(SQLiteError) -> Bool {
        let arrivals = try Arrivals(target)
        let order = descending ? " ORDER BY id DESC" : ""
        let query = "SELECT id, topic_id, timestamp, data FROM messages NOT INDEXED" + order
        guard let rows = try? source.prepare(query) else { return false }
        do throws(SQLiteError) {
            while repeatsLeft > 0, try rows.step() {
                // A cell that was overwritten with zeros reads as a row without values.
                guard rows.isInteger(at: 1) || rows.isInteger(at: 2) else {
                    repeatsLeft -= 1
                    continue
                }
                try meet(Arrival(rows), rows.bytes(at: 3), arrivals)
            }
            return repeatsLeft > 0
        } catch {
            guard error.path == source.path else { throw error }
            return false
        }
    }

    /// Copies what the leaves have and no walk over the tree has met.
    private mutating func copyRowsOfLeaves(_ path: FilePath) throws(SQLiteError) {
        guard var leaves = try? SQLiteLeafRows(path) else { return }
        defer { leaves.close() }
        let arrivals = try Arrivals(target)
        try leaves.forEach { row throws(SQLiteError) in
            guard repeatsLeft > 0, arrivals.topics.contains(row.topic) else { return }
            let arrival = Arrival(number: row.number, topic: row.topic, time: row.time)
            let result = row.bytes.withUnsafeBytes { bytes in
                Result { () throws(SQLiteError) in try meet(arrival, bytes, arrivals) }
            }
            try result.get()
        }
    }

    /// Saves a row unless it is there; one with the number of another one gets a new number.
    private mutating func meet(
        _ row: Arrival,
        _ bytes: UnsafeRawBufferPointer,
        _ arrivals: Arrivals
    ) throws(SQLiteError) {
        let saved = arrivals.saved
        saved.reset()
        try saved.bind(row.number, at: 1)
        guard try saved.step() else { return try take(row, bytes, arrivals.topics, arrivals.insert) }
        let isAlike = saved.integer(at: 0) == row.topic && (saved.integer(at: 1) == row.time || row.time == nil)
        if isAlike || renumbered.contains(row) {
            repeatsLeft -= 1
        } else {
            renumbered.insert(row)
            try take(row, bytes, arrivals.topics, arrivals.insertAnew)
        }
    }

    private mutating func copyRowsByNumber() throws(SQLiteError) {
        // A page with a bad cell is passed over as a whole: the walk in order has given what it holds.
        try source.execute("PRAGMA cell_size_check=ON")
        let search = SQLiteRowSearch(source: source)
        let insert = try target.prepare(Self.insertion)
        let isSaved = try target.prepare("SELECT 1 FROM messages WHERE id = ?1")
        let known = try Self.numbers(of: target)
        greatest = messageCount > 0 ? try target.integer("SELECT max(id) FROM messages") : nil
        // What was not saved is met again.
        (brokenCount, strayCount, repeatsLeft) = (0, 0, Self.mostRepeats(sourceBytes))
        var next = Int64.min
        while repeatsLeft > 0, let first = search.firstReadable(from: next) {
            guard let rows = try? source.prepare("SELECT id, topic_id, timestamp, data FROM messages WHERE id >= ?1")
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
            // The row that failed is the next one; or the first one, if none was read.
            let start = last.map { $0 < .max ? max($0 + 1, next &+ 1) : .max } ?? first
            guard start < .max else { return }
            let failed = search.firstNumber(from: start)
            if failed != nil { brokenCount += 1 }
            guard max(failed ?? start, start) < .max else { return }
            next = max(failed ?? start, start) + 1
        }
    }

    /// Whether pages led back to a row that is saved already; of these only a limited number is passed.
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
        // In a sound file no page belongs to two rows.
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
