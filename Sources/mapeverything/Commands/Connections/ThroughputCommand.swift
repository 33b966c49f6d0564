import ArgumentParser
import Messages
import Probe
import Rosbridge

/// What tools/rosbridge-throughput-benchmark runs.
struct ThroughputCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throughput",
        abstract: "Load a rosbridge server with all topics of the phone app together, and count what it handles.",
        shouldDisplay: false
    )

    @OptionGroup
    var endpoint: EndpointOptions

    @Option(help: "Seconds to send.")
    var duration: Double = 30

    @Option(parsing: .upToNextOption, help: "Profiles to send. Default: all together.")
    var profiles: [String] = []

    @Option(help: "Prefix for every topic.")
    var namespace = ""

    @Option(help: "Timeout of an answer in seconds.")
    var timeout: Double = 10

    @OptionGroup
    var frames: FrameSizeOptions

    @Flag(help: "Print what would be sent, and send nothing.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() async throws {
        var options = ProbeOptions()
        options.duration = try UsageError.seconds("--duration", duration)
        options.answerTimeout = try UsageError.seconds("--timeout", timeout)
        guard options.duration > .zero else {
            throw UsageError("--duration", expected: "seconds above 0", found: "\(duration)")
        }
        guard options.answerTimeout > .zero else {
            throw UsageError("--timeout", expected: "seconds above 0", found: "\(timeout)")
        }
        options.maximumMessageSize = try frames.bytes(preset: "10MB")
        try endpoint.apply(to: &options.transport)
        let streams = try ThroughputProfile.named(profiles).map { $0.stream(namespace: namespace) }
        if let stream = streams.first(where: { !Topic.isValidName($0.topic.name) }) {
            throw UsageError("--namespace", expected: "a name such as /robot", found: stream.topic.name)
        }
        let table = ThroughputTable(streams: streams, seconds: duration)
        if dryRun { return Terminal.print(json ? try table.plannedJSON() : try table.planned()) }
        do {
            try await measure(try endpoint.parsedURL(), streams, options, table)
        } catch let error as RosbridgeError {
            // The tool of that name has one status for everything that went wrong.
            Terminal.printError("mapeverything: \(error)")
            if let advice = error.advice { Terminal.printError(advice) }
            throw ExitStatus.usage
        }
    }

    private func measure(
        _ url: RosbridgeURL,
        _ streams: [LoadStream],
        _ options: ProbeOptions,
        _ table: ThroughputTable
    ) async throws {
        let report = try await Signals.cancelling {
            await ProfileLoad(url, streams: streams, options: options).run()
        }
        // Nothing ran: there is only the error to tell.
        if report.confirmedMessages == 0, let failure = report.failure { throw failure }
        Terminal.print(json ? table.json(report) : table.text(report))
        if report.isInterrupted { throw ExitStatus.interrupted }
        if let failure = report.failure { throw failure }
    }
}
