import Bags
import SystemPackage
import TestSupport

/// All rows of a bag, as Python's sqlite3 and the mcap package read them, or as this program does.
enum RowJudge {
    /// A row by topic, type, time, size, and the sum of all its bytes.
    struct Row: Codable, Equatable {
        var topic: String
        var type: String
        var time: Int64
        var size: Int
        var sum: Int
    }

    /// Merges the files by time as a player should, ties by file and row.
    static func expected(_ bag: FilePath) throws -> [Row] {
        try PeerPython.json(script, [bag.string])
    }

    static func found(_ reader: BagReader, _ query: BagQuery = BagQuery()) throws -> [Row] {
        let cursor = try reader.rows(query)
        var rows: [Row] = []
        while let row = try cursor.next() {
            let topic = reader.topics[row.topic]
            rows.append(
                Row(
                    topic: topic.name,
                    type: topic.typeName,
                    time: row.timeNanoseconds,
                    size: row.bytes.count,
                    sum: row.bytes.reduce(0) { $0 + Int($1) }
                )
            )
        }
        return rows
    }

    private static let script = """
        import glob, json, os, sqlite3, sys, tempfile, yaml, zstandard
        from mcap.reader import make_reader
        path, files, meta = sys.argv[1], [sys.argv[1]], {}
        def number(name):
            stem = os.path.basename(name).split(".")[0].rpartition("_")[2]
            return int(stem) if stem.isdigit() else 1 << 60
        if os.path.isdir(path):
            names = [n for n in os.listdir(path) if n.endswith((".db3", ".mcap", ".db3.zstd"))]
            files = sorted((os.path.join(path, n) for n in names), key=number)
        if os.path.exists(path + "/metadata.yaml"):
            meta = yaml.safe_load(open(path + "/metadata.yaml"))["rosbag2_bagfile_information"]
            if meta["relative_file_paths"]:
                files = [os.path.join(path, os.path.basename(f)) for f in meta["relative_file_paths"]]
        rows = []
        for file in files:
            if file.endswith(".mcap"):
                rows += [(c.topic, s.name, m.log_time, m.data)
                    for s, c, m in make_reader(open(file, "rb")).iter_messages()]
                continue
            if file.endswith(".zstd"):
                content = zstandard.ZstdDecompressor().stream_reader(open(file, "rb")).read()
                unpacked = tempfile.NamedTemporaryFile(suffix=".db3")
                unpacked.write(content)
                unpacked.flush()
                file = unpacked.name
            connection = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
            found = connection.execute("SELECT name, type, timestamp, data FROM messages "
                "JOIN topics ON topics.id = topic_id ORDER BY timestamp, messages.id").fetchall()
            if (meta.get("compression_mode") or "").lower() == "message":
                found = [(n, t, s, zstandard.ZstdDecompressor().decompress(d)) for n, t, s, d in found]
            rows += found
        rows.sort(key=lambda row: row[2])
        print(json.dumps([dict(topic=n, type=t, time=s, size=len(d), sum=sum(d)) for n, t, s, d in rows]))
        """
}
