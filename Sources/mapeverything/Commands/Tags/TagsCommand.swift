import ArgumentParser

struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "Maps of AprilTags: make them of walks, and evaluate them.",
        subcommands: [TagsMapCommand.self, TagsEvaluateCommand.self]
    )
}
