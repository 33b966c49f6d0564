import ArgumentParser
import HTMLReports
import Maps
import Platform
import Recording
import Sessions
import SystemPackage
import Text

struct TagsMapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Make one map of walks that saw the same tags.",
        discussion: """
            Examples:
              mapeverything tags map room -o room_map.json --tag-size 0.152
              mapeverything tags map floor_2.json -o floor_2_map.json
              mapeverything tags map monday.json tuesday.json -o week.json --g2o week.g2o
            """
    )

    @Argument(
        help: "Sessions (folders, .zip or .tar), or raw maps of Invisible Map Creator (.json).",
        completion: .file()
    )
    var walks: [String]

    @Option(
        name: .shortAndLong,
        help: .value("path", "File to create: the processed map (JSON), as Invisible Map's app reads it."),
        completion: .file()
    )
    var output: String

    @Option(
        help: .value(
            "file",
            "Also write the optimised poses of each walk: TUM text; several walks get -2, -3 ... in the name."
        ),
        completion: .file()
    )
    var tum: String?

    @Option(help: .value("file", "Also write the pose graph as g2o text."), completion: .file()) var g2o: String?

    @Option(
        help: .value("folder", "Also write each session with its optimised poses: folders to create."),
        completion: .directory
    )
    var corrected: String?

    @Option(
        help: .value(
            "file",
            "Also draw the map from above: an SVG picture; several pieces get -2, -3 ... in the name."
        ),
        completion: .file()
    )
    var picture: String?

    @Option(
        help: ArgumentHelp(
            "Name a place: where the walk was so many seconds after its beginning, such as door=12.5. Repeatable.",
            discussion: "Of several walks it is the first; door=2/12.5 is in the second one.",
            valueName: "name=seconds"
        )
    )
    var waypoint: [String] = []

    @Flag(help: "Let GPS fixes hold the map, too: for walks that are long against the accuracy of the fixes.")
    var gps = false

    @Option(
        help: .value("file", "Where the tags truly are: lines of rpy ID x y z roll pitch yaw, in metres, z up."),
        completion: .file()
    )
    var truth: String?

    @OptionGroup var search: TagSearchOptions

    @Option(help: .rare("Also write what was seen as a raw map of Invisible Map Creator.", "file"), completion: .file())
    var raw: String?

    @Flag(help: .rare("Keep both places of a number that hangs in two. Default: one place, the other is reported."))
    var allowDuplicates = false

    @OptionGroup var poses: PoseOptions
    @OptionGroup var force: ForceOptions
    @OptionGroup var json: JSONOptions

    func run() async throws {
        let truth = try truth.map(TagFiles.truth)
        let search = try TagSearch(search, "tags map")
        let names = self.walks
        if let changed = poses.given, corrected != nil {
            throw UsageError("--corrected", expected: "the recorded poses to correct", found: changed)
        }
        try UsageError.require(poses.poses == nil || names.count == 1, "--poses", "one session", names.count)
        let raws = try raw.map { path in try names.indices.map { try newFile(path, $0, .json) } }
        let trajectories = try tum.map { path in try names.indices.map { try newFile(path, $0, .trajectory) } }
        var read: [TagWalkInput] = []
        for path in names { read.append(try await TagWalkInput.read(path, search, takesFixes: gps, poses)) }
        for text in waypoint { try TagWaypointOption(text).add(to: &read) }
        let walks = read.map(\.walk)
        if gps, walks.allSatisfy(\.fixes.isEmpty) {
            Terminal.printError(
                "warning: --gps: expected GPS fixes with an accuracy near poses, found none: nothing comes of it"
            )
        }
        let allowDuplicates = allowDuplicates
        let maps = try await self.search.progress.run("tags map", endsAtOnce: true) { tell in
            tell(WorkProgress("solving", 0, of: 1, .steps))
            var mapper = TagMapper()
            mapper.allowsDuplicates = allowDuplicates
            return mapper.maps(of: walks)
        }
        guard maps.contains(where: { !$0.tags.isEmpty }) else {
            throw InputError(path: names[0], problem: "expected detections of tags, found none")
        }
        let files = try maps.indices.map { piece in
            try (
                map: newFile(output, piece, .json),
                g2o: g2o.map { try newFile($0, piece, .graph) },
                picture: picture.map { try newFile($0, piece, .picture) }
            )
        }
        for (file, walk) in zip(raws ?? [], walks) { try file.write(walk.json.text() + "\n") }
        for (map, file) in zip(maps, files) {
            let visible = map.walks.map { walk in
                walks[walk.index].detections.reduce(into: [Int: Int]()) { $0[$1.pose, default: 0] += 1 }
            }
            let walkways = Walkways(map.walks.map(\.poses), visibleTags: visible)
            try file.map.write(map.json(walkways).text(style: .pretty) + "\n")
            try file.g2o?.write(map.graph.g2oText)
            try file.picture?.write(TagMapPicture.svg(map, walks, names: names, title: file.map.path).file)
            for walk in map.walks {
                try trajectories?[walk.index].write(TagFiles.tumText(walks[walk.index], walk.poses))
            }
        }
        let corrections = try corrected.map { try correct(read, maps, to: $0) } ?? []
        try Report(read, maps, names: names, files: files.map(\.map.path), corrections, truth)
            .finish(json: json.isGiven)
    }

    private func newFile(_ path: String, _ number: Int, _ kind: OutputKind) throws -> NewFile {
        try NewFile(Self.numbered(path, number), kind, replaces: force.isGiven, inputs: self.walks)
    }

    /// Writes the sessions with the poses of their map, and says what became of each.
    private func correct(_ inputs: [TagWalkInput], _ maps: [SolvedTagMap], to path: String) throws -> [Fact] {
        try maps.flatMap(\.walks).sorted { $0.index < $1.index }.compactMap { walk in
            let input = inputs[walk.index]
            guard !input.lines.isEmpty else { return nil }
            let motions = zip(walk.poses, input.walk.poses).map { $0 * $1.worldFromCamera.inverse }
            let output = Self.numbered(path, walk.index)
            let counts = try CorrectedSession(
                path: walks[walk.index],
                corrections: Dictionary(zip(input.lines, motions)) { first, _ in first }
            ).write(to: FilePath(output))
            var text = "\(output): \(counts.corrected) poses"
            if counts.moved > 0 { text += ", \(counts.moved) of limited tracking moved with them" }
            if counts.unreadable > 0 { text += ", \(counts.unreadable) lines that do not read are as they were" }
            let json = JSONValue.of([
                "path": output, "corrected": counts.corrected, "moved": counts.moved, "unreadable": counts.unreadable,
            ])
            return Fact("corrected", text, "corrected", json)
        }
    }

    /// `map.json`, `map-2.json` and so on.
    static func numbered(_ path: String, _ index: Int) -> String {
        guard index > 0 else { return path }
        var path = FilePath(path)
        let name = (path.stem ?? "map") + "-\(index + 1)" + (path.extension.map { "." + $0 } ?? "")
        path.removeLastComponent()
        return path.appending(name).string
    }
}

