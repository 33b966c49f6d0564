import BagTools
import Bags
import Messages
import Platform
import SystemPackage

extension FuzzTarget {
    /// metadata.yaml of a bag: what is read and written again reads the same.
    static let bagMetadata = FuzzTarget(
        name: "bag-metadata",
        seeds: { metadataTexts.map { Array($0.utf8) } },
        dictionary: [
            "rosbag2_bagfile_information:", "version: ", "storage_identifier: ", "duration:", "nanoseconds: ",
            "starting_time:", "message_count: ", "topics_with_message_count:", "topic_metadata:", "name: ", "type: ",
            "offered_qos_profiles: ", "relative_file_paths:", "files:", "- ", "\n  ", "\n    ", "custom_data: ~", "&a ",
            "*a", "!!str ", "|\n", "{", "}", "[", "]", "compression_mode: FILE", "compression_format: zstd",
        ],
        run: { input in
            metadataFolder.write(input, to: "metadata.yaml")
            guard let metadata = try? BagMetadataFile.read(in: metadataFolder.path) else { return }
            _ = try? BagMetadataFile.hasObligatoryKeys(in: metadataFolder.path)
            let text = BagMetadataFile.text(metadata)
            metadataFolder.write(Array(text.utf8), to: "again/metadata.yaml")
            let again = try? BagMetadataFile.read(in: metadataFolder("again"))
            require(again.map { BagMetadataFile.text($0) } == text, "what was written does not read the same: \(text)")
        }
    )

    /// The text of offered_qos_profiles, as topics of ours take it and as rosbag2 gets it back.
    static let qosText = FuzzTarget(
        name: "qos-text",
        seeds: {
            [
                "- history: 1\n  depth: 5", "- history: keep_last\n  depth: 0\n  durability: transient_local", "[]",
                "- {}",
            ]
            .map { Array($0.utf8) } + [QoS.latched, .reliable(depth: 10)].map { Array($0.rosbag2Text.utf8) }
        },
        dictionary: [
            "history: ", "depth: ", "reliability: ", "durability: ", "deadline:", "lifespan: ", "sec: ", "nsec: ",
            "&a ",
            "*a", "18446744073709551615", "-1", "best_effort", "- ", "? ", "{", "}", "[", "]",
        ],
        run: { input in
            let qos = QoS(rosbag2Text: String(decoding: input, as: UTF8.self))
            require(qos.depth > 0, "a depth of \(qos.depth)")
            require(QoS(rosbag2Text: qos.rosbag2Text) == qos, "what was written does not read the same: \(qos)")
        }
    )

    /// A .db3 file of any bytes; one of an odd length is read with tolerance.
    static let sqlite = FuzzTarget(
        name: "sqlite",
        seeds: { [database, Array(database.prefix(2 * pageBytes))] },
        dictionary: ["SQLite format 3", "messages", "topics", "CREATE TABLE ", "INTEGER PRIMARY KEY"],
        // A database has to fit, or its end is never there.
        maximumBytes: 16_384,
        run: { readBag(Array($0), isTolerant: $0.count % 2 == 1) }
    )

    /// A sound .db3 file of which bytes in some pages are changed.
    static let sqlitePages = FuzzTarget(
        name: "sqlite-pages",
        seeds: { pageChanges.flatMap { [$0, $0 + [0]] } },
        maximumBytes: 64,
        run: { readBag(changed(by: $0), isTolerant: $0.count % 2 == 1) }
    )

    /// The same for the check, which is slower.
    static let sqliteCheck = FuzzTarget(
        name: "sqlite-check",
        seeds: { pageChanges },
        maximumBytes: 64,
        run: { input in
            bagFile.write(changed(by: input))
            _ = try? BagChecker.check(bagFile.path)
        }
    )

    /// The database after changes: eight bytes of input each, two for the page, two for the place in it, one for how many
    /// bytes change, and those.
    private static func changed(by input: UnsafeRawBufferPointer) -> [UInt8] {
        var bytes = database
        for start in stride(from: 0, to: input.count - 7, by: 8) {
            let change = UnsafeRawBufferPointer(rebasing: input[start..<start + 8])
            let page = (Int(change[0]) << 8 | Int(change[1])) % max(1, bytes.count / pageBytes)
            let place = (Int(change[2]) << 8 | Int(change[3])) % pageBytes
            for index in 0..<Int(change[4] % 4) where page * pageBytes + place + index < bytes.count {
                bytes[page * pageBytes + place + index] = change[5 + index]
            }
        }
        return bytes
    }

