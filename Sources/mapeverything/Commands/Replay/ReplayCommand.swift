import ArgumentParser

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session or a bag to a rosbridge server, or as Arvos, at the speed of the recording.",
        discussion: """
            Examples:
              mapeverything replay room --url 10.0.0.5
              mapeverything replay room_bag --url wss://robot:9090 --rate 2 --loop
              mapeverything replay room --arvos-listen 0.0.0.0:9090
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @Option(help: "Also write the messages to this bag folder. Default: none.")
    var saveLocal: String?

    @Flag(help: "Compute everything and print the report; send nothing.")
    var dryRun = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup(title: "Playback")
    var player: PlayerOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Arvos")
    var arvos: ArvosSendingOptions

    @OptionGroup(title: "What is published")
    var publishing: PublishingOptions

    @OptionGroup
    var html: HTMLReportOptions

    @OptionGroup(title: "Bag input")
    var unknownTypes: UnknownTypeOptions

    @OptionGroup(title: "Damaged bags")
    var unpacking: UnpackingOptions

    @OptionGroup(title: "The bag of --save-local")
    var bag: BagWritingOptions

    @OptionGroup(title: "Point clouds (advanced)")
    var clouds: CloudOptions

    @OptionGroup(title: "Connection (advanced)")
    var timing: ConnectionTimingOptions

    func run() async throws {
        let page = try html.file(replaces: bag.force, inputs: [path])
        switch try InputKind(path) {
        case .bag:
            try await BagReplay(command: self).run()
            try await page?.write(bag: path, unknownTypes.messagePath, player.progress, of: "replay")
        case .session:
            try await SessionReplay(command: self).run()
            try await page?.write(path, publishing, player.progress, of: "replay")
        }
    }
}
