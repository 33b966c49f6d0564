import SystemPackage
import TestSupport
import Testing

/// check_bag.py: rosbag2's rules, SQLite's integrity check, every message decoded, counts and times against the rows.
enum Judge {
    static let script = "peers/check_bag.py"

    static var isAvailable: Bool { PeerPython.isAvailable && SharedData.has(script) }

    /// Fails the test unless the bag is sound for all distros and has these counts.
    static func check(
        _ bag: FilePath,
        counts: [String: Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var arguments = ["-B", SharedData.path(script).string, bag.string]
        for distribution in ["humble", "iron", "jazzy"] { arguments += ["--as", distribution] }
        for (topic, count) in counts.sorted(by: { $0.key < $1.key }) { arguments += ["--expect", "\(topic)=\(count)"] }
        let outcome = try PeerPython.run(arguments)
        #expect(outcome.status == 0, "\(outcome.everything)", sourceLocation: sourceLocation)
    }

    /// All rows of a bag by file as Python's sqlite3 reads them: file name, topic, time.
    struct Row: Codable, Equatable {
        var file: String
        var topic: String
        var time: Int64
    }

    static func rows(_ bag: FilePath) throws -> [Row] {
        try PeerPython.json(
            """
            import json, os, sqlite3, sys, yaml
            meta = yaml.safe_load(open(sys.argv[1] + "/metadata.yaml"))["rosbag2_bagfile_information"]
            rows = []
            for name in meta["relative_file_paths"]:
                connection = sqlite3.connect(f"file:{sys.argv[1]}/{name}?mode=ro&immutable=1", uri=True)
                rows += [dict(file=name, topic=t, time=s) for t, s in connection.execute(
                    "SELECT name, timestamp FROM messages JOIN topics ON topics.id = topic_id ORDER BY messages.id")]
            print(json.dumps(rows))
            """,
            [bag.string]
        )
    }
}
