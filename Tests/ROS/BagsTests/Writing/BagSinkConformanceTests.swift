import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// What we write, judged by programs that have nothing of ours.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct BagSinkConformanceTests {
    struct Form: Sendable, CustomTestStringConvertible {
        var serialization: BagOptions.Serialization
        var durability: BagOptions.Durability
        var maximumChunkBytes: Int?
        var maximumChunkSeconds: Double?

        var testDescription: String {
            "\(serialization) \(durability) \(maximumChunkBytes ?? 0) bytes \(maximumChunkSeconds ?? 0) s"
        }

        static let all: [Form] = BagOptions.Serialization.allCases.flatMap { serialization in
            BagOptions.Durability.allCases.flatMap { durability in
                let limits: [(Int?, Double?)] = [(64 << 20, nil), (300_000, 0.2)]
                return limits.map {
                    Form(
                        serialization: serialization,
                        durability: durability,
                        maximumChunkBytes: $0.0,
                        maximumChunkSeconds: $0.1
                    )
                }
            }
        }
    }

    @Test(arguments: Form.all)
    func everyFormIsSound(_ form: Form) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("sample")
        let options = BagOptions(
            serialization: form.serialization,
            durability: form.durability,
            maximumChunkBytes: form.maximumChunkBytes,
            maximumChunkSeconds: form.maximumChunkSeconds,
            customData: [
                "mapeverything.version": "1.0", "a": "x: 'y' \"z\" # \n\t\u{7}é\u{2028}~", "empty": "", "yes": "no",
            ]
        )
        let messages = SampleTraffic.messages()
        let report = try await BagSink(bag, options: options).record(messages)
        #expect(report.warnings.isEmpty)
        var counts = SampleTraffic.counts(messages)
        for topic in report.topics { #expect(topic.written == counts[topic.name, default: 0]) }

        let rows = try Judge.rows(bag)
        let repeats = Set(rows.map(\.file)).count - 1
        #expect((repeats > 0) == (form.maximumChunkBytes != 64 << 20))
        counts["/tf_static", default: 0] += repeats
        counts["/mapping/session", default: 0] += repeats
        counts["/never/used"] = 0
        try Judge.check(bag, counts: counts)
        #expect(rows.map(\.time) == rows.map(\.time).sorted(), "rows are in time order over all files")
    }

    @Test func customDataSurvivesYAML() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("data")
        let data = [
            "a b": "x: 'y' \"z\" # \n\t\u{7}é\u{2028}\\", "": "", "yes": "no", "1": "0x10", "list": "[1]", "t": "~",
        ]
        _ = try await BagSink(bag, options: BagOptions(customData: data)).record(SampleTraffic.messages(ticks: 1))
        let found: [String: String] = try PeerPython.json(
            """
            import json, sys, yaml
            print(json.dumps(yaml.safe_load(open(sys.argv[1]))["rosbag2_bagfile_information"]["custom_data"]))
            """,
            [bag.appending("metadata.yaml").string]
        )
        #expect(found == data)
    }

    @Test(arguments: BagOptions.Durability.allCases)
    func latchedTopicsBeginEveryChunk(_ durability: BagOptions.Durability) async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("latched")
        let options = BagOptions(durability: durability, maximumChunkBytes: 256 << 10)
        _ = try await BagSink(bag, options: options).record(SampleTraffic.messages())
        let chunks = Dictionary(grouping: try Judge.rows(bag), by: \.file)
        #expect(chunks.count > 3)
        for (name, rows) in chunks {
            let first = rows.prefix(3).map(\.topic)
            #expect(first.contains("/tf_static") && first.contains("/mapping/session"), "\(name)")
            let times = rows.prefix(2).map(\.time)
            #expect(times == [rows[2].time, rows[2].time], "\(name): repeated at the time of the first message")
        }
        // Both transforms, which came in messages of their own, are in the one that is repeated.
        let reader = try BagReader(opening: bag.appending("latched_1.db3"))
        let row = try #require(try reader.rows(BagQuery(topics: ["/tf_static"])).next())
        let decoder = try RowDecoder(reader.topics[row.topic])
        let repeated = try #require(try decoder.decode(row.bytes) as? TFMessage)
        #expect(repeated.transforms.map(\.childFrameID) == ["camera", "gps"])
        #expect(repeated.transforms.allSatisfy { $0.header.stamp.nanosecondsSinceEpoch == row.timeNanoseconds })
    }

    @Test func everyChunkDescribesItself() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("alone")
        _ = try await BagSink(bag, options: BagOptions(maximumChunkSeconds: 0.5)).record(SampleTraffic.messages())
        let problems: [String] = try PeerPython.json(
            """
            import glob, json, os, sqlite3, sys, yaml
            problems = []
            files = glob.glob(sys.argv[1] + "/*.db3")
            for file in files:
                connection = sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)
                (version, text), = connection.execute("SELECT metadata_version, metadata FROM metadata").fetchall()
                meta = yaml.safe_load(text)
                count, first, last = connection.execute(
                    "SELECT COUNT(*), MIN(timestamp), MAX(timestamp) FROM messages").fetchone()
                expected = [version, [os.path.basename(file)], count, first, last - first, 8]
                found = [meta["version"], meta["relative_file_paths"], meta["message_count"],
                    meta["starting_time"]["nanoseconds_since_epoch"], meta["duration"]["nanoseconds"],
                    len(meta["topics_with_message_count"])]
                if expected != found: problems.append(f"{file}: expected {expected}, found {found}")
            print(json.dumps(problems if len(files) > 2 else ["too few files"]))
            """,
            [bag.string]
        )
        #expect(problems.isEmpty)
    }

    @Test func anEmptyBagOpens() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("empty")
        _ = try await BagSink(bag).record([])
        let count: Int = try PeerPython.json(
            """
            import sys
            from rosbags.rosbag2 import Reader
            with Reader(sys.argv[1]) as reader: print(reader.message_count + len(list(reader.messages())))
            """,
            [bag.string]
        )
        #expect(count == 0)
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.topics.count == SampleTraffic.topics.count)
        #expect(summary.warnings.isEmpty)
    }

    /// A killed recorder leaves what a copy of its directory has at that moment.
    @Test func aResilientBagIsSoundWhileItIsWritten() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("live")
        let options = BagOptions(durability: .resilient, maximumChunkBytes: 6 << 20)
        let sink = BagSink(bag, options: options)
        let messages = SampleTraffic.messages(ticks: 300, points: 30_000)
        try await sink.open(SampleTraffic.topics)
        for (index, message) in messages.enumerated() {
            try await sink.write(message)
            guard index > 0, index.isMultiple(of: messages.count / 4) else { continue }
            try await waitUntil(bag, shows: SampleTraffic.counts(Array(messages[...index])))
            let copy = directory.appending("copy\(index)")
            try copyVisibleFiles(from: bag, to: copy)
            try Judge.check(copy, counts: [:])
        }
        _ = try await sink.finish()
        let names = try FileManager.default.contentsOfDirectory(atPath: bag.string)
        #expect(names.allSatisfy { $0.hasSuffix(".db3") || $0 == "metadata.yaml" }, "\(names)")
        try Judge.check(bag, counts: ["/imu": 300, "/points": 60])
    }

    /// Copies what readers look at; the writer's hidden files come and go while the copy is made.
    private func copyVisibleFiles(from bag: FilePath, to copy: FilePath) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: copy.string, withIntermediateDirectories: false)
        for name in try files.contentsOfDirectory(atPath: bag.string)
        where name.hasSuffix(".db3") || name == "metadata.yaml" {
            try files.copyItem(atPath: bag.appending(name).string, toPath: copy.appending(name).string)
        }
    }

    /// Waits for the sink to have nothing left to show, so that the files do not change while they are copied.
    private func waitUntil(_ bag: FilePath, shows counts: [String: Int]) async throws {
        for _ in 0..<3_000 {
            // A bag that is being written may change under the reader.
            let records = (try? BagReader(opening: bag))?.metadata.topics ?? []
            if counts.allSatisfy({ name, count in records.contains { $0.name == name && $0.messageCount >= count } }) {
                return
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the bag does not show what was written")
    }
}