    /// The kind of a page, the number of its cells, the first of them, the page on the right; a pointer; the header.
    private static var pageChanges: [[UInt8]] {
        let changes: [[UInt8]] = [
            [0, 1, 0, 0, 1, 5], [0, 2, 0, 3, 2, 0, 1], [0, 3, 0, 8, 2, 1, 200], [0, 4, 0, 5, 2, 0, 0],
            [0, 0, 0, 16, 2, 2, 0], [0, 0, 0, 28, 3, 0, 0, 0], [0, 5, 1, 0, 3, 255, 255, 255],
        ]
        return changes.map { $0 + [UInt8](repeating: 0, count: 8 - $0.count) } + [[], changes.flatMap { $0 }]
    }

    private static let metadataFolder = FuzzFolder("metadata")
    private static let bagFolder = FuzzFolder("bag")
    private static let bagFile = FuzzFile("bag_0.db3", in: bagFolder)
    private static let pageBytes = 512
    private static let rowCount = 60
    private static let database = makeDatabase()

    private static func readBag(_ bytes: [UInt8], isTolerant: Bool) {
        bagFile.write(bytes)
        let tolerance = isTolerant ? BagTolerance.everything : []
        guard let reader = try? BagReader(opening: bagFile.path, tolerating: tolerance) else { return }
        _ = try? reader.summary(.rows)
        guard let cursor = try? reader.rows() else { return }
        var last = Int64.min
        while let row = try? cursor.next() {
            require(reader.topics.indices.contains(row.topic), "a row of no topic")
            require(row.timeNanoseconds >= last, "rows out of order")
            last = row.timeNanoseconds
        }
    }

    /// Pages of 512 bytes, so that every kind of page is there: inner ones of the table and of the index too.
    private static func makeDatabase() -> [UInt8] {
        do {
            let database = try SQLiteDatabase(opening: bagFolder("made.db3"), access: .readWrite)
            try database.execute("PRAGMA page_size = \(pageBytes)")
            try database.execute("PRAGMA journal_mode = OFF")
            try database.execute(
                """
                CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                    serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
                CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                    data BLOB NOT NULL);
                CREATE INDEX timestamp_idx ON messages (timestamp ASC);
                INSERT INTO topics VALUES (1, '/a', 'std_msgs/msg/String', 'cdr', '');
                INSERT INTO topics VALUES (2, '/b', 'std_msgs/msg/Empty', 'cdr', '');
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rowCount))
                    INSERT INTO messages SELECT i, 1 + i % 2, 1000 * i,
                    CASE i % 2 WHEN 0 THEN x'0001000002000000610000' ELSE x'00010000' || zeroblob(i % 7 * 40) END FROM n;
                """
            )
            try database.close()
        } catch {
            require(false, "no database: \(error)")
        }
        return bagFolder.read("made.db3")
    }

    private static let metadataTexts = [
        """
        rosbag2_bagfile_information:
          version: 9
          storage_identifier: mcap
          duration:
            nanoseconds: 5
          starting_time:
            nanoseconds_since_epoch: 1000
          message_count: 2
          topics_with_message_count:
            - topic_metadata:
                name: /a
                type: std_msgs/msg/String
                serialization_format: cdr
                offered_qos_profiles:
                  - history: keep_last
                    depth: 10
                    reliability: reliable
                    durability: volatile
                type_description_hash: RIHS01_0
              message_count: 2
          compression_format: ""
          compression_mode: ""
          relative_file_paths:
            - a_0.mcap
          files:
            - path: a_0.mcap
              starting_time:
                nanoseconds_since_epoch: 1000
              duration:
                nanoseconds: 5
              message_count: 2
          custom_data: {a: b}
          ros_distro: jazzy
        """,
        """
        rosbag2_bagfile_information:
          version: 4
          storage_identifier: sqlite3
          relative_file_paths:
            - a_0.db3
          duration: {nanoseconds: 0}
          starting_time: {nanoseconds_since_epoch: 0}
          message_count: 0
          topics_with_message_count:
            - topic_metadata: {name: /a, type: t, serialization_format: cdr, offered_qos_profiles: "- history: 1\\n"}
              message_count: 0
          compression_format: zstd
          compression_mode: FILE
        """,
    ]
}
