import ArgumentParser
import JSONText
import ROS
import Rosbridge

struct ProbeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Measure a rosbridge server: round trips, and the rate that it works off.",
        discussion: """
            Times are measured step by step: the name, TCP, TLS, the WebSocket handshake, pings, and barriers, which are \
            calls of /rosapi/get_time that a server answers when it has worked off what came before. A ping shows the \
            network, a barrier shows the server.

            Then messages of each size are sent for some seconds, and what counts is what barriers confirm, not what a \
            socket takes. They are sensor_msgs/msg/PointCloud2 on the topic of --topic: whoever has subscribed to it, or \
            records all topics, gets them.
            """
    )

    @OptionGroup
    var endpoint: EndpointOptions

    @Option(
        parsing: .upToNextOption,
        help:
            "Bytes of data in a message, such as 100000, 16k, 1M (of 1024) or 1MB (of 1000); several are taken in turn."
    )
    var payload: [ByteSize] = [ByteSize(bytes: 16 << 10), ByteSize(bytes: 1 << 20)]

    @Option(help: "Send each payload for this many seconds; 0 leaves the payloads out.")
    var duration: Double = 5

    @Option(help: "Round trips of each kind.")
    var count = 20

    @Option(help: "Connections for the figures about connecting.")
    var connections = 10

    @Option(help: "Wait this many seconds for an answer.")
    var timeout: Double = 10

    @Option(help: "Largest frame in bytes; a larger message goes out as fragments.")
    var maxMessageSize = 10_000_000

    @Option(help: "The topic to publish on.")
    var topic = "/mapping/probe/throughput"

    @Flag(help: "Print the figures as JSON.")
    var json = false

    func run() async throws {
        let url = try endpoint.parsedURL()
        let options = try options()
        let isInteractive = Terminal.isErrorInteractive
        let report = try await Signals.cancelling {
            await RosbridgeProbe(url, options: options).run { stage in
                if isInteractive { Terminal.showProgress("\(stage)") }
            }
        }
        if isInteractive { Terminal.showProgress("") }
        // Without any figure there is only the error to tell.
        if report.connect.isEmpty, let failure = report.failure { throw failure }
        let outcome = ProbeOutcome(report: report)
        Terminal.print(json ? outcome.json.text(style: .pretty) : outcome.text)
        if report.isInterrupted { throw ExitStatus.interrupted }
        if let failure = report.failure { throw failure }
    }

    private func options() throws -> ProbeOptions {
        var options = ProbeOptions()
        try endpoint.apply(to: &options.transport)
        // The probe asks for itself.
        options.transport.pingInterval = nil
        options.duration = try UsageError.seconds("--duration", duration)
        options.payloads = options.duration > .zero ? try payload.map(payloadBytes) : []
        options.roundTrips = try UsageError.count("--count", count, from: 1, to: 100_000)
        options.connections = try UsageError.count("--connections", connections, from: 1, to: 10_000)
        options.answerTimeout = try UsageError.seconds("--timeout", timeout)
        guard options.answerTimeout > .zero else {
            throw UsageError("--timeout", expected: "seconds above 0", found: "\(timeout)")
        }
        options.maximumMessageSize = try UsageError.count("--max-message-size", maxMessageSize, from: 1000, to: 1 << 40)
        guard Topic.isValidName(topic) else {
            throw UsageError("--topic", expected: "a name such as /mapping/probe/throughput", found: topic)
        }
        options.topic = topic
        return options
    }

    private func payloadBytes(_ size: ByteSize) throws -> Int {
        guard (1...(256 << 20)).contains(size.bytes) else {
            throw UsageError("--payload", expected: "1 byte to 256M", found: "\(size.bytes)")
        }
        return size.bytes
    }
}

/// A number of bytes as a user writes it: 100000, 16k, 1M, 1.5MB.
struct ByteSize: ExpressibleByArgument, Equatable {
    var bytes: Int

    init(bytes: Int) { self.bytes = bytes }

    init?(argument: String) {
        let units = [
            ("kb", 1e3), ("mb", 1e6), ("kib", 1024), ("mib", 1_048_576), ("k", 1024), ("m", 1_048_576), ("b", 1),
        ]
        let text = argument.lowercased()
        let unit = units.first { text.hasSuffix($0.0) } ?? ("", 1)
        guard let number = Double(text.dropLast(unit.0.count)), number >= 0, number < 1e12 else { return nil }
        let value = number * unit.1
        guard value.rounded() == value, value < 1e15 else { return nil }
        bytes = Int(value)
    }

    /// Help shows the defaults so.
    var defaultValueDescription: String {
        if bytes.isMultiple(of: 1 << 20) { return "\(bytes >> 20)M" }
        return bytes.isMultiple(of: 1 << 10) ? "\(bytes >> 10)k" : "\(bytes)"
    }
}
