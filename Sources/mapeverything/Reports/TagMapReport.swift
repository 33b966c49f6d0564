import JSONText
import Recording
import TagMaps

/// What is known of a map of tags, for people and machines.
struct TagMapReport {
    private let facts: [Fact]
    private let tags: Table<Row>
    private let problems: TagMapProblems
    let hasTruth: Bool

    private struct Row {
        var id: Int64
        var consistency: TagConsistency.Tag?
        var error: Double?
    }

    init(_ map: RawTagMap, _ truth: TagTruth?) {
        let consistency = TagConsistency(map)
        let comparison = truth.flatMap { TruthComparison(consistency.first.mapValues(\.translation), $0) }
        let name = map.name.isEmpty ? "raw map" : "raw map \(map.name)"
        let counts = "\(map.detections.count) of \(consistency.tags.count) tags, from \(map.poses.count) poses"
        self.init(
            [
                Fact("map", name, "map", .string(map.name)), Fact("detections", counts),
                .json("poses", .integer(map.poses.count)), .json("detections", .integer(map.detections.count)),
                .json("tags_seen", .integer(consistency.tags.count)),
                Fact("waypoints", map.waypoints.isEmpty ? "" : "\(map.waypoints.count)"),
                Fact(
                    "spread",
                    consistency.spreadMetres.map { "\(Self.metres($0)) about the mean of each tag, as recorded" } ?? "",
                    "spread_m",
                    .number(consistency.spreadMetres)
                ),
            ],
            consistency.tags.map { Row(id: $0.id, consistency: $0) },
            comparison,
            map.problems
        )
    }

    init(_ map: ProcessedTagMap, _ truth: TagTruth?) {
        let comparison = truth.flatMap { TruthComparison(map.tags.mapValues(\.translation), $0) }
        self.init(
            [
                Fact("map", "processed map", "map", ""),
                Fact("tags", "\(map.tags.count), with \(map.poseCount) poses", "tags_seen", .integer(map.tags.count)),
            ],
            map.tags.keys.sorted().map { Row(id: $0) },
            comparison,
            map.problems
        )
    }

    private init(_ head: [Fact], _ rows: [Row], _ comparison: TruthComparison?, _ problems: TagMapProblems) {
        var rows = rows
        hasTruth = comparison != nil
        facts = head + (comparison.map(Self.truth) ?? [])
        self.problems = problems
        let errors = Dictionary(
            (comparison?.tags ?? []).map { ($0.id, $0.errorMetres) },
            uniquingKeysWith: { first, _ in first }
        )
        for index in rows.indices { rows[index].error = errors[rows[index].id] }
        tags = Table(
            [
                .left("tag", "tag") { .string("\($0.id)") },
                .right("seen", "detections") { $0.consistency.map { .count($0.detections) } ?? Cell("") },
                .right("spread m", "spread_m") { .number($0.consistency?.spreadMetres, decimals: 3) },
                .right("spread deg", "spread_deg") { .number($0.consistency?.spreadDegrees, decimals: 2) },
                .right("edge m", "edge_m") { .number($0.consistency?.edgeMetres, decimals: 4) },
                .right("error m", "error_m") { .number($0.error, decimals: 3) },
            ],
            rows
        )
    }

    static func truth(_ comparison: TruthComparison) -> [Fact] {
        let worst = comparison.worst
        return [
            Fact(
                "truth",
                "RMSE \(metres(comparison.rootMeanSquareMetres)), median \(metres(comparison.medianMetres)), largest "
                    + "\(metres(worst.errorMetres)) (tag \(worst.id)), of \(comparison.tags.count) tags, aligned rigidly",
                "rmse_m",
                .number(comparison.rootMeanSquareMetres)
            ),
            .json("median_m", .number(comparison.medianMetres)), .json("largest_m", .number(worst.errorMetres)),
            .json("tags_with_truth", .integer(comparison.tags.count)),
            Fact(
                "distances",
                "between two tags wrong by \(metres(comparison.pairErrorMetres)) in the mean, "
                    + "\(Format.percent(comparison.pairErrorShare)) of their length",
                "pair_error_m",
                .number(comparison.pairErrorMetres)
            ),
            .json("pair_error_share", .number(comparison.pairErrorShare)),
        ]
    }

    private static func metres(_ value: Double) -> String { Format.number(value, decimals: 3) + " m" }

    var text: String {
        let lines = problems.lines
        return [facts.text, tags.text, lines.isEmpty ? "no problem found" : lines.joined(separator: "\n")]
            .joined(separator: "\n\n")
    }

    var json: JSONValue {
        .object(facts.members + [("tags", tags.json), ("problems", problems.json)])
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
