import Foundation
import ROS
import SystemPackage
import TestSupport
import Testing

/// Many bags judged by one Python process, as starting it takes longer than a judgement.
struct JudgeBatch {
    private struct Run: Encodable {
        var title: String
        var script: String
        var arguments: [String]
    }

    private struct Verdict: Decodable {
        var title: String
        var status: Int
        var output: String
    }

    private var runs: [Run] = []
    private let definitions: FilePath

    /// - Parameter definitions: a folder to be, for the definitions that Humble's bags do not have.
    init(definitions: FilePath) throws {
        self.definitions = definitions
        let folder = definitions.appending("mapeverything_msgs/msg").string
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for type in MessageTypes.all where type.typeName.hasPrefix("mapeverything_msgs/") {
            let text = type.definitionText.components(separatedBy: "\n====")[0]
            let name = type.typeName.components(separatedBy: "/")[2]
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(name).msg"))
        }
    }

    /// Asks check_bag.py about an SQLite bag.
    mutating func addBag(_ title: String, _ bag: FilePath, as distributions: [String], counts: [String: Int]) {
        var arguments = [bag.string, "--msg-dir", definitions.string]
        for distribution in distributions { arguments += ["--as", distribution] }
        runs.append(Run(title: title, script: "check_bag.py", arguments: arguments + expectations(counts)))
    }

    /// Asks check_mcap.py about an .mcap file, against an SQLite bag of the same messages if there is one.
    mutating func addMCAP(_ title: String, _ file: FilePath, comparing bag: FilePath?, counts: [String: Int]) {
        var arguments = [file.string, "--need-index", "--need-crc"]
        if let bag { arguments += ["--compare", bag.string] }
        runs.append(Run(title: title, script: "check_mcap.py", arguments: arguments + expectations(counts)))
    }

    /// Asks rosbag2's rules for metadata.yaml, and rosbags for all messages, by topic.
    mutating func addRosbags(_ title: String, _ bag: FilePath, as distributions: [String], counts: [String: Int]) {
        let list = distributions.joined(separator: ",")
        runs.append(Run(title: title, script: "rosbags", arguments: [bag.string, list] + expectations(counts)))
    }

    /// Fails the test for each judgement that is not good.
    func judge(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let input = try JSONEncoder().encode(runs)
        let folder = SharedData.path("peers").string
        let outcome = try PeerPython.run(["-B", "-c", Self.program, folder], input: input)
        try #require(outcome.status == 0, "\(outcome.everything)")
        let verdicts = try JSONDecoder().decode([Verdict].self, from: Data(outcome.output.utf8))
        #expect(verdicts.map(\.title) == runs.map(\.title), sourceLocation: sourceLocation)
        for verdict in verdicts {
            #expect(verdict.status == 0, "\(verdict.title)\n\(verdict.output)", sourceLocation: sourceLocation)
        }
    }

    private func expectations(_ counts: [String: Int]) -> [String] {
        counts.sorted { $0.key < $1.key }.flatMap { ["--expect", "\($0.key)=\($0.value)"] }
    }

    private static let program = """
        import collections, contextlib, functools, io, json, runpy, sys, traceback, types, yaml
        import rosbags.typesys
        from rosbags.rosbag2 import Reader
        # The same definitions are in all bags, and parsing them is most of the work.
        rosbags.typesys.get_types_from_msg = functools.cache(rosbags.typesys.get_types_from_msg)
        folder = sys.argv[1]
        source = open(folder + "/check_bag.py").read().replace("sys.exit(main())", "")
        check_bag = types.ModuleType("check_bag")
        check_bag.__file__ = folder + "/check_bag.py"
        exec(compile(source, "check_bag.py", "exec"), check_bag.__dict__)

        def read_all(bag, distros, *expectations):
            meta = yaml.safe_load(open(bag + "/metadata.yaml"))["rosbag2_bagfile_information"]
            verdict = check_bag.check_metadata_rules(meta, distros.split(","), None)
            if any(verdict.values()): raise ValueError(f"metadata.yaml: {verdict}")
            found, files = collections.Counter(), collections.Counter()
            with Reader(bag) as reader:
                for connection, time, data in reader.messages(): found[connection.topic] += 1
                if sum(found.values()) != reader.message_count: raise ValueError(f"{reader.message_count} != {found}")
                for connection in reader.connections:
                    if connection.msgcount != found[connection.topic]: raise ValueError(f"{connection} != {found}")
            if sum(f["message_count"] for f in meta["files"]) != meta["message_count"]: raise ValueError("files")
            for topic, count in (e.rsplit("=", 1) for e in expectations[1::2]):
                if found[topic] != int(count): raise ValueError(f"{topic}: {found[topic]} instead of {count}")

        verdicts = []
        for run in json.load(sys.stdin):
            text, status = io.StringIO(), 0
            with contextlib.redirect_stdout(text):
                try:
                    if run["script"] == "rosbags":
                        read_all(*run["arguments"])
                    else:
                        path = folder + "/" + run["script"]
                        sys.argv = [path] + run["arguments"]
                        runpy.run_path(path, run_name="__main__")
                except SystemExit as end:
                    status = end.code or 0
                except Exception:
                    status = 2
                    text.write(traceback.format_exc())
            verdicts.append(dict(title=run["title"], status=status, output=text.getvalue()[-4000:]))
        print(json.dumps(verdicts))
        """
}
