import ArgumentParser

struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "Maps of AprilTags: evaluate those of Invisible Map Creator.",
        subcommands: [TagsEvaluateCommand.self]
    )
}
