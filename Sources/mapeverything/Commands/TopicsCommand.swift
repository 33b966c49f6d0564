import ArgumentParser
import Messages
import Text
import Translation

struct TopicsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "List all topics that can be published: names, types, rates and frames.",
        discussion: """
            Examples:
              mapeverything topics
              mapeverything topics --msg sensor_msgs/msg/Imu
            """
    )

    @Flag(help: "Print a Markdown table. Default: a plain table.") var markdown = false

    @OptionGroup var json: JSONOptions

    @Option(help: .value("type", "Print the definition of a message type, such as sensor_msgs/msg/Imu.")) var msg:
        String?

    @OptionGroup var messagePath: MessagePathOptions

    func run() throws {
        let forms = GivenOptions.onCommandLine.among("--msg --markdown --json")
        let names = forms.joined(separator: ", ")
        try UsageError.require(forms.count < 2, names, "one of them", forms.count)
        try OptionUse("topics", found: "").refuseUnused()
        if let msg {
            let schema = try schema(of: msg)
            Terminal.print("# \(schema.typeName)\n# \(schema.typeHash)\n\(schema.ownText)")
        } else if json.isGiven {
            Terminal.print(Self.table.json.text(style: .pretty))
        } else {
            Terminal.print(markdown ? Self.markdownTable : Self.table.text)
        }
    }

    private func schema(of name: String) throws -> MessageSchema {
        do {
            return try messagePath.resolver().resolve(name).schema
        } catch let error as UnknownType {
            let found = error.problem ?? name
            throw UsageError(
                "--msg",
                expected: "a type such as sensor_msgs/msg/Imu, known or under --msg-path",
                found: found
            )
        }
    }

    /// The profiles that have the topic, of those that are no list of everything.
    private static func profiles(of entry: CatalogueEntry) -> String {
        let names = [("data", SmallestProfile.data), ("record", .record), ("app", .app)].filter { entry.isIn($0.1) }
        return names.isEmpty ? "opt-in" : names.map(\.0).joined(separator: ", ")
    }

    static var table: Table<CatalogueEntry> {
        Table(
            [
                .left("topic", "name") { .string($0.name) }, .left("type", "type") { .string($0.type.typeName) },
                .json("rate_hz") { $0.rateHertz }, .left("rate", "rate") { .string($0.rateText) },
                .left("frame_id", "frame_id") { .string($0.frame) },
                .left("profiles") { Cell(profiles(of: $0), .null) },
                .json("in_data") { $0.isIn(.data) }, .json("in_record") { $0.isIn(.record) },
                .json("in_app") { $0.isIn(.app) },
                .json("needs") { $0.need.rawValue },
            ],
            Catalogue.entries
        )
    }

    private static var markdownTable: String {
        let rows = table.cells.map { cells in "| `\(cells[0])` | \(cells.dropFirst().joined(separator: " | ")) |" }
        let header = "| \(table.header.joined(separator: " | ")) |"
        return ([header, "|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }
}

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print shell completions: bash, zsh or fish.",
        discussion: """
            Example:
              mapeverything completions bash > ~/.bash_completion
            """
    )

    @Argument(help: "The shell: bash, zsh or fish.") var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell.lowercased()) else {
            throw UsageError("completions", expected: "bash, zsh or fish", found: shell)
        }
        // The parser leaves out what a help does.
        let script = ArgumentVisibility.$rare.withValue(.default) { MapEverything.completionScript(for: shell) }
        Terminal.print(script)
    }
}
