import Bags
import DDS
import Glibc
import Messages
import Platform
import SystemPackage

extension RecordCommand {
    /// `record` of what nodes of ROS 2 publish, as they send it.
    func recordROS2() async throws {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "ros2"]
        let options = try bag.options(durability: .resilient, customData: provenance, output: output)
        try UsageError.require(
            options.serialization == .cdr,
            "--serialization",
            "cdr with --ros2",
            options.serialization.rawValue
        )
        let environment = try graph.environment(options.distribution)
        let (selection, node, library) = (selection, try graph.node(), try graph.library())
        let receiver = DDSReceiver(library, environment, node: node) { selection.contains($0) }
        let recorder = ROS2Recorder(
            BagSink(FilePath(output), options: options),
            types: try definitions().resolver(),
            options
        )
        try await recorder.open()
        do {
            let untilDisconnect = untilDisconnect
            try await progress.run("record") { [output] tell in
                Terminal.printError("recording domain \(environment.domain) to \(output), Ctrl-C ends")
                try await receiver.run(untilAlone: untilDisconnect) { event in
                    tell(WorkProgress("recording", try await recorder.take(event), of: nil, .messages))
                }
            }
        } catch {
            // What came before the failure is in the bag and stays.
            _ = try? await recorder.finish()
            throw error
        }
        let report = try await recorder.finish()
        let count = report.topics.reduce(0) { $0 + $1.written }
        let lost = await receiver.lost
        let lines =
            ["\(count) messages of \(report.topics.count) topics of domain \(environment.domain) in \(output)"]
            + lost.map { "lost on the way: \($0.count) messages of \($0.topic)" }
            + (await receiver.refusals).map { "not recorded: \($0.topic): \($0.reason)" }
        var end = report.report(lines)
        if !lost.isEmpty { end.ending = ExitStatus.lossy }
        try end.finish()
    }

    /// Where types are found: as --msg-path says, and in the packages of a ROS that is sourced.
    private func definitions() -> MessagePathOptions {
        let prefixes = getenv("AMENT_PREFIX_PATH").map { String(cString: $0) } ?? ""
        var path = messagePath
        path.folders += prefixes.split(separator: ":").map { "\($0)/share" }.filter { access($0, R_OK | X_OK) == 0 }
        return path
    }
}

/// Writes what is heard of ROS 2 into a bag.
private actor ROS2Recorder {
    private let sink: BagSink
    private let types: TypeResolver
    private let options: BagOptions
    private var topics: [Int?] = []
    private var count = 0
    private var isUndefined: [String] = []
    private var warnings: [String] = []

    init(_ sink: BagSink, types: TypeResolver, _ options: BagOptions) {
        (self.sink, self.types, self.options) = (sink, types, options)
    }

    /// Runs where the bag is written.
    nonisolated var unownedExecutor: UnownedSerialExecutor { sink.unownedExecutor }

    func open() async throws { try await sink.open() }

    /// Returns how many messages were written so far.
    func take(_ event: DDSReceiver.Event) async throws -> Int {
        switch event {
        case .heard(let heard): topics.append(try await add(heard))
        case .warning(let text):
            warnings.append(text)
            Terminal.printError("warning: \(text)")
        case .messages(let messages):
            for message in messages {
                guard let topic = topics[message.topic] else { continue }
                try await sink.write(
                    BagRow(topic: topic, timeNanoseconds: message.timeNanoseconds, bytes: message.bytes)
                )
                count += 1
            }
        }
        return count
    }

    /// Announces a topic with the definition that its hash is of; with none where there is none.
    private func add(_ heard: DDSReceiver.Heard) async throws -> Int? {
        var topic = BagTopic(
            name: heard.name,
            typeName: heard.typeName,
            serializationFormat: BagOptions.Serialization.cdr.rawValue,
            qosText: heard.qos.rosbag2Text,
            typeHash: heard.typeHash,
            definitionText: "",
            definitionEncoding: options.storage == .mcap ? "unknown" : ""
        )
        let claim = TypeClaim(typeName: heard.typeName, typeHash: heard.typeHash, isOfHumble: heard.typeHash.isEmpty)
        if let known = try? types.resolve(claim), heard.typeHash.isEmpty || known.typeHash == heard.typeHash {
            (topic.definitionText, topic.definitionEncoding) = (known.definitionText, "ros2msg")
            topic.typeHash = known.typeHash
        } else {
            isUndefined.append("\(heard.name) (\(heard.typeName))")
        }
        return try await sink.add(topic)
    }

    func finish() async throws -> SinkReport {
        var report = try await sink.finish()
        report.warnings += warnings
        if !isUndefined.isEmpty {
            let list = isUndefined.sorted().joined(separator: ", ")
            report.warnings.append(
                "no definition is known (--msg-path) of the types of \(list): their messages are as they came"
            )
        }
        return report
    }
}
