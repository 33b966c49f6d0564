import Containers
import Glibc
import SystemPackage

/// Checks one .db3 file: what lies beside it, its tables, and each of its rows.
struct SQLiteFileCheck {
    let name: String
    /// The database itself; a temporary file where the one in the bag is compressed.
    let path: FilePath
    /// Whether each blob is compressed by itself; nil where nothing says so, and its first bytes tell.
    let hasCompressedBlobs: Bool?
    let context: CheckContext
    let registry: TopicRegistry
    let pipeline: MessagePipeline
    /// Whether the file loses its name once it is open.
    let isTemporary: Bool

    /// What a Zstandard frame begins with, and neither CDR nor JSON.
    private static let zstandardMagic: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD]

    /// - Returns: what the table `metadata` claims, if it has a row.
    func run() -> MetadataClaims? {
        do {
            let connection = try SQLiteFileConnection(path)
            if isTemporary { unlink(path.string) }
            if context.options.checksIntegrity { try checkIntegrity(connection.database) }
            let structure = try SQLiteStructure(connection.database, name, context)
            let claims = try metadataTable(connection.database, structure)
            guard structure.hasRows else { return claims }
            let topics = try SQLiteTopics.declare(connection.database, structure, name, registry, context)
            try walk(connection.database, topics)
            return claims
        } catch {
            context.findings.add(
                .error,
                .databaseUnreadable,
                at: Spot(file: name),
                expected: "an SQLite database that can be read",
                found: "\(error.message) (\(error.code))"
            )
            return nil
        }
    }

    private func checkIntegrity(_ database: SQLiteDatabase) throws(SQLiteError) {
        for line in try database.texts("PRAGMA integrity_check(\(BagFinding.keptPlaces))") where line != "ok" {
            context.findings.add(
                .error,
                .databaseIntegrity,
                at: Spot(file: name),
                expected: "\"ok\" of PRAGMA integrity_check",
                found: line
            )
        }
    }

    /// The last row counts; Jazzy parses every one.
    private func metadataTable(
        _ database: SQLiteDatabase,
        _ structure: SQLiteStructure
    ) throws(SQLiteError) -> MetadataClaims? {
        guard structure.has("metadata", ["id", "metadata"]) else { return nil }
        var claims: MetadataClaims?
        for text in try database.texts("SELECT metadata FROM metadata ORDER BY id") {
            guard let node = try? MetadataNode.parse(text), node.isMap else {
                context.findings.add(
                    .warning,
                    .databaseMetadataTable,
                    at: Spot(file: name),
                    expected: "a YAML map in the table metadata, without which Jazzy refuses the file",
                    found: "\"\(text.prefix(40))\""
                )
                continue
            }
            claims = MetadataClaims(node)
        }
        if let claims { context.noteProvenance(claims.customData) }
        return claims
    }

    /// Every row in the order of the numbers, which is that of the file.
    private func walk(_ database: SQLiteDatabase, _ topics: [Int64: CheckedTopic]) throws(SQLiteError) {
        let statement = try database.prepare("SELECT id, topic_id, timestamp, data FROM messages ORDER BY id")
        while try statement.step() {
            let row = statement.integer(at: 0)
            let time = statement.integer(at: 2)
            let spot = Spot(file: name, position: .row(row), timeNanoseconds: time)
            guard let topic = topics[statement.integer(at: 1)] else {
                context.findings.add(
                    .error,
                    .databaseOrphans,
                    at: spot,
                    expected: "a topic_id of the table topics",
                    found: "\(statement.integer(at: 1))"
                )
                continue
            }
            let bytes = statement.bytes(at: 3)
            if hasCompressedBlobs ?? bytes.starts(with: SQLiteFileCheck.zstandardMagic) {
                examine(compressed: bytes, topic, spot, time)
            } else {
                pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: bytes)
            }
        }
    }

    private func examine(compressed: UnsafeRawBufferPointer, _ topic: CheckedTopic, _ spot: Spot, _ time: Int64) {
        do throws(CompressionError) {
            let bytes = try Zstandard.decompress(compressed, limit: 1 << 30)
            bytes.withUnsafeBytes { pipeline.examine(topic, at: spot, timeNanoseconds: time, bytes: $0) }
        } catch {
            pipeline.count(topic, time, compressed.count)
            context.findings.add(
                .error,
                .compressionMessage,
                topic: topic.name,
                at: spot,
                expected: "a zstd frame",
                found: error.description
            )
        }
    }
}
