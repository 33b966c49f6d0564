import ArgumentParser
import Files
import JSONText
import Recording
import SystemPackage
import TagMaps

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

    private static let maximumBytes = 256 << 20

    func run() async throws {
        let truth = try truth.map { path in try located(path) { () throws in try TagTruth(parsing: text(path)) } }
        let report = try located(map) { () throws in
            let bytes = Array(try text(map).utf8)
            if let processed = try? ProcessedTagMap(parsing: bytes) { return TagMapReport(processed, truth) }
            return TagMapReport(try RawTagMap(parsing: bytes), truth)
        }
        if truth != nil, !report.hasTruth {
            throw UsageError("--truth", expected: "at least three tags of the map", found: "fewer")
        }
        Terminal.print(json ? report.json.text(style: .pretty) : report.text)
    }

    private func text(_ path: String) throws -> String {
        guard let text = TextFile.read(path, maximumBytes: Self.maximumBytes) else {
            throw TagFileError(path: path, problem: "expected a readable text file, found none", isMissing: true)
        }
        return text
    }

    /// Names the file in what is wrong with it.
    private func located<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as TagMapError {
            throw TagFileError(path: path, problem: "\(error)")
        }
    }
}

/// A file that is no map of tags, or no truth of one.
struct TagFileError: Error, CustomStringConvertible {
    var path: String
    var problem: String
    var isMissing = false

    var description: String { "\(path): \(problem)" }
}
