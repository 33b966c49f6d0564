import ArgumentParser
import Bags
import ROS
import Replay
import Rosbridge
import SystemPackage
import WebSocketDeflate

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Be a rosbridge server, and write what is published to it into a bag: no ROS needed."
    )

    @Option(name: .shortAndLong, help: "The bag folder to create.")
    var output: String

    @Option(help: "The port, 0 for any free one.")
    var port = 9090

    @Option(help: "The address to listen on; 0.0.0.0 for every network of this machine.")
    var address = "127.0.0.1"

    @Option(parsing: .upToNextOption, help: "Only these topics.")
    var topics: [String] = []

    @Option(parsing: .upToNextOption, help: "Not these topics.")
    var excludeTopics: [String] = []

    @Flag(help: "End when the last client leaves.")
    var untilDisconnect = false

    @Flag(help: "Refuse messages with keys that their type does not have, as the real server does.")
    var strict = false

    @OptionGroup(title: "The bag")
    var bag: BagWritingOptions

    func run() async throws {
        guard (0...65_535).contains(port) else { throw UsageError("--port", expected: "0 to 65535", found: "\(port)") }
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "rosbridge"]
        let options = try bag.options(durability: .resilient, customData: provenance)
        var selection = TopicSelection()
        selection.only = topics
        selection.excluded = excludeTopics
        let recorder = Recorder(BagSink(FilePath(output), options: options), selection: selection, path: output)
        let serverOptions = ServerOptions(address: address, port: port, isStrict: strict, compression: .zlib())
        let server = RosbridgeServer(serverOptions, delegate: recorder)
        await recorder.stopWhenEmpty(untilDisconnect ? server : nil)
        do {
            // First the port, then the folder: a port that is taken must not cost the bag that --force replaces.
            let port = try await server.start()
            try await recorder.open()
            Terminal.printError("recording to \(output): listening on ws://\(address):\(port), Ctrl-C ends")
            // Ctrl-C is how a recording ends.
            try await Signals.cancelling { try await server.run() }
        } catch {
            // What came before the failure is in the bag and stays.
            _ = try? await recorder.finish()
            throw error
        }
        let report = try await recorder.finish()
        Terminal.print(await summary(report, server.report()))
    }

    private func summary(_ sink: SinkReport, _ server: ServerReport) -> String {
        var table = TextTable(header: ["topic", "count", "size"], leftColumns: [0])
        for topic in sink.topics where topic.written > 0 {
            table.add([topic.name, "\(topic.written)", Format.bytes(topic.bytes)])
        }
        let count = sink.topics.reduce(0) { $0 + $1.written }
        var lines = [
            table.text, "",
            "\(count) messages from \(server.clients) \(server.clients == 1 ? "client" : "clients") in \(output)",
        ]
        if server.refused > 0 { lines.append("refused: \(server.refused) operations") }
        for field in server.unknownFields {
            lines.append(
                "left out: \(field.count) x key \"\(field.path)\" of \(field.topic), which its type does not have"
            )
        }
        lines += sink.warnings.map { "warning: \($0)" }
        return lines.joined(separator: "\n")
    }
}

/// Writes what the server hands on into a bag, and logs what it refuses.
actor Recorder: RecorderDelegate {
    /// Refusals that are logged one by one; further ones are only counted.
    private static let loggedRefusals = 20

    private let sink: BagSink
    private let selection: TopicSelection
    private let path: String
    private var opening: Task<Void, any Error>?
    private var isOpen = false
    private var known: Set<String> = []
    private var refusals = 0
    private weak var serverToStop: RosbridgeServer?

    init(_ sink: BagSink, selection: TopicSelection, path: String) {
        self.sink = sink
        self.selection = selection
        self.path = path
    }

    /// Creates the bag, so that a wrong place is known before anyone publishes.
    func open() async throws {
        let task = opening ?? Task { [sink] in try await sink.open([]) }
        opening = task
        try await task.value
        isOpen = true
    }

    func stopWhenEmpty(_ server: RosbridgeServer?) { serverToStop = server }

    func finish() async throws -> SinkReport { try await sink.finish() }

    func received(_ message: StampedMessage, from client: RecorderClient) async throws {
        guard selection.contains(message.topic.name) else { return }
        if !isOpen { try await open() }
        if known.insert(message.topic.name).inserted { try await sink.add(message.topic) }
        try await sink.write(message)
    }

    nonisolated func records(_ topicName: String) -> Bool { selection.contains(topicName) }

    func connected(_ client: RecorderClient, count: Int) {
        Terminal.printError("\(client) connected")
    }

    func left(_ client: RecorderClient, problem: String?, count: Int) {
        Terminal.printError("\(client) left" + (problem.map { ": \($0)" } ?? ""))
        if count == 0, let server = serverToStop { Task { await server.stop() } }
    }

    func refused(_ refusal: Refusal, from client: RecorderClient) {
        refusals += 1
        if refusals <= Self.loggedRefusals { Terminal.printError("refused: \(client): \(refusal)") }
        if refusals == Self.loggedRefusals { Terminal.printError("further refusals are only counted") }
    }
}
