import ArgumentParser
import Bags
import ROS
import Replay
import Rosbridge
import Sessions
import SystemPackage

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session to a rosbridge server, paced on the capture's own clock."
    )

    enum ProgressForm: String, ExpressibleByArgument, CaseIterable {
        case auto
        case json
        case off
    }

    @Argument(help: "A session: folder, .zip or .tar.")
    var session: String

    @Option(name: .shortAndLong, help: "Speed against the capture's own, or max.")
    var rate = "1"

    @Option(name: .shortAndLong, help: "Play this often; without a number, for ever.")
    var loop: Int?

    @Option(name: .shortAndLong, help: "Wait this many seconds before the first message.")
    var delay: Double = 0

    @Option(help: "Publish /clock this often; without a number, 40 Hz.")
    var clock: Double?

    @Option(help: "Mirror the same messages into a bag.")
    var saveLocal: String?

    @Flag(help: "Print what would be sent, without a network.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Option(help: "Progress on standard error: auto (on a terminal), json (a line a second) or off.")
    var progress = ProgressForm.auto

    @OptionGroup(title: "The connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "What is published")
    var publishing: PublishingOptions

    @OptionGroup(title: "The mirror")
    var bag: BagWritingOptions

    func run() async throws {
        var plan = try publishing.plan()
        plan.rate = try parsedRate()
        plan.loops = try parsedLoops()
        if let clock {
            guard clock > 0, clock <= 10_000 else {
                throw UsageError("--clock", expected: "0 to 10000 Hz", found: "\(clock)")
            }
            plan.clockHertz = clock
        }
        if dryRun { return try await runDry(plan) }
        let url = try connection.parsedURL()
        let delay = try UsageError.seconds("--delay", delay)
        let options = try connection.publisherOptions(isUnpaced: plan.rate == nil)
        let setup = try ReplaySetup(session: SessionFormats.open(path: session), plan: plan)
        let publisher = RosbridgePublisher(url, options: options)
        var sinks: [any MessageSink] = [publisher]
        if let saveLocal {
            let options = try bag.options(durability: .resilient, customData: setup.provenance)
            sinks.append(BagSink(FilePath(saveLocal), options: options))
        }
        if delay > .zero { try await Signals.cancelling { try await Task.sleep(for: delay) } }
        let report = try await FailedRun.reporting(publisher, json: json) {
            try await RunWithProgress.run(
                setup,
                sinks: sinks,
                publisher: publisher,
                progress: progress == .json ? .json : progress == .auto ? .onTerminal : .off
            )
        }
        try Outcome(setup: setup, report: report, bagPath: saveLocal, publisher: "\(url)")
            .finish(json: json, publishing: publishing)
    }

    /// The whole pipeline into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ plan: ReplayPlan) async throws {
        var plan = plan
        plan.rate = nil
        plan.loops = 1
        let setup = try ReplaySetup(session: SessionFormats.open(path: session), plan: plan)
        let report = try await RunWithProgress.run(setup, sinks: [], publisher: nil, progress: .off)
        try Outcome(setup: setup, report: report, bagPath: nil, publisher: nil)
            .finish(json: json, publishing: publishing)
    }

    private func parsedRate() throws -> Double? {
        if rate == "max" || rate == "0" { return nil }
        guard let value = Double(rate), value > 0, value <= 1000 else {
            throw UsageError("--rate", expected: "a number up to 1000, or max", found: rate)
        }
        return value
    }

    private func parsedLoops() throws -> Int? {
        guard let loop else { return 1 }
        guard loop >= 0 else { throw UsageError("--loop", expected: "how often, or nothing", found: "\(loop)") }
        return loop == 0 ? nil : loop
    }
}
