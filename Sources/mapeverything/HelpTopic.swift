import Maps
import Sessions

/// The pages of `mapeverything help TOPIC` about what belongs to no single command.
enum HelpTopic: String, CaseIterable {
    case environment
    case exitStatuses = "exit-statuses"
    case formats
    case topics

    /// The page that a command line asks for; `topics` is also a command, whose help is `topics --help`.
    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    var text: String {
        switch self {
        case .environment: Self.environmentText
        case .exitStatuses:
            Table(
                [.right("status") { .count(Int($0.rawValue)) }, .left("meaning") { .string($0.meaning) }],
                ExitStatus.allCases
            ).text
        case .formats: Self.formatsText
        case .topics:
            TopicsCommand.table.text
                + "\n\nWhich of them a recording has: mapeverything inspect SESSION. More: mapeverything topics --help."
        }
    }

    /// A help whose usage is wrapped, as the rest of it is.
    static func wrapped(_ help: String) -> String {
        guard let usage = help.split(separator: "\n").first(where: { $0.hasPrefix("USAGE: ") }), usage.count > 80 else {
            return help
        }
        var lines: [String] = []
        // Options in brackets stay in one piece.
        for word in usage.replacing(" [", with: "\n[").replacing(" --", with: "\n--").split(separator: "\n") {
            if let last = lines.last, last.count + 1 + word.count <= 80 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append((lines.isEmpty ? "" : "       ") + word)
            }
        }
        return help.replacing(usage, with: lines.joined(separator: "\n"))
    }

    /// The last line of a command's help: where the options are that few need.
    static func pointer(to text: String, _ arguments: [String]) -> String {
        guard text.contains("\nUSAGE: mapeverything "), !arguments.contains("--help-all") else { return "" }
        let command = arguments.filter { !$0.hasPrefix("-") && $0 != "help" }.joined(separator: " ")
        let words = text.split(separator: "\n").first { $0.hasPrefix("USAGE: ") }?.split(separator: " ").dropFirst()
        let name = words?.prefix { !$0.hasPrefix("[") && !$0.hasPrefix("<") && !$0.hasPrefix("-") }.joined(
            separator: " "
        )
        guard let name, !text.contains("\nSUBCOMMANDS:"), !command.isEmpty else { return "" }
        return "\nAll options: \(name) --help-all"
    }

    private static let environmentText = """
        MAPEVERYTHING_URL  the server of replay and probe where no --url is given; 127.0.0.1 without it
        PATH               where ffmpeg is found, which decodes the videos of recordings
        TMPDIR             the folder for temporary files; /tmp without it
        COLUMNS            the width of the line of progress where standard error is no terminal

        No configuration file is read that was not named on the command line.
        """

    private static var formatsText: String {
        func names(_ fits: (ExportFormat) -> Bool) -> String {
            ExportFormat.allCases.filter(fits).map(\.name).joined(separator: ", ")
        }
        let recordings = SessionFormats.names
        return """
            Recordings, as folders, .zip or .tar files, by content and not by name
            (inspect, check, bag, replay, serve, map, export, trim, report, list):
              \(recordings.prefix(5).joined(separator: ", ")),
              \(recordings.dropFirst(5).joined(separator: ", "))

            Bags, compressed or not (inspect, check, replay, serve, convert, repair, export, report):
              folders of rosbag2, .db3 files, .mcap files

            Written by bag and convert:  sqlite3 (.db3), mcap
            Written by map:              \(MapFile.Form.allCases.map(\.rawValue).joined(separator: ", "))
            Written by export:
              of frames    \(names { $0.frameFormat != nil })
              of surfaces  \(names { if case .surface = $0 { true } else { false } })
              of fixes     \(names { if case .track = $0 { true } else { false } })
              of messages  \(names { if case .table = $0 { true } else { false } })
            """
    }
}
