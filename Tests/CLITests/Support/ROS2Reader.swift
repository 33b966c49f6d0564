import Foundation
import TestSupport
import Testing

/// A raw reader of a domain that is not ours, built when it is first wanted.
struct ROS2Reader {
    enum Kind: String, Sendable {
        case cyclone = "dds_read"
        case fast = "dds_read_fast"
    }

    struct Topic: Decodable, Hashable, Sendable {
        var topic: String
        var type: String
        var count: Int
        var sha256: String
    }

    /// True where the library is there, and what the judges are made of; a part of them must be in CI.
    static var isAvailable: Bool {
        PeerPython.isAvailable
            && (PeerPython.isRequired || FileManager.default.fileExists(atPath: "/usr/include/dds/dds.h"))
    }

    static let absence = "needs the Python peers, libddsc0debian, cyclonedds-dev and libfastrtps-dev"

    /// Nothing leaves the loopback.
    static let environment = ["ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST", "CYCLONEDDS_URI": loopback()]

    /// A configuration, of the loopback alone.
    static func loopback(_ more: String = "") -> String {
        let general = "<General><Interfaces><NetworkInterface name=\"lo\"/></Interfaces></General>"
        return "<CycloneDDS><Domain>\(general)\(more)</Domain></CycloneDDS>"
    }

    private static let programs = Task { () throws -> String in
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("mapeverything-dds-\(getpid())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for command in [
            ["cc", "-O2", "-o", "\(folder)/dds_read", Repository.path("tools/peers/dds_read.c"), "-lddsc"],
            [
                "c++", "-O2", "-o", "\(folder)/dds_read_fast", Repository.path("tools/peers/dds_read_fast.cpp"),
                "-lfastrtps",
                "-lfastcdr",
            ],
        ] {
            let outcome = try await ChildProcess(command[0], Array(command.dropFirst())).finish()
            try #require(outcome.status == 0, "\(outcome.everything)")
        }
        return folder
    }

    let process: ChildProcess
    private let content: [Topic]

    /// Starts a reader, and waits until it reads.
    init(_ kind: Kind, _ domain: Int, _ content: [Topic], _ options: [String], transient: Bool = false) async throws {
        let folder = try await Self.programs.value
        let topics = content.map { topic in
            let isLatched = transient || ["/tf_static"].contains(topic.topic)
            return "\(topic.topic)=\(topic.type)" + (isLatched ? ":transient" : "")
        }
        self.content = content
        process = try ChildProcess(
            "\(folder)/\(kind.rawValue)",
            ["--domain", "\(domain)", "--topics", topics.joined(separator: ",")] + options
        )
        _ = try await process.waitForError("ready")
    }

    /// How many messages of each topic one has told that it had, to be asked when it has ended.
    func progress() async throws -> [String: Int] {
        let lines = try await process.finish(seconds: 30).errors.split(separator: "\n").map { $0.split(separator: " ") }
        return lines.reduce(into: [:]) { counts, words in
            if words.count == 2, let count = Int(words[1]) { counts[String(words[0])] = count }
        }
    }

    /// The topics by name, with their types as a bag has them.
    func finish() async throws -> [Topic] {
        let outcome = try await process.finish(seconds: 90)
        let types = Dictionary(uniqueKeysWithValues: content.map { ($0.topic, $0.type) })
        return try outcome.output.split(separator: "\n")
            .map { line in
                var topic = try JSONDecoder().decode(Topic.self, from: Data(line.utf8))
                if topic.topic.hasPrefix("rt/") { topic.topic = String(topic.topic.dropFirst(2)) }
                topic.type = types[topic.topic] ?? topic.type
                return topic
            }
            .sorted { $0.topic < $1.topic }
    }
}
