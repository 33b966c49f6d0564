import Exports
import Sessions
import Synthetic

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

    /// A help as it is printed: its usage wrapped as the rest of it is, and at the end of a command's where the options are that few
    /// need.
    ///
    /// - Parameter hasAll: true for the help that shows all options.
    static func printed(_ help: String, hasAll: Bool) -> String {
        guard let usage = help.split(separator: "\n").first(where: { $0.hasPrefix("USAGE: ") }) else { return help }
        let command = usage.split(separator: " ").dropFirst().prefix { !"[<-".contains($0.prefix(1)) }.map {
            String($0)
        }
        let page = ofOne(command.last ?? "", help.replacing(usage, with: wrapped(usage)))
        guard !hasAll, !help.contains("\nSUBCOMMANDS:") else { return page }
        return page + posesAndDepth(of: command, beside: page)
            + "\nAll options: \(command.joined(separator: " ")) --help-all"
    }

    /// The page without what holds in other commands, of options that several share.
    private static func ofOne(_ command: String, _ page: String) -> String {
        let isReplay = ["replay", "play"].contains(command)
        let page = page.replacing("Default: data; replay: record.", with: "Default: \(isReplay ? "record" : "data").")
        guard command != "export" else { return page }
        return page.replacing(/,\s+or\s+of\s+the\s+steps\s+of\s+lerobot\./, with: ".")
            .replacing(/Default:\s+10;\s+lerobot:\s+30,\s+or\s+the\s+slowest\s+recording's\./, with: "Default: 10.")
    }

    /// The options that many commands share, short; `--help-all` has the rest of them.
    private static func posesAndDepth(of command: [String], beside page: String) -> String {
        let lines = [
            ("--poses", "  --refine, --poses FILE  Poses corrected where the walk returns, or a file's.\n"),
            ("--dense", "  --depth KIND, --dense   lidar, dense (as fine as the image) or relative depth.\n"),
            ("--tag-map", "  --tag-map FILE          Frames of the AprilTags of a map by tags map.\n"),
        ]
        let names = CommandOptions(Array(command.dropFirst())).names
        // What refine corrects are the recorded poses.
        let shown = lines.filter { option, _ in
            names.contains(option) && !page.contains("\n  \(option) ")
                && (option, command.last) != ("--poses", "refine")
        }
        return shown.isEmpty ? "" : "\nPOSES AND DEPTH:\n" + shown.map(\.1).joined()
    }

    private static func wrapped(_ usage: Substring) -> String {
        guard usage.count > 80 else { return String(usage) }
        var lines: [String] = []
        // Options in brackets stay in one piece.
        for word in usage.replacing(" [", with: "\n[").replacing(" --", with: "\n--").split(separator: "\n") {
            if let last = lines.last, last.count + 1 + word.count <= 80 {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append((lines.isEmpty ? "" : "       ") + word)
            }
        }
        return lines.joined(separator: "\n")
    }

    private static let environmentText = """
        MAPEVERYTHING_URL    the server of replay where no --url is given; 127.0.0.1 without it
        PATH                 where ffmpeg is found, for the videos of recordings and of LeRobot data sets
        TMPDIR               the folder for temporary files; /tmp without it
        COLUMNS              the width of the line of progress where standard error is no terminal
        ONNXRUNTIME_LIBRARY  the library of ONNX Runtime where no --onnxruntime is given

        No configuration file is read that was not named on the command line.
        """

    private static var formatsText: String {
        func names(_ fits: (Product) -> Bool) -> String {
            Product.exports.filter(fits).map(\.name).joined(separator: ", ")
        }
        let (recordings, layouts) = (SessionFormats.names, SampleFormat.allCases.map(\.rawValue))
        return """
            Recordings, as folders, .zip or .tar files, by content and not by name
            (inspect, check, bag, replay, serve, map, export, trim, report, list):
              \(recordings.prefix(5).joined(separator: ", ")),
              \(recordings.dropFirst(5).joined(separator: ", "))

            Bags, compressed or not (inspect, check, replay, serve, convert, repair, export, report):
              folders of rosbag2, .db3 files, .mcap files

            Written by bag and convert:  sqlite3 (.db3), mcap
            Written by sample --format:
              \(layouts.prefix(6).joined(separator: ", ")),
              \(layouts.dropFirst(6).joined(separator: ", "))
            Written by map:              \(Product.maps.compactMap(\.ending).joined(separator: ", "))
            Written by export:
              of frames    \(names { $0.frameFormat.map { !$0.isDataset } ?? false })
              of surfaces  \(names { if case .surface = $0.making { true } else { false } })
              of fixes     \(names { if case .track = $0.making { true } else { false } })
              of messages  \(names { if case .table = $0.making { true } else { false } })
              data sets    \(names { if case .episodes = $0.making { true } else { $0.frameFormat?.isDataset ?? false } })
            """
    }
}
