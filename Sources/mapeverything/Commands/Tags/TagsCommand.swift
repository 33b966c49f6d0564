import ArgumentParser

struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "AprilTags: find them in images, make maps of them, and evaluate those.",
        subcommands: [TagsDetectCommand.self, TagsMapCommand.self, TagsLocateCommand.self, TagsEvaluateCommand.self]
    )
}
