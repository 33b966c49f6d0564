import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Every form of bag that can be asked for, judged by programs that have nothing of ours.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct BagFormTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func everyFormIsSound() async throws {
        let messages = SampleTraffic.messages(ticks: 11, points: 30)
        var counts = SampleTraffic.counts(messages)
        counts["/never/used"] = 0
        let plain = directory.appending("plain")
        _ = try await BagSink(plain).record(messages)
        var judgements = Judgements()
        for (index, form) in BagForm.all.enumerated() {
            let bag = directory.appending("bag\(index)")
            let report = try await BagSink(bag, options: form.options()).record(messages)
            #expect(report.warnings.isEmpty)
            switch form.storage {
            case .sqlite3: judgements.addBag(bag.string, as: form.readers, counts: counts)
            case .mcap:
                judgements.addMCAP(bag.appending("bag\(index)_0.mcap").string, comparing: plain.string, counts: counts)
                judgements.addReadable(bag.string, as: form.readers, counts: counts)
            }
        }
        try judgements.expectSound()
    }

    /// Several chunks, each with the latched messages.
    @Test func everyStorageSplits() async throws {
        let messages = SampleTraffic.messages(ticks: 60, points: 2_000)
        var judgements = Judgements()
        for (index, form) in BagForm.stored.enumerated() {
            let name = "bag\(index)"
            let bag = directory.appending(name)
            // By bytes and by time in turn; compressed messages are too small for a limit of bytes.
            let isBySize = index.isMultiple(of: 2) && form.compressionMode != .message
            let options =
                isBySize
                ? form.options(maximumChunkBytes: 256 << 10)
                : form.options(maximumChunkBytes: nil, maximumChunkSeconds: 0.3)
            _ = try await BagSink(bag, options: options).record(messages)
            let files = try FileManager.default.contentsOfDirectory(atPath: bag.string).filter {
                $0 != "metadata.yaml"
            }
            #expect(files.count > 1, "\(form)")
            var counts = SampleTraffic.counts(messages)
            for topic in ["/tf_static", "/mapping/session"] { counts[topic, default: 0] += files.count - 1 }
            switch form.storage {
            case .sqlite3: judgements.addBag(bag.string, as: form.readers, counts: counts)
            case .mcap:
                judgements.addReadable(bag.string, as: form.readers, counts: counts)
                for file in files {
                    let latched = ["/mapping/session": 1, "/tf_static": file == "\(name)_0.mcap" ? 2 : 1]
                    judgements.addMCAP(bag.appending(file).string, counts: latched)
                }
            }
        }
        try judgements.expectSound()
    }

    @Test(arguments: BagOptions.Distribution.allCases, BagOptions.Storage.allCases)
    func theFormIsThatOfTheDistribution(
        _ distribution: BagOptions.Distribution,
        _ storage: BagOptions.Storage
    ) async throws {
        let bag = directory.appending("bag")
        let form = BagForm(storage: storage, distribution: distribution)
        _ = try await BagSink(bag, options: form.options()).record(SampleTraffic.messages(ticks: 3))
        let found: [String: String] = try PeerPython.json(Self.describe, [bag.string])
        let number: Bool = [.any, .humble, .iron].contains(distribution)
        let version: Int =
            switch distribution {
            case .any: 8
            case .humble: 5
            case .iron: 7
            case .jazzy, .kilted, .rolling: 9
            }
        var expected = [
            "version": "\(version)",
            "qos": number ? "str" : "list",
            "durability": number ? "1" : "transient_local",
            "hash": version >= 7 ? "True" : "False",
            "custom_data": version >= 6 ? "1.0" : "None",
            "ros_distro": version >= 8 ? distribution.rawValue : "None",
            "file durability": number ? "1" : "transient_local",
            "file hash": distribution != .humble ? "True" : "False",
            "definitions": storage == .mcap || distribution != .humble ? "True" : "False",
        ]
        switch storage {
        case .sqlite3:
            expected["schema"] = distribution == .humble ? "3" : "4"
            expected["file distro"] = distribution.rawValue
            expected["file version"] = "\(version)"
        case .mcap:
            expected["provenance"] = "1.0"
            expected["rosbag2"] = distribution == .humble ? "ROS_DISTRO humble" : "serialized_metadata \(version)"
            expected["header"] = "ros2"
        }
        #expect(found == expected)
    }

    /// What metadata.yaml and the only file of a bag say of themselves and of /tf_static.
    private static let describe = """
        import json, sqlite3, sys, yaml
        bag = sys.argv[1]
        meta = yaml.safe_load(open(bag + "/metadata.yaml"))["rosbag2_bagfile_information"]
        topic = [t["topic_metadata"] for t in meta["topics_with_message_count"]
            if t["topic_metadata"]["name"] == "/tf_static"][0]
        qos = topic["offered_qos_profiles"]
        durability = lambda text: str((yaml.safe_load(text) if isinstance(text, str) else text)[0]["durability"])
        found = {"version": str(meta["version"]), "qos": type(qos).__name__, "durability": durability(qos),
            "hash": str("type_description_hash" in topic), "ros_distro": str(meta.get("ros_distro")),
            "custom_data": str(meta.get("custom_data", {}).get("mapeverything.version"))}
        path = bag + "/" + meta["relative_file_paths"][0]
        if meta["storage_identifier"] == "sqlite3":
            c = sqlite3.connect(path)
            found["schema"], found["file distro"] = map(str, c.execute("SELECT * FROM schema").fetchone())
            found["file version"] = str(c.execute("SELECT metadata_version FROM metadata").fetchone()[0])
            row = c.execute("SELECT * FROM topics WHERE name = '/tf_static'").fetchone()
            found["file durability"] = durability(row[4])
            found["file hash"] = str(len(row) > 5 and row[5].startswith("RIHS01_"))
            found["definitions"] = str(bool(c.execute(
                "SELECT 1 FROM sqlite_master WHERE name = 'message_definitions'").fetchone()))
        else:
            from mcap.reader import make_reader
            reader = make_reader(open(path, "rb"), validate_crcs=True)
            found["header"] = reader.get_header().profile
            summary = reader.get_summary()
            channel = [c for c in summary.channels.values() if c.topic == "/tf_static"][0]
            found["file durability"] = durability(channel.metadata["offered_qos_profiles"])
            found["file hash"] = str(channel.metadata.get("topic_type_hash", "").startswith("RIHS01_"))
            schema = summary.schemas[channel.schema_id]
            found["definitions"] = str(schema.encoding == "ros2msg" and b"MSG: std_msgs/Header" in schema.data)
            for record in reader.iter_metadata():
                if record.name == "mapeverything": found["provenance"] = record.metadata["mapeverything.version"]
                else: found[record.name] = " ".join(
                    f"{k} {yaml.safe_load(v)['version'] if k == 'serialized_metadata' else v}"
                    for k, v in record.metadata.items())
        print(json.dumps(found))
        """
}
