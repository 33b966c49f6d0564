import ArgumentParser
import Maps
import Platform
import Recording
import Text
import Translation

struct TagsLocateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "locate",
        abstract: "Find where a session was in a map of tags, and the shortest way from place to place.",
        discussion: """
            Places are numbers of tags, names of waypoints, or here: where the session ended.

            Examples:
              mapeverything tags locate building.json visit --tum visit_in_map.txt
              mapeverything tags locate building.json --path 3 entrance
            """
    )

    @Argument(help: "A map of tags (JSON), as tags map writes it.", completion: .file()) var map: String

    @Argument(
        help: "A session (folder, .zip or .tar), or a raw map of Invisible Map Creator (.json).",
        completion: .file()
    )
    var session: String?

    @Option(
        parsing: .upToNextOption,
        help: .value("place", "Two places: print the length of the shortest way between them.")
    )
    var path: [String] = []

    @Option(help: .value("file", "Write the session's poses in the map: TUM text."), completion: .file()) var tum:
        String?

    @OptionGroup var search: TagSearchOptions
    @OptionGroup var force: ForceOptions
    @OptionGroup var json: JSONOptions

    func run() async throws {
        try UsageError.require(session != nil || !path.isEmpty, "locate", "a session or --path", "neither")
        try UsageError.require(path.isEmpty || path.count == 2, "--path", "two places", path.count)
        let map = try TagFiles.processedMap(map)
        let file = try tum.map { try NewFile($0, .trajectory, replaces: force.isGiven, inputs: inputs) }
        var facts: [Fact] = []
        // Not the vector itself, which must not be kept across an `await` (decision 014).
        var ends: [Vector3] = []
        if let session {
            let input = try await TagWalkInput.read(session, TagSearch(search, "tags locate"))
            guard let location = TagLocator(map.tags, covariances: map.covariances).location(of: input.walk) else {
                let seen = Set(input.walk.detections.map(\.tag)).sorted().map { "\($0)" }.joined(separator: ", ")
                throw InputError(
                    path: session,
                    problem: "expected a tag of the map, found " + (seen.isEmpty ? "no tag" : "tags \(seen)")
                )
            }
            try file?.write(TagFiles.tumText(input.walk, location.poses))
            facts += Self.facts(location)
            ends = location.poses.suffix(1).map(\.translation)
        }
        if path.count == 2 { facts += try way(map, ends) }
        try Report(facts).finish(json: json.isGiven)
    }

    private static func facts(_ location: TagLocator.Location) -> [Fact] {
        let sigmas = location.covariances.map { dot($0.covariance.tt.diagonal, Vector3(1, 1, 1)).squareRoot() }.sorted()
        let median = sigmas.quantile(0.5)
        let tags = location.sharedTags.map { "\($0)" }.joined(separator: ", ")
        let end = location.poses.last.map { Coordinates.mapFromWorld * $0.translation }
        let seen = "\(location.sightings) times tags of the map, \(location.rejected) rejected: \(tags)"
        let sigma = median.map { median in
            "\(Format.metres(median)) in the median, \(Format.metres(sigmas.last ?? median)) at worst"
        }
        let place = end?.components.map { Format.number($0, decimals: 3) }.joined(separator: ", ")
        return [
            Fact("poses", "\(location.poses.count)", "poses", location.poses.count),
            Fact("seen", seen, "sightings", location.sightings), .json("rejected", location.rejected),
            .json("tags", each: location.sharedTags) { .integer($0) },
            Fact("sigma", sigma ?? "", "sigma_median_m", median), .json("sigma_worst_m", sigmas.last),
            Fact("end", place.map { "(\($0)) in the frame map" } ?? "", "end_m", end?.components),
        ]
    }

    private func way(_ map: ProcessedTagMap, _ here: [Vector3]) throws -> [Fact] {
        let ends = try path.map { name in
            guard let place = place(name, map, here.last).flatMap({ map.walkways.place(nearestTo: $0) }) else {
                throw UsageError("--path", expected: "a tag or a waypoint of the map, or here", found: name)
            }
            return place
        }
        guard let way = map.walkways.path(from: ends[0], to: ends[1]) else {
            throw InputError(path: self.map, problem: "expected a way from \(path[0]) to \(path[1]), found none")
        }
        let points = way.places.map { Coordinates.mapFromWorld * map.walkways.places[$0].pose.translation }
        let metres = Format.number(way.metres, decimals: 2)
        let text = "\(metres) m from \(path[0]) to \(path[1]), over \(points.count) places"
        return [Fact("way", text, "way_m", way.metres), .json("way", points.map(\.components))]
    }

    private func place(_ name: String, _ map: ProcessedTagMap, _ here: Vector3?) -> Vector3? {
        if name == "here" { return here }
        if let waypoint = map.waypoints[name] { return waypoint.translation }
        return Int64(name).flatMap { map.tags[$0]?.translation }
    }
}

extension Vector3 {
    fileprivate var components: [Double] { [x, y, z] }
}
