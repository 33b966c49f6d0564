import Bags
import Glibc
import Platform
import SystemPackage

/// Checks one .db3 file: what lies beside it, its tables, and each of its rows.
struct SQLiteFileCheck {
    let name: String
    /// The database itself; a temporary file where the one in the bag is compressed.
    let path: FilePath
    let messages: StoredMessages
    let context: CheckContext
    let registry: CheckedTopics
    let pipeline: MessagePipeline
    /// True if the file loses its name once it is open.
    let isTemporary: Bool

    /// - Returns: what the table `metadata` claims, if it has a row.
    func run() -> RawMetadata? {
        do {
            let connection = try SQLiteConnection(opening: path, tolerating: .unfinishedFiles)
            if isTemporary { unlink(path.string) }
            if context.options.checksIntegrity { try checkIntegrity(connection.database) }
            let structure = try SQLiteStructure(connection.database, name, context)
            let claims = try metadataTable(connection.database, structure)
            guard structure.hasRows else { return claims }
            let topics = try SQLiteTopics.declare(connection.database, structure, name, registry, context)
            try walk(connection.database, topics)
            return claims
        } catch let error as BagError {
            fail("\(error)")
        } catch let error as SQLiteError {
            fail("\(error.message) (\(error.code))")
        } catch {
            fail("\(error)")
        }
        return nil
    }

    private func fail(_ found: String) {
        context.at(file: name).add(.error, .databaseUnreadable, "an SQLite database that can be read", found)
    }

    private func checkIntegrity(_ database: SQLiteDatabase) throws(SQLiteError) {
        for line in try database.texts("PRAGMA integrity_check(\(BagFinding.keptPlaces))") where line != "ok" {
            context.at(file: name).add(.error, .databaseIntegrity, "\"ok\" of PRAGMA integrity_check", line)
        }
    }

    /// The last row counts; Jazzy parses every one.
    private func metadataTable(
        _ database: SQLiteDatabase,
        _ structure: SQLiteStructure
    ) throws(SQLiteError) -> RawMetadata? {
        guard structure.has("metadata", ["id", "metadata"]) else { return nil }
        var claims: RawMetadata?
        for text in try database.texts("SELECT metadata FROM metadata ORDER BY id") {
            guard let node = try? MetadataNode.parse(text), node.isMap else {
                let expected = "a YAML map in the table metadata, without which Jazzy refuses the file"
                context.at(file: name).add(.warning, .databaseMetadataTable, expected, "\"\(text.prefix(40))\"")
                continue
            }
            claims = RawMetadata(node)
        }
        if let claims { context.noteProvenance(claims.customData) }
        return claims
    }

    /// Every row of the table in the order of the numbers, which is that of the file; no index decides what is there.
    private func walk(_ database: SQLiteDatabase, _ topics: [Int64: CheckedTopic]) throws(SQLiteError) {
        let statement = try database.prepare(
            "SELECT id, topic_id, timestamp, data FROM messages NOT INDEXED ORDER BY id"
        )
        var last: Int64?
        while try statement.step() {
            let row = statement.integer(at: 0)
            let time = statement.integer(at: 2)
            var spot = Spot(file: name, position: .row(row), timeNanoseconds: time)
            if let last, row <= last {
                // Pages that lead back would be walked without end.
                return add(.databaseIntegrity, spot, "row numbers that rise, after \(last)", "\(row)")
            }
            last = row
            guard let topic = topics[statement.integer(at: 1)], statement.isInteger(at: 1) else {
                let found = statement.isInteger(at: 1) ? "\(statement.integer(at: 1))" : "no number"
                add(.databaseOrphans, spot, "a topic_id of the table topics", found)
                continue
            }
            let bytes = statement.bytes(at: 3)
            guard statement.isInteger(at: 2) else {
                spot.timeNanoseconds = nil
                add(.databaseRows, spot, "an integer as timestamp", "\"\(statement.text(at: 2).prefix(40))\"")
                pipeline.countUntimed(topic, bytes.count)
                continue
            }
            guard time >= 0 else {
                add(.databaseRows, spot, "a timestamp from 1970 on", "\(time) ns")
                pipeline.countUntimed(topic, bytes.count)
                continue
            }
            if statement.isNull(at: 3) { add(.databaseRows, spot, "a blob as data", "NULL") }
            messages.examine(topic, spot, time, bytes)
        }
    }

    private func add(_ kind: BagFindingKind, _ spot: Spot, _ expected: String, _ found: String) {
        context.at(spot).add(.error, kind, expected, found)
    }
}