/// A place that is named on the command line: `door=12.5`, `door=2/12.5`.
struct TagWaypointOption {
    private let text: String
    private let name: String
    private let walk: Int
    private let seconds: Double

    init(_ text: String) throws(UsageError) {
        self.text = text
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let place = parts.last?.split(separator: "/", omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, !parts[0].isEmpty, (1...2).contains(place.count),
            let seconds = Seconds.of(place[place.count - 1]),
            let walk = place.count == 2 ? Int(place[0]) : 1
        else {
            throw UsageError("--waypoint", expected: "NAME=SECONDS or NAME=WALK/SECONDS", found: text)
        }
        (name, self.walk, self.seconds) = (String(parts[0]), walk, seconds)
    }

    /// Adds the pose that is nearest in time.
    func add(to inputs: inout [TagWalkInput]) throws(UsageError) {
        guard (1...max(1, inputs.count)).contains(walk), !inputs.isEmpty else {
            throw UsageError("--waypoint", expected: "a walk from 1 to \(inputs.count)", found: text)
        }
        let poses = inputs[walk - 1].walk.poses
        guard let first = poses.first, let last = poses.last,
            (0...max(0, last.seconds - first.seconds)).contains(seconds)
        else {
            let span = Format.seconds((poses.last?.seconds ?? 0) - (poses.first?.seconds ?? 0))
            throw UsageError("--waypoint", expected: "a time within the walk, which has \(span)", found: text)
        }
        let time = first.seconds + seconds
        let nearest = poses.indices.min { abs(poses[$0].seconds - time) < abs(poses[$1].seconds - time) } ?? 0
        inputs[walk - 1].walk.waypoints.append(
            RawTagMap.Waypoint(name: name, pose: nearest, cameraFromWaypoint: .identity)
        )
    }
}
