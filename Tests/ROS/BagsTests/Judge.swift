import SystemPackage
import TestSupport
import Testing

/// check_bag.py: rosbag2's rules, SQLite's integrity check, every message decoded, counts and times against the rows.
enum Judge {
    /// Fails the test unless the bag is sound for all distros and has these counts.
    static func check(
        _ bag: FilePath,
        counts: [String: Int],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var judgements = Judgements()
        judgements.addBag(bag.string, counts: counts)
        try judgements.expectSound(sourceLocation: sourceLocation)
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

extension Judgements {
    /// Fails the test for each judgement that is not good.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) throws {
        for verdict in try verdicts() {
            #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: sourceLocation)
        }
    }
}
