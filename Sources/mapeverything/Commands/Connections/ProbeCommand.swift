import ArgumentParser
import Messages
import Rosbridge
import Text

struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Measure a rosbridge server: round trips, and the rate at which it handles messages.",
        discussion: """
            Example:
              mapeverything probe --url 10.0.0.5 --payload 100kB 1MiB

            Times are measured step by step: name lookup, TCP, TLS, WebSocket handshake, pings, and barriers. A barrier \
            is a call of /rosapi/get_time, which a server answers after it has handled everything before it. A ping \
            measures the network, a barrier the server.

            Then messages of each --payload size are sent for --duration seconds. The rate counts messages that \
            barriers confirm, not bytes that a socket takes. The messages are sensor_msgs/msg/PointCloud2 on --topic; its \
            subscribers, and recorders of all topics, receive them.
            """
    )

    @OptionGroup var endpoint: EndpointOptions

    @Option(
        parsing: .upToNextOption,
        help: .value("size", "Data in a message: 16KiB, 1MB or bytes. Several sizes are measured in turn.")
    )
    var payload = [ByteSize("16KiB"), ByteSize("1MiB")]

    @Option(help: .value("seconds", "Seconds to send each payload size; 0: send none.")) var duration: Double = 5

    @Option(help: .value("count", "Number of pings and of barriers.")) var count = 20

    @Option(help: .value("count", "Number of connections whose setup is measured.")) var connections = 10

    @Option(help: .value("seconds", "Timeout of an answer in seconds.")) var timeout: Double = 10

    @OptionGroup var frames: FrameSizeOptions

    @Option(help: .value("topic", "Topic to publish on.")) var topic = "/mapping/probe/throughput"

    @OptionGroup var json: JSONOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let url = try endpoint.parsedURL()
        let options = try options()
        let report = try await progress.run("probe", isComplete: { $0.failure == nil && !$0.isInterrupted }) { tell in
            await RosbridgeProbe(url, options: options).run(progress: tell)
        }
        // Without any figure there is only the error to tell.
        if report.connect.isEmpty, let failure = report.failure { throw failure }
        try ProbeOutcome(probe: report).report.finish(json: json.isGiven)
    }

    private func options() throws -> ProbeOptions {
        var options = ProbeOptions()
        try endpoint.apply(to: &options.transport)
        // The probe asks for itself.
        options.transport.pingInterval = nil
        options.duration = try UsageError.seconds("--duration", duration)
        options.payloads =
            options.duration > .zero ? try payload.map { try $0.bytes("--payload", in: 1...(256 << 20)) } : []
        options.roundTrips = try UsageError.count("--count", count, from: 1, to: 100_000)
        options.connections = try UsageError.count("--connections", connections, from: 1, to: 10_000)
        options.answerTimeout = try UsageError.positiveSeconds("--timeout", timeout)
        options.maximumMessageSize = try frames.bytes(preset: "10MB")
        let name = "a name such as /mapping/probe/throughput"
        try UsageError.require(Topic.isValidName(topic), "--topic", name, topic)
        options.topic = topic
        return options
    }
}
