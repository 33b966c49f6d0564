import BagTools

/// .db3 files that are damaged, or not as rosbag2 has them.
enum DatabaseBreakages {
    static let all: [Breakage] = [
        sql("no index", "DROP INDEX timestamp_idx", [.databaseIndex], isError: false),
        sql("no table metadata", "DROP TABLE metadata", [.databaseSchema], isError: false),
        sql("no table message_definitions", "DROP TABLE message_definitions", [.databaseSchema], isError: false),
        sql("no table messages", "DROP TABLE messages", [.databaseTables], peer: false),
        sql("no table topics", "DROP TABLE topics", [.databaseTables], peer: false),
        sql("a column's name", "ALTER TABLE messages RENAME COLUMN data TO blob", [.databaseColumns], peer: false),
        sql("schema 9", "UPDATE schema SET schema_version = 9", [.databaseSchema], isError: false, peer: false),
        sql(
            "no hashes in schema 4",
            "ALTER TABLE topics DROP COLUMN type_description_hash",
            [.databaseSchema],
            isError: false
        ),
        sql("orphan rows", "UPDATE messages SET topic_id = 99 WHERE id = 3", [.databaseOrphans]),
        sql(
            "a topic twice",
            """
            INSERT INTO topics SELECT 77, name, type, serialization_format, offered_qos_profiles, type_description_hash
            FROM topics WHERE name = '/note'
            """,
            [.topicDuplicate]
        ),
        sql(
            "a topic's name that is no UTF-8",
            "UPDATE topics SET name = CAST(x'2FEF6F7465' AS TEXT) WHERE name = '/note'",
            [.topicName],
            peer: false
        ),
        sql(
            "another type in one file",
            "UPDATE topics SET type = 'std_msgs/msg/Header' WHERE name = '/note'",
            [.topicTwoTypes]
        ),
        sql(
            "mixed formats",
            "UPDATE topics SET serialization_format = 'rosbridge_json' WHERE name = '/note'",
            [.bagMixedFormats]
        ),
        sql("an unknown format", "UPDATE topics SET serialization_format = 'xcdr9'", [.bagMixedFormats]),
        sql("a missing row", "DELETE FROM messages WHERE id = 5", [.metadataCount]),
        sql(
            "a row twice",
            "INSERT INTO messages SELECT 9999, topic_id, timestamp, data FROM messages WHERE id = 5",
            [.metadataCount]
        ),
        sql(
            "a wrong hash",
            "UPDATE topics SET type_description_hash = 'RIHS01_' || substr(type_description_hash, 9) || '0'",
            [.definitionHash]
        ),
        sql(
            "a definition that does not parse",
            "UPDATE message_definitions SET encoded_message_definition = 'float99 x' WHERE topic_type LIKE '%String'",
            [.definitionUnparsable]
        ),
        sql(
            "a definition of other fields",
            "UPDATE message_definitions SET encoded_message_definition = 'string text' WHERE topic_type LIKE '%String'",
            [.definitionDiffers, .definitionHash]
        ),
        sql(
            "a missing definition",
            "DELETE FROM message_definitions WHERE topic_type LIKE '%String'",
            [.definitionMissing],
            isError: false
        ),
        sql(
            "broken YAML in the table metadata",
            "UPDATE metadata SET metadata = '{{'",
            [.databaseMetadataTable],
            isError: false,
            peer: false
        ),
        sql(
            "an overlapping chunk",
            "UPDATE messages SET timestamp = timestamp - 2000000000 WHERE id < 4",
            [.bagChunkOverlap],
            isError: false,
            file: 1
        ),
        code("a page of zeros", "patch(dbs[0], 3 * 4096, bytes(4096))", [.databaseIntegrity, .databaseUnreadable]),
        code(
            "a page of the index of zeros",
            """
            c = sqlite3.connect(dbs[0])
            page = c.execute("SELECT rootpage FROM sqlite_master WHERE name = 'timestamp_idx'").fetchone()[0]
            c.close(); patch(dbs[0], (page - 1) * 4096, bytes(64))
            """,
            [.databaseIntegrity, .databaseUnreadable]
        ),
        code(
            "half a file",
            "b = read(dbs[0]); write(dbs[0], b[:len(b) // 2])",
            [.databaseIntegrity, .databaseUnreadable]
        ),
        code("no database at all", "write(dbs[0], b'This is no database. ' * 500)", [.bagForeignFile]),
        code("an empty file", "write(dbs[0], b'')", [.bagForeignFile], peer: false),
        code("a log left behind", "write(dbs[0] + '-wal', b'x' * 100)", [.databaseJournal]),
        code("a journal left behind", "write(dbs[0] + '-journal', b'\\0' * 512)", [.databaseJournal]),
        code(
            "a table metadata that counts otherwise",
            """
            c = sqlite3.connect(dbs[0])
            c.execute("DELETE FROM messages"); c.commit(); c.close()
            """,
            [.metadataCount]
        ),
    ]

    private static func sql(
        _ name: String,
        _ statement: String,
        _ kinds: [BagFindingKind],
        isError: Bool = true,
        peer: Bool = true,
        file: Int = 0
    ) -> Breakage {
        Breakage(
            name: "db3: \(name)",
            base: .cdr,
            code: "run(dbs[\(file)], \"\"\"\(statement)\"\"\")",
            kinds: kinds,
            isError: isError,
            isFoundByPeer: peer
        )
    }

    private static func code(
        _ name: String,
        _ code: String,
        _ kinds: [BagFindingKind],
        peer: Bool = true
    ) -> Breakage {
        Breakage(name: "db3: \(name)", base: .cdr, code: code, kinds: kinds, isFoundByPeer: peer)
    }
}
