import ArgumentParser
import JSONText
import ROS
import Replay

struct TopicsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topics",
        abstract: "The catalogue: names, types, rates and frames of everything that can be published."
    )

    @Flag(help: "As a Markdown table.")
    var markdown = false

    @Flag(help: "As JSON.")
    var json = false

    @Option(help: "Print the definition of a message type, such as sensor_msgs/msg/Imu.")
    var msg: String?

    func run() throws {
        if let msg {
            guard let type = MessageTypes.type(named: msg) else {
                throw UsageError("--msg", expected: "a type such as sensor_msgs/msg/Imu", found: msg)
            }
            Terminal.print("# \(type.typeName)\n# \(type.typeHash)\n\(type.msgText)")
        } else if json {
            Terminal.print(JSONValue.array(Catalogue.entries.map(object)).text(style: .pretty))
        } else {
            Terminal.print(markdown ? Self.markdownTable : Self.textTable)
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
        abstract: "Print shell completions: bash, zsh or fish."
    )

    @Argument(help: "bash, zsh or fish.")
    var shell: String

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else {
            throw UsageError("completions", expected: "bash, zsh or fish", found: shell)
        }
        Terminal.print(MapEverything.completionScript(for: shell))
    }
}
