import ArgumentParser
import Maps
import Platform
import Recording
import Translation

struct TagsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tags",
        abstract: "AprilTags: find them in images, make maps of them, and evaluate those.",
        subcommands: [TagsDetectCommand.self, TagsMapCommand.self, TagsLocateCommand.self, TagsEvaluateCommand.self]
    )
}

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

    @Argument(help: "A raw or processed map of Invisible Map Creator (JSON).", completion: .file()) var map: String

    @Option(
        help: .value("file", "Where the tags truly are: lines of rpy ID x y z roll pitch yaw, in metres, z up."),
        completion: .file()
    )
    var truth: String?

    @OptionGroup var json: JSONOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let truth = try truth.map(TagFiles.truth)
        let map = map
        let report = try await progress.run("tags evaluate", endsAtOnce: true) { tell in
            tell(WorkProgress("evaluating", 0, of: 1, .steps))
            return try Report(TagFiles.map(map), truth)
        }
        try report.finish(json: json.isGiven)
    }
}

/// Maps of tags and their truth, by their paths.
enum TagFiles {
    private static let maximumBytes = 256 << 20

    static func map(_ path: String) throws -> TagMapFile {
        let text = try text(path)
        return try located(path) { () throws(TagMapError) in try TagMapFile(parsing: Array(text.utf8)) }
    }

    static func processedMap(_ path: String) throws -> ProcessedTagMap {
        guard case .processed(let map) = try map(path) else {
            throw InputError(
                path: path,
                problem: "expected a processed map, found a raw one: tags map makes one of it"
            )
        }
        return map
    }

    static func truth(_ path: String) throws -> TagTruth {
        let text = try text(path)
        return try located(path) { () throws(TagMapError) in try TagTruth(parsing: text) }
    }

    private static func text(_ path: String) throws(InputError) -> String {
        guard let text = TextFile.read(path, maximumBytes: maximumBytes) else {
            throw InputError(path: path, problem: "expected a readable text file, found none", isMissing: true)
        }
        return text
    }

    /// The optical frame of the camera in the frame `map`, as `export --to tum` has it.
    static func tumText(_ walk: RawTagMap, _ poses: [Transform]) -> String {
        var text = "# timestamp tx ty tz qx qy qz qw\n"
        for (pose, solved) in zip(walk.poses, poses) {
            let optical = Coordinates.mapFromWorld * solved * Coordinates.opticalFromCamera.inverse
            let (t, q) = (optical.translation, optical.rotation)
            text += "\(pose.seconds) \(t.x) \(t.y) \(t.z) \(q.x) \(q.y) \(q.z) \(q.w)\n"
        }
        return text
    }

    /// Names the file in what is wrong with it.
    private static func located<Result>(
        _ path: String,
        _ body: () throws(TagMapError) -> Result
    ) throws(InputError) -> Result {
        do {
            return try body()
        } catch {
            throw InputError(path: path, problem: "\(error)")
        }
    }
}

/// A file that is not what it has to be, such as a map of tags, or does not fit the recording.
struct InputError: Error, CustomStringConvertible {
    var path: String
    var problem: String
    var isMissing = false

    var description: String { "\(path): \(problem)" }
}
