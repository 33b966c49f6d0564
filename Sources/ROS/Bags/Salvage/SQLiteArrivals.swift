import Platform

extension SQLiteSalvage {
    /// The statements for saving rows that may already be in the target.
    struct Arrivals {
        let insert: SQLiteStatement
        /// If the first parameter is NULL, SQLite assigns the number.
        let insertAnew: SQLiteStatement
        let saved: SQLiteStatement
        let topics: Set<Int64>

        init(_ target: SQLiteDatabase) throws(SQLiteError) {
            insert = try target.prepare(SQLiteSalvage.insertion)
            insertAnew = try target.prepare("INSERT INTO messages(topic_id, timestamp, data) VALUES (?2, ?3, ?4)")
            saved = try target.prepare("SELECT topic_id, timestamp FROM messages WHERE id = ?1")
            topics = try SQLiteSalvage.numbers(of: target)
        }
    }

    /// The head of a row.
    struct Arrival: Hashable {
        var number: Int64
        var topic: Int64
        /// Nil if the value is not a time.
        var time: Int64?

        init(number: Int64, topic: Int64, time: Int64?) {
            (self.number, self.topic, self.time) = (number, topic, time)
        }

        /// Reads the head from a statement with the columns number, topic, time and message.
        init(_ rows: SQLiteStatement) {
            self.init(number: rows.integer(at: 0), topic: rows.integer(at: 1), time: rows.time(at: 2))
        }
    }

    static let insertion = "INSERT INTO messages(id, topic_id, timestamp, data) VALUES (?1, ?2, ?3, ?4)"

    /// The topic numbers in the target.
    static func numbers(of database: SQLiteDatabase) throws(SQLiteError) -> Set<Int64> {
        let statement = try database.prepare("SELECT id FROM topics")
        var numbers: Set<Int64> = []
        while try statement.step() { numbers.insert(statement.integer(at: 0)) }
        return numbers
    }
}
