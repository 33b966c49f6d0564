package import SystemPackage

/// Bags in forms that this program does not write, made by Python.
package struct HandmadeBags {
    package let directory: TemporaryDirectory
    package var bag: FilePath { directory.appending("bag") }

    package init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a script with helpers in scope: `bag` (a directory that is there), `chunk`, `text`, `metadata`.
    @discardableResult
    package func make(_ script: String, _ arguments: [String] = []) throws -> String {
        try PeerPython.output(of: Self.helpers + "\n" + script, [bag.string] + arguments)
    }

    /// Writes chunks of std_msgs/String rows `(time, text)` in the tables of any schema version.
    private static let helpers = """
        import os, signal, sqlite3, struct, sys, json
        bag = sys.argv[1]
        os.makedirs(bag, exist_ok=True)
        def text(value):
            data = value.encode() + b"\\0"
            return b"\\0\\1\\0\\0" + struct.pack("<I", len(data)) + data
        def tables(connection, schema):
            qos = ", offered_qos_profiles TEXT NOT NULL" if schema > 1 else ""
            hashes = ", type_description_hash TEXT NOT NULL" if schema > 3 else ""
            if schema > 2:
                connection.execute("CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL)")
                connection.execute("INSERT INTO schema VALUES (?, 'x')", (schema,))
                connection.execute("CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, "
                    "metadata TEXT NOT NULL)")
            connection.execute("CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL, "
                f"serialization_format TEXT NOT NULL{qos}{hashes})")
            if schema > 3:
                connection.execute("CREATE TABLE message_definitions(id INTEGER PRIMARY KEY, topic_type TEXT NOT NULL, "
                    "encoding TEXT NOT NULL, encoded_message_definition TEXT NOT NULL, "
                    "type_description_hash TEXT NOT NULL)")
            connection.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, "
                "timestamp INTEGER NOT NULL, data BLOB NOT NULL)")
            connection.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
        def topic(connection, schema, number, name, type="std_msgs/msg/String", format="cdr", qos=""):
            row = [number, name, type, format] + [qos] * (schema > 1) + ["RIHS01_0"] * (schema > 3)
            connection.execute(f"INSERT INTO topics VALUES ({','.join('?' * len(row))})", row)
            if schema > 3:
                connection.execute("INSERT INTO message_definitions(topic_type, encoding, "
                    "encoded_message_definition, type_description_hash) VALUES (?, 'ros2msg', 'string data', 'RIHS01_0')",
                    (type,))
        def chunk(name, rows, schema=3, format="cdr", encode=text, topics=("/note",)):
            connection = sqlite3.connect(os.path.join(bag, name))
            tables(connection, schema)
            for index, one in enumerate(topics): topic(connection, schema, index + 1, one, format=format)
            connection.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)",
                [(1 + index % len(topics), time, encode(value)) for index, (time, value) in enumerate(rows)])
            connection.commit()
            connection.close()
        def metadata(names, version=5, storage="sqlite3", count=0, topics=(), extra=""):
            lines = ["rosbag2_bagfile_information:", f"  version: {version}", f"  storage_identifier: {storage}",
                "  duration:", "    nanoseconds: 0", "  starting_time:", "    nanoseconds_since_epoch: 0",
                f"  message_count: {count}", "  topics_with_message_count:" + ("" if topics else " []")]
            for name, number in topics:
                lines += ["    - topic_metadata:", f"        name: {name}", "        type: std_msgs/msg/String",
                    "        serialization_format: cdr", "        offered_qos_profiles: 'from metadata'",
                    f"      message_count: {number}"]
            lines += ["  compression_format: ''", "  compression_mode: ''", "  relative_file_paths:"]
            lines += [f"    - {name}" for name in names] or ["    []"]
            open(os.path.join(bag, "metadata.yaml"), "w").write("\\n".join(lines) + "\\n" + extra)
        """
}

extension HandmadeBags {
    /// 20 rows in the file, 10 more only in the log of a writer that was killed.
    package func makeInWriteAheadLog() throws {
        try make(
            """
            chunk("bag_0.db3", [(k, "x") for k in range(20)])
            metadata(["bag_0.db3"])
            if os.fork() == 0:
                connection = sqlite3.connect(bag + "/bag_0.db3")
                connection.execute("PRAGMA journal_mode=WAL")
                connection.execute("PRAGMA wal_autocheckpoint=0")
                connection.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?, ?)",
                    [(k, text("y" * 3000)) for k in range(20, 30)])
                connection.commit()
                os.kill(os.getpid(), signal.SIGKILL)
            os.wait()
            assert os.path.getsize(bag + "/bag_0.db3-wal") > 0
            """
        )
    }

    /// 20 rows in the file, and a transaction of 200 large ones that a killed writer had half written over it.
    package func makeWithHotJournal() throws {
        try make(
            """
            chunk("bag_0.db3", [(k, "x") for k in range(20)])
            metadata(["bag_0.db3"])
            before = os.path.getsize(bag + "/bag_0.db3")
            if os.fork() == 0:
                connection = sqlite3.connect(bag + "/bag_0.db3", isolation_level=None)
                connection.execute("PRAGMA cache_size=1")
                connection.execute("BEGIN")
                connection.execute("UPDATE messages SET timestamp = timestamp + 1000")
                connection.executemany("INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?, ?)",
                    [(k, text("y" * 3000)) for k in range(20, 220)])
                os.kill(os.getpid(), signal.SIGKILL)
            os.wait()
            assert os.path.getsize(bag + "/bag_0.db3-journal") > 0
            assert os.path.getsize(bag + "/bag_0.db3") > before
            """
        )
    }
}
