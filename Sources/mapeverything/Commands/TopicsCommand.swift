import ArgumentParser
import DynamicMessages
import JSONText
import Messages
import Replay

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

    @Flag(help: "Print a Markdown table. Default: a plain table.")
    var markdown = false

    @Flag(help: "Print JSON.")
    var json = false

    @Option(help: "Print the definition of a message type, such as sensor_msgs/msg/Imu.")
    var msg: String?

    @OptionGroup
    var messagePath: MessagePathOptions

    func run() throws {
        let forms = GivenOptions(
            expected: "one of them",
            [("--msg", msg != nil), ("--markdown", markdown), ("--json", json)]
        )
        if forms.names.count > 1 { try forms.refuse(found: "\(forms.names.count)") }
        let path = GivenOptions(expected: "--msg TYPE beside it", [("--msg-path", !messagePath.folders.isEmpty)])
        if msg == nil { try path.refuse(found: "none") }
        if let msg {
            let schema = try schema(of: msg)
            Terminal.print("# \(schema.typeName)\n# \(schema.typeHash)\n\(schema.ownText)")
        } else if json {
            Terminal.print(JSONValue.array(Catalogue.entries.map(object)).text(style: .pretty))
        } else {
            Terminal.print(markdown ? Self.markdownTable : Self.textTable)
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

    private static let header = ["topic", "type", "rate", "frame_id", "profiles"]

    private static func cells(_ entry: CatalogueEntry) -> [String] {
        let profiles = entry.isInApp ? "record, app" : entry.isInRecord ? "record" : "opt-in"
        return [entry.name, entry.type.typeName, entry.rateText, entry.frame, profiles]
    }

    private static var textTable: String {
        var table = TextTable(header: header, leftColumns: [0, 1, 2, 3, 4])
        for entry in Catalogue.entries { table.add(cells(entry)) }
        return table.text
    }

    private static var markdownTable: String {
        let rows = Catalogue.entries.map { entry in
            let cells = cells(entry)
            return "| `\(cells[0])` | \(cells[1]) | \(cells[2]) | \(cells[3]) | \(cells[4]) |"
        }
        return (["| \(header.joined(separator: " | ")) |", "|---|---|---|---|---|"] + rows).joined(separator: "\n")
    }

    private func object(_ entry: CatalogueEntry) -> JSONValue {
        [
            "name": .string(entry.name), "type": .string(entry.type.typeName),
            "rate_hz": entry.rateHertz.map { .number($0) } ?? .null, "rate": .string(entry.rateText),
            "frame_id": .string(entry.frame), "in_record": .bool(entry.isInRecord), "in_app": .bool(entry.isInApp),
            "needs": .string(entry.need.rawValue),
        ]
    }
}

struct CompletionsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completions",
        abstract: "Print shell completions: bash, zsh or fish.",
        discussion: """
            Example:
              mapeverything completions bash | sudo tee /etc/bash_completion.d/mapeverything > /dev/null
            """
    )

    @Argument(help: "The shell: bash, zsh or fish.")
    var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            throw UsageError("completions", expected: "bash, zsh or fish", found: shell)
        }
        Terminal.print(MapEverything.completionScript(for: shell))
    }
}
