import ArgumentParser
import Bags
import Foxglove
import Messages
import Platform
import Rosbridge
import SystemPackage

struct RecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Write what is published to it, as rosbridge, in ROS 2 or as Arvos, into a bag; needs no ROS.",
        discussion: """
            Examples:
              mapeverything record -o recorded --lan --view 8765
              mapeverything record -o recorded --lan --token-file token.txt
              mapeverything record -o walk.mcap --ros2
            """
    )

    @Option(
        name: .shortAndLong,
        help: .value("path", "Bag folder to create, or NAME.mcap for one file."),
        completion: .file()
    ) var output: String

    @Option(parsing: .upToNextOption, help: .value("name", "Topics to record. Default: all.")) var topics: [String] =
        []

    @Option(parsing: .upToNextOption, help: .value("name", "Topics to leave out. Default: none.")) var excludeTopics:
        [String] = []

    @Flag(help: "End when the last client leaves. Default: end with Ctrl-C.") var untilDisconnect = false

    @Flag(help: .rare("Refuse messages with unknown keys, as rosbridge_server does. Default: count such keys."))
    var strict = false

    @Option(
        help: .value(
            "port",
            "Also show what comes, as mapeverything serve does, on this port; 0: any free one. Default: none."
        )
    )
    var view: Int?

    @OptionGroup var progress: ProgressOptions
    @OptionGroup var messagePath: MessagePathOptions
    @Flag(
        name: .customLong("ros2"),
        help: "Record the topics of ROS 2 itself, by Cyclone DDS."
    )
    var isOfROS2 = false

    @OptionGroup(title: "ROS 2") var graph: ROS2NodeOptions
    @OptionGroup(title: "Server") var serving: ServingOptions
    @OptionGroup(title: "Arvos") var arvos: ArvosReceivingOptions
    @OptionGroup var html: HTMLReportOptions
    @OptionGroup(title: "The bag") var bag: BagWritingOptions

    func run() async throws {
        let page = try html.file(replaces: bag.force.isGiven, inputs: [])
        try OptionUse("record-ros2", found: isOfROS2 ? "--ros2" : "none").refuseUnused()
        if isOfROS2 {
            try await recordROS2()
        } else if let modes = try arvos.modes(serving) {
            try await recordArvos(modes)
        } else {
            try await record()
        }
        try await page?.write(bag: output, messagePath, progress, of: "record")
    }

    private func record() async throws {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "rosbridge"]
        let options = try bag.options(durability: .resilient, customData: provenance, output: output)
        var serverOptions = try serving.serverOptions(isStrict: strict)
        let types = try messagePath.resolver()
        serverOptions.typeNamed = { name in
            try types.kind(named: name, isOfHumble: options.distribution == .humble)
        }
        let (recorder, viewer) = try self.recorder(options)
        let server = RosbridgeServer(serverOptions, delegate: recorder)
        await recorder.stopWhenEmpty(untilDisconnect ? server : nil)
        do {
            // First the port, then the folder: a port that is taken must not cost the bag that --force replaces.
            let port = try await server.start()
            try await recorder.open()
            let place = "\(serving.scheme)://\(serving.bracketedAddress):\(port)"
            let door = Reachability.Door(name: "recorder", scheme: serving.scheme, address: serving.address, port: port)
            let reach = Reachability.lines([door] + (await pageDoor(viewer)), asksForToken: serving.asksForToken)
            // Ctrl-C is how a recording ends.
            try await progress.run("record") { [output] tell in
                await recorder.follow(tell)
                Terminal.printError("recording to \(output): listening on \(place), Ctrl-C ends")
                for line in reach { Terminal.printError(line) }
                try await server.run()
            }
        } catch {
            // What came before the failure is in the bag and stays.
            _ = try? await recorder.finish()
            throw error
        }
        let report = try await recorder.finish(types: types)
        try await summary(report, server.report()).finish()
    }

    /// What writes the bag, and shows it if that was asked for.
    func recorder(_ options: BagOptions) throws -> (recorder: Recorder, viewer: FoxgloveSink?) {
        let sink = BagSink(FilePath(output), options: options)
        let status = RecordingStatus(sink, output: output)
        let viewer = try self.viewer(status)
        return (Recorder(sink, selection: selection, status: status, viewer: viewer), viewer)
    }

    /// Shows what is recorded; nil unless the user asked for it.
    private func viewer(_ status: RecordingStatus) throws -> FoxgloveSink? {
        guard let view else { return nil }
        var place = serving
        place.port = view
        let name = FilePath(output).lastComponent?.string ?? output
        let server = try place.serverOptions(isStrict: false)
        var options = FoxgloveOptions(server, name: name, sessionID: "\(name) \(WallClock.nowNanoseconds())")
        options.recording = { await status.json }
        let (output, shown) = (output, place)
        options.isListening = { port in Terminal.printError(ServeCommand.greeting(output, shown, port)) }
        return FoxgloveSink(options)
    }

    func pageDoor(_ viewer: FoxgloveSink?) async -> [Reachability.Door] {
        guard let port = await viewer?.port else { return [] }
        return [serving.pageDoor(port: port)]
    }

    var selection: TopicSelection {
        var selection = TopicSelection()
        selection.only = topics
        selection.excluded = excludeTopics
        return selection
    }

    private func summary(_ sink: SinkReport, _ server: ServerReport) -> Report {
        let count = sink.topics.reduce(0) { $0 + $1.written }
        let clients = "\(server.clients) \(server.clients == 1 ? "client" : "clients")"
        let others = "\(server.received - count) of them of topics that were not selected"
        let most = 20
        let counts = [
            (server.received != count, "received: \(server.received) messages, \(others)"),
            (server.repeated > 0, "left out: \(server.repeated) messages that came again after a lost connection"),
            (server.unfinished > 0, "incomplete: \(server.unfinished) messages of which not all fragments came"),
            (server.refused > 0, "refused: \(server.refused) operations"),
        ]
        var lines = ["\(count) messages from \(clients) in \(output)"]
        lines += counts.filter(\.0).map(\.1)
        lines += server.unknownFields.prefix(most).map(\.text)
        if server.unknownFields.count > most {
            lines.append("left out: \(server.unknownFields.count - most) other keys")
        }
        return sink.report(lines)
    }
}

extension SinkReport {
    /// The end of a recording: the written messages by topic, and what became of all that arrived.
    func report(_ lines: [String]) -> Report {
        let columns: [Column<TopicCount>] = [
            .left("topic") { .string($0.name) }, .right("count") { .count($0.written) },
            .right("size") { .bytes($0.bytes) },
        ]
        var report = Report()
        report.say(Table(columns, topics.filter { $0.written > 0 }).text)
        report.say(lines + warnings.map { "warning: \($0)" })
        return report
    }
}

extension TypeResolver {
    /// Finds the type that a client advertises: a compiled one as such, all others by their definitions.
    fileprivate func kind(named name: String, isOfHumble: Bool) throws(UndefinedType) -> any MessageType {
        do throws(UnknownType) {
            return try resolve(TypeClaim(typeName: name, isOfHumble: isOfHumble)).kind
        } catch {
            throw UndefinedType(name: name, problem: error.problem)
        }
    }
}

/// A type that a client advertises and for which there is no definition.
private struct UndefinedType: Error, CustomStringConvertible {
    var name: String
    var problem: String?

    var description: String {
        let found = problem.map { ": \($0)" } ?? ""
        return "expected a type that this program or --msg-path defines, found \"\(name.prefix(200))\"\(found)"
    }
}
