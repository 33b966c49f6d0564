import ArgumentParser
import Bags
import Playback
import SystemPackage
import Translation

struct BagCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bag",
        abstract: "Write a bag from a session, as fast as possible.",
        discussion: """
            Examples:
              mapeverything bag room
              mapeverything bag room.zip -o room.mcap --start 5 --duration 10
            """
    )

    @Argument(help: "A session: folder, .zip or .tar.", completion: .file()) var session: String

    @Option(
        name: .shortAndLong,
        help: .value("path", "Bag folder to create, or NAME.mcap for one file. Default: NAME_bag."),
        completion: .file()
    )
    var output: String?

    @OptionGroup(title: "What is published") var publishing: PublishingOptions
    @OptionGroup(title: "The bag") var bag: BagWritingOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var html: HTMLReportOptions
    @OptionGroup(title: "Point clouds") var clouds: CloudOptions

    func run() async throws {
        let page = try html.file(replaces: bag.force.isGiven, inputs: [session])
        let plan = try publishing.plan(clouds: clouds)
        let opened = try await publishing.recording.open(session, jobs: plan.jobs, "bag", progress)
        let setup = try ReplaySetup(opened, plan: plan)
        let output = try DefaultOutput.path(output, of: session, "_bag")
        let options = try bag.options(durability: .fast, customData: setup.provenance, output: output)
        let sink = BagSink(FilePath(output), options: options)
        let played = try await RunWithProgress(command: "bag", stage: "writing", progress: progress)
            .run(.session(setup), into: [sink])
        if !played.playback.wasInterrupted {
            try await page?.write(opened, at: session, publishing, progress, of: "bag")
        }
        try played.finish(publishing.reporting, to: ["bag: \(output)"])
    }
}
