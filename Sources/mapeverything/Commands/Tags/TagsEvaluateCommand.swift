import ArgumentParser
import JSONText
import TagMaps
import Work

struct TagsEvaluateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evaluate",
        abstract: "Show how well a map of tags agrees with itself, and with the truth.",
        discussion: """
            Examples:
              mapeverything tags evaluate floor_2.json
              mapeverything tags evaluate floor_2.json --truth mac_1_2.txt
            """
    )

    @Argument(help: "A raw or processed map of Invisible Map Creator (JSON).")
    var map: String

    @Option(help: "Where the tags truly are: lines of rpy ID x y z roll pitch yaw, in metres, z up.")
    var truth: String?

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup
    var progress: ProgressOptions

    func run() async throws {
        let truth = try truth.map(TagFiles.truth)
        let (map, json) = (map, json)
        let text = try await progress.run("tags evaluate", endsAtOnce: true) { tell in
            tell(WorkProgress("evaluating", 0, of: 1, .steps))
            let report =
                switch try TagFiles.map(map) {
                case .processed(let map): TagMapReport(map, truth)
                case .raw(let map): TagMapReport(map, truth)
                }
            if truth != nil, !report.hasTruth {
                throw UsageError("--truth", expected: "at least three tags of the map", found: "fewer")
            }
            return json ? report.json.text(style: .pretty) : report.text
        }
        Terminal.print(text)
    }
}
