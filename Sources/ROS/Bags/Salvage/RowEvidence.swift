import Messages
import Platform
import SystemPackage

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

/// Finds times for rows with invalid timestamps: those in the headers of their messages.
package struct RowTimes {
    private let topics: [Int64: BagTopic]
    /// The decoders by topic number; nil if the type is unknown.
    private var decoders: [Int64: RowDecoder?] = [:]

    /// - Parameter topics: The topics by the file's numbers.
    package init(_ topics: [Int64: BagTopic]) {
        self.topics = topics
    }

    /// The time in a message's header in nanoseconds; nil if there is none, or it cannot be read.
    package mutating func stamp(topic: Int64, _ bytes: UnsafeRawBufferPointer) -> Int64? {
        guard let known = topics[topic] else { return nil }
        let decoder = decoders[topic] ?? (try? RowDecoder(known))
        decoders[topic] = .some(decoder)
        var unknown = UnknownFields()
        let stamp = try? decoder?.decode(bytes, unknown: &unknown).message.headerStampNanoseconds
        return stamp.flatMap { $0 > 0 ? $0 : nil }
    }

    /// A description of what was done.
    package static func action(_ count: Int) -> String {
        "gave \(count) messages whose timestamp was no time since 1970 that of their header, or of the row before"
    }
}

/// The topics and types in the leaves of a .db3 file whose tables do not lead there.
struct SQLiteDescriptions {
    private(set) var topics: [Int64: BagTopic] = [:]
    /// Texts in the order of the columns, by number.
    private(set) var definitions: [Int64: [String]] = [:]

    /// Nil where no topic is found.
    init?(leavesOf path: FilePath) {
        guard var leaves = try? SQLiteLeafRows(path) else { return nil }
        defer { leaves.close() }
        leaves.forEach { row in
            if let topic = row.topic {
                topics[topic.number] = topics[topic.number] ?? topic.topic
            } else if let texts = row.definition {
                definitions[row.number] = definitions[row.number] ?? texts
            }
        }
        if topics.isEmpty { return nil }
    }

    /// The schema version, which the columns of the topics tell.
    var schemaVersion: Int {
        if topics.values.contains(where: { !$0.typeHash.isEmpty }) || !definitions.isEmpty { return 4 }
        return topics.values.contains { !$0.qosText.isEmpty } ? 3 : 2
    }
}
