import ArgumentParser

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session or a bag to a rosbridge server, paced on its own clock."
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @Option(help: "Mirror the same messages into a bag.")
    var saveLocal: String?

    @Flag(help: "Print what would be sent, without a network.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup(title: "The player")
    var player: PlayerOptions

    @OptionGroup(title: "The connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "What is published")
    var publishing: PublishingOptions

    @OptionGroup(title: "Of a bag")
    var unknownTypes: UnknownTypeOptions

    @OptionGroup(title: "Damaged bags")
    var damage: DamageOptions

    @OptionGroup(title: "The mirror")
    var bag: BagWritingOptions

    func run() async throws {
        switch try InputKind(path) {
        case .bag: try await BagReplay(command: self).run()
        case .session: try await SessionReplay(command: self).run()
        }
    }
}
