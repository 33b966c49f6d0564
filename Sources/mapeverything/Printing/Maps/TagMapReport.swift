import Maps
import Perception
import Recording
import Text

extension Report {
    /// The report of `tags evaluate` on a map of tags.
    ///
    /// - Throws: a ``UsageError`` where too few of its tags have a truth.
    init(_ file: TagMapFile, _ truth: TagTruth?) throws(UsageError) {
        switch file {
        case .raw(let map):
            let consistency = TagConsistency(map)
            let seen = consistency.tags.count
            let counts = "\(map.detections.count) of \(seen) tags, from \(map.poses.count) poses"
            let spread = consistency.spreadMetres.map { "\(Format.metres($0)) about the mean of each tag, as recorded" }
            let facts = [
                Fact("map", map.name.isEmpty ? "raw map" : "raw map \(map.name)", "map", map.name),
                Fact("detections", counts), .json("poses", map.poses.count), .json("detections", map.detections.count),
                .json("tags_seen", seen), Fact("waypoints", map.waypoints.isEmpty ? "" : "\(map.waypoints.count)"),
                Fact("spread", spread ?? "", "spread_m", consistency.spreadMetres),
            ]
            let places = consistency.first.mapValues(\.translation)
            try self.init(facts, consistency.tags.map { ($0.id, $0) }, places, truth, map.problems)
        case .processed(let map):
            let tags = "\(map.tags.count), with \(map.poseCount) poses"
            let facts = [Fact("map", "processed map", "map", ""), Fact("tags", tags, "tags_seen", map.tags.count)]
            let places = map.tags.mapValues(\.translation)
            try self.init(facts, map.tags.keys.sorted().map { ($0, nil) }, places, truth, map.problems)
        }
    }

    private init(
        _ facts: [Fact],
        _ rows: [(id: Int64, consistency: TagConsistency.Tag?)],
        _ places: [Int64: Vector3],
        _ truth: TagTruth?,
        _ problems: TagMapProblems
    ) throws(UsageError) {
        let comparison = truth.flatMap { TruthComparison(places, $0) }
        if truth != nil, comparison == nil {
            throw UsageError("--truth", expected: "at least three tags of the map", found: "fewer")
        }
        let errors = comparison?.errors ?? [:]
        add(facts + (comparison?.facts ?? []))
        let tags: [Column<(id: Int64, consistency: TagConsistency.Tag?)>] = [
            .left("tag", "tag") { .string("\($0.id)") },
            .right("seen", "detections") { $0.consistency.map { .count($0.detections) } ?? Cell("") },
            .right("spread m", "spread_m") { .number($0.consistency?.spreadMetres, decimals: 3) },
            .right("spread deg", "spread_deg") { .number($0.consistency?.spreadDegrees, decimals: 2) },
            .right("edge m", "edge_m") { .number($0.consistency?.edgeMetres, decimals: 4) },
            .right("error m", "error_m") { .number(errors[$0.id], decimals: 3) },
        ]
        add(Table(tags, rows), "tags", showsHeader: true)
        say(problems.lines.isEmpty ? ["no problem found"] : problems.lines)
        json("problems", problems.json)
    }
}

extension TruthComparison {
    /// The error of each tag in metres.
    var errors: [Int64: Double] {
        Dictionary(tags.map { ($0.id, $0.errorMetres) }, uniquingKeysWith: { first, _ in first })
    }

    var facts: [Fact] {
        let rmse =
            "RMSE \(Format.metres(rootMeanSquareMetres)), median \(Format.metres(medianMetres)), largest "
            + "\(Format.metres(worst.errorMetres)) (tag \(worst.id)), of \(tags.count) tags, aligned rigidly"
        let pairs =
            "between two tags wrong by \(Format.metres(pairErrorMetres)) in the mean, "
            + "\(Format.percent(pairErrorShare)) of their length"
        return [
            Fact("truth", rmse, "rmse_m", rootMeanSquareMetres), .json("median_m", medianMetres),
            .json("largest_m", worst.errorMetres), .json("tags_with_truth", tags.count),
            Fact("distances", pairs, "pair_error_m", pairErrorMetres), .json("pair_error_share", pairErrorShare),
        ]
    }
}

extension TagMapProblems {
    /// A line for each kind of problem, and one for each of its first places.
    var lines: [String] {
        Kind.allCases.compactMap { kind in
            counts[kind].map { count in
                (["\(count) \(kind.rawValue)"] + (examples[kind] ?? []).map { "  \($0)" }).joined(separator: "\n")
            }
        }
    }

    var json: JSONValue {
        .object(Kind.allCases.compactMap { kind in counts[kind].map { ("\(kind)", JSONValue.integer($0)) } })
    }
}

extension SessionTagCounts {
    /// The result of a search for tags in the frames of a session.
    var facts: [Fact] {
        let sources = TagSighting.Source.allCases.compactMap { source in
            bySource[source].map { "\($0) by \(source.words)" }
        }
        let counts = TagSighting.Source.allCases.map { ($0.rawValue, (bySource[$0] ?? 0).json) }
        let unknown = withoutSize > 0 ? ["\(withoutSize) of unknown size"] : []
        let searched =
            "\(frames)" + (limitedTracking > 0 ? ", \(limitedTracking) of limited tracking left out" : "")
            + (withoutImage > 0 ? ", \(withoutImage) without a usable image" : "")
        let seen = "\(sightings)" + (sources.isEmpty ? "" : ": " + sources.joined(separator: ", "))
        let sizes = wrongSizes.map { size in
            "tag \(size.tag) was given as \(Format.metres(size.given)) and measures \(Format.metres(size.measured))"
        }
        return [
            Fact("frames", searched, "frames", frames), .json("limited_tracking", limitedTracking),
            .json("without_image", withoutImage), Fact("tags seen", seen, "tags_seen", sightings),
            .json("by_source", JSONValue.object(counts)),
            Fact("not believed", (rejected.reasons + unknown).joined(separator: ", ")),
            .json(
                "rejected",
                JSONValue.of([
                    "hamming": rejected.hamming, "margin": rejected.margin, "edge": rejected.edge, "size": withoutSize,
                ])
            ),
            .count("other planes", otherPlanes, "sightings had LiDAR of another plane than the tag's", "other_planes"),
            Fact("wrong sizes", sizes.joined(separator: "; ")),
            .json("wrong_sizes", each: wrongSizes) {
                .of(["tag": $0.tag, "given_m": $0.given, "measured_m": $0.measured])
            },
            .json("problems", diagnostics.json),
        ]
    }
}

extension TagSighting.Source {
    fileprivate var words: String {
        switch self {
        case .lidar: "LiDAR"
        case .corners: "corners alone"
        case .ambiguous: "corners that allow two poses"
        }
    }
}
