import ArgumentParser
import Dispatch
import Glibc
import Messages
import Rosbridge
import SystemPackage
import Text

/// What tools/rosbridge-throughput-benchmark runs.
@main
struct ThroughputTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rosbridge-throughput-benchmark",
        abstract: "Load a rosbridge server with all topics of the phone app together, and count what it handles.",
        discussion: """
            Each topic is sent at its rate, or with --payload clouds of one size as fast as the server takes them. \
            Barriers (calls of /rosapi/get_time, which are answered in order) confirm what the server has handled: a \
            ping measures the network, a barrier the server. Prints a Markdown table and the totals; MB are 10^6 bytes, Mbit are 10^6 bits. \
            The messages go to the topics' own names: their subscribers receive them.

            The cloud of the whole depth image has its real size, 518 x 392 points of 16 bytes; the app's own benchmark \
            takes a fifteenth of it. At the app's nominal rate of 5 Hz that alone is 22 MB/s of JSON: more than a server \
            of ROS 2 Humble handles. Types of mapeverything_msgs need that package at the server.

            Exit status: 0 done; 2 wrong usage, or nothing could be sent, or the server was lost; 130 interrupted.
            """
    )

    @Option(help: "rosbridge server. Default: $MAPEVERYTHING_URL, or ws://127.0.0.1:9090.")
    var url: String?

    @Option(help: "Seconds to send.")
    var duration: Double = 30

    @Option(
        parsing: .upToNextOption,
        help: "Profiles to send: \(ThroughputProfile.all.map(\.name).joined(separator: ", ")). Default: all."
    )
    var profiles: [String] = []

    @Option(
        help:
            "In place of the profiles: clouds with so many bytes of data on /mapping/throughput, as fast as confirmed."
    )
    var payload: Int?

    @Option(help: "Prefix for every topic.")
    var namespace = ""

    @Option(help: "Timeout of an answer in seconds.")
    var timeout: Double = 10

    @Option(help: "Largest WebSocket message in bytes. Larger messages are sent in fragments.")
    var maxMessageSize = 10_000_000

    @Flag(help: "Print what would be sent, and send nothing.")
    var dryRun = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Gives everything that goes wrong the status that the app's own benchmark has for it.
    static func main() async {
        do {
            try await parse().run()
        } catch {
            let status = exitCode(for: error)
            if status.isSuccess { exit(withError: error) }
            let advice = (error as? RosbridgeError)?.advice
            for text in [fullMessage(for: error), advice ?? ""] where !text.isEmpty {
                _ = try? FileDescriptor.standardError.writeAll((text.withControlsEscaped + "\n").utf8)
            }
            Glibc.exit(status == interrupted ? status.rawValue : 2)
        }
    }

    private static let interrupted = ExitCode(130)

    func validate() throws {
        let seconds = 0.001...31_536_000
        for (option, value) in [("--duration", duration), ("--timeout", timeout)] where !seconds.contains(value) {
            throw ValidationError("\(option): expected seconds above 0, up to a year, found \(value)")
        }
        guard (1...256 << 20).contains(payload ?? 1), payload == nil || profiles.isEmpty else {
            throw ValidationError("--payload: expected 1 to 268435456 bytes and no --profiles, found \(payload ?? 0)")
        }
        guard (1_000...1_000_000_000).contains(maxMessageSize) else {
            throw ValidationError("--max-message-size: expected 1000 to 1000000000, found \(maxMessageSize)")
        }
    }

    func run() async throws {
        let unpaced = payload.map { [ThroughputProfile.unpaced(payloadBytes: $0, namespace: namespace)] }
        let streams = try unpaced ?? ThroughputProfile.named(profiles).map { $0.stream(namespace: namespace) }
        if let stream = streams.first(where: { !Topic.isValidName($0.topic.name) }) {
            throw ValidationError("--namespace: expected a name such as /robot, found \(stream.topic.name)")
        }
        let table = ThroughputReport(streams: streams, seconds: duration)
        if dryRun { return show(try table.planned(), columns: ThroughputReport.plannedColumns) }
        let options = LoadOptions {
            $0.duration = .seconds(duration)
            $0.answerTimeout = .seconds(timeout)
            $0.maximumMessageSize = maxMessageSize
        }
        let server = url ?? getenv("MAPEVERYTHING_URL").map { String(cString: $0) } ?? "ws://127.0.0.1:9090"
        let report = await measure(ProfileLoad(try RosbridgeURL(server), streams: streams, options: options))
        // Nothing ran: there is only the error to tell.
        if report.confirmedMessages == 0, let failure = report.failure { throw failure }
        show(table.measured(report), columns: ThroughputReport.measuredColumns)
        if report.isInterrupted { throw Self.interrupted }
        if let failure = report.failure { throw failure }
    }

    /// Runs a load, which the first interrupt ends early and the second at once.
    private func measure(_ load: ProfileLoad) async -> ProfileLoadReport {
        let task = Task { await load.run() }
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
        interrupts.setEventHandler { if task.isCancelled { Glibc.exit(130) } else { task.cancel() } }
        interrupts.resume()
        defer { interrupts.cancel() }
        return await task.value
    }

    private func show(_ report: JSONValue, columns: [String]) {
        let text = json ? report.text(style: .pretty) : Markdown.text(of: report, rows: "profiles", columns: columns)
        print(text.withControlsEscaped)
    }
}
