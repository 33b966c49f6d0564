import JSONText
import Recording
import TagMaps

/// What became of walks that were made one map, for people and machines.
struct SolvedTagMapReport {
    private let sections: [String]
    let json: JSONValue

    private struct Row {
        var tag: SolvedTagMap.Tag
        var edge: Double?
        var error: Double?
    }

    init(
        _ inputs: [TagWalkInput],
        _ maps: [SolvedTagMap],
        names: [String],
        files: [String],
        _ corrections: [Fact],
        _ truth: TagTruth?
    ) {
        let walks = inputs.map(\.walk)
        let searches = inputs.map { input in
            input.counts.map { TagSearchReport($0).facts }
        }
        var sections = zip(names, searches).compactMap { name, facts in facts.map { "session  \(name)\n" + $0.text } }
        var pieces: [JSONValue] = []
        for (map, file) in zip(maps, files) {
            let (text, json) = Self.piece(walks, map, names, file, truth)
            sections.append(text)
            pieces.append(json)
        }
        if maps.count > 1 {
            sections.append(
                "\(maps.count) pieces that share no tag: where they lie to each other is unknown, so each has a file"
            )
        }
        let problems = zip(names, walks).compactMap { name, walk in
            walk.problems.lines.isEmpty ? nil : "\(name):\n" + walk.problems.lines.joined(separator: "\n")
        }
        sections += problems
        if !corrections.isEmpty { sections.append(corrections.text) }
        self.sections = sections
        json = .object([
            "searches": .array(searches.map { $0.map { .object($0.members) } ?? .null }), "pieces": .array(pieces),
            "corrected": .array(corrections.map(\.json)), "problems": .array(walks.map { $0.problems.json }),
        ])
    }

    var text: String { sections.joined(separator: "\n\n") }

    private static func piece(
        _ walks: [RawTagMap],
        _ map: SolvedTagMap,
        _ names: [String],
        _ file: String,
        _ truth: TagTruth?
    ) -> (String, JSONValue) {
        let places = Dictionary(
            map.tags.filter { $0.key.copy == 0 }.map { ($0.key.id, $0.worldFromTag.translation) },
            uniquingKeysWith: { first, _ in first }
        )
        let comparison = truth.flatMap { TruthComparison(places, $0) }
        let errors = Dictionary((comparison?.tags ?? []).map { ($0.id, $0.errorMetres) }) { first, _ in first }
        let rows = map.tags.map { Row(tag: $0, edge: map.edgeMetres[$0.key.id], error: errors[$0.key.id]) }
        let tags = Table<Row>(
            [
                .left("tag", "tag") { .string("\($0.tag.key)") },
                .right("seen", "sightings") { .count($0.tag.sightings) },
                .right("rejected", "rejected") { .count($0.tag.rejected) },
                .right("sigma m", "sigma_m") { .number($0.tag.sigmaMetres, decimals: 3) },
                .right("edge m", "edge_m") { .number($0.edge, decimals: 4) },
                .right("error m", "error_m") { .number($0.error, decimals: 3) },
            ],
            rows
        )
        let facts =
            facts(walks, map, names, file) + (comparison.map(TagMapReport.truth) ?? [])
            + recorded(walks, map, truth, comparison)
        return (
            [facts.text, tags.text].joined(separator: "\n\n"),
            .object(facts.members + [("tags", tags.json)])
        )
    }

    /// How far from the truth the recording was; of several walks, each has a world of its own.
    private static func recorded(
        _ walks: [RawTagMap],
        _ map: SolvedTagMap,
        _ truth: TagTruth?,
        _ comparison: TruthComparison?
    ) -> [Fact] {
        guard let truth, let comparison, map.walks.count == 1,
            let recorded = TruthComparison(
                TagConsistency(walks[map.walks[0].index]).first.mapValues(\.translation),
                truth
            )
        else { return [] }
        let (before, after) = (recorded.rootMeanSquareMetres, comparison.rootMeanSquareMetres)
        let difference = Format.number((after - before) * 1000, decimals: 1)
        return [
            Fact(
                "as recorded",
                "RMSE \(Format.number(before, decimals: 3)) m by the first sighting of each tag"
                    + (after > before ? ": the map is worse by \(difference) mm" : ""),
                "recorded_rmse_m",
                .number(before)
            )
        ]
    }

    private static func facts(_ walks: [RawTagMap], _ map: SolvedTagMap, _ names: [String], _ file: String) -> [Fact] {
        let poses = map.walks.reduce(0) { $0 + $1.poses.count }
        let sightings = map.tags.reduce(0) { $0 + $1.sightings }
        let detections = map.walks.reduce(0) { $0 + walks[$1.index].detections.count }
        let rejected = map.tags.reduce(0) { $0 + $1.rejected }
        let jumps = map.walks.reduce(0) { $0 + $1.jumps }
        return [
            Fact("map", file, "map", .string(file)),
            Fact("walks", map.walks.map { names[$0.index] }.joined(separator: ", ")),
            .json("walks", .strings(map.walks.map { names[$0.index] })),
            Fact("poses", "\(poses)" + (jumps > 0 ? ", \(jumps) jumps of the tracking" : ""), "poses", .integer(poses)),
            .json("jumps", .integer(jumps)),
            Fact(
                "sightings",
                "\(sightings) of \(map.tags.count) tags, \(rejected) rejected"
                    + (detections > sightings ? "; \(detections - sightings) more from places already taken" : ""),
                "sightings",
                .integer(sightings)
            ),
            .json("detections", .integer(detections)), .json("rejected", .integer(rejected)),
            Fact("solved", solved(map), "iterations", .integer(map.iterations)),
            .json("kept_poses", .bool(map.keptPoses)), .json("converged", .bool(map.hasConverged)),
            .json("choice", .string(map.choice.rawValue)),
            Fact("not given", prediction(map), "held_out_passes", .integer(map.prediction?.passes ?? 0)),
            .json("held_out_recorded_m", .number(map.prediction?.recordedMetres)),
            .json("held_out_map_m", .number(map.prediction?.mapMetres)),
            Fact("spread", change(map.before.spreadMetres, map.after.spreadMetres, "m", 3)),
            .json("spread_before_m", .number(map.before.spreadMetres)),
            .json("spread_after_m", .number(map.after.spreadMetres)),
            Fact("corners", change(map.before.reprojectionPixels, map.after.reprojectionPixels, "px", 1)),
            .json("corners_before_px", .number(map.before.reprojectionPixels)),
            .json("corners_after_px", .number(map.after.reprojectionPixels)),
            .json("cost_before", costs(map.before)), .json("cost_after", costs(map.after)),
            Fact("gps", fixes(walks, map)), .json("fixes", .integer(map.fixDistances.count)),
            .json("fix_median_m", .number(map.fixMedianMetres)),
            Fact(
                "other planes",
                map.otherPlanes == 0
                    ? "" : "\(map.otherPlanes) detections lay on another plane: placed by their corners instead"
            ),
            .json("other_planes", .integer(map.otherPlanes)),
            Fact(
                "directions",
                map.decidedFlips == 0
                    ? "" : "\(map.decidedFlips) sightings allowed two: decided by the other sightings of their tags"
            ),
            .json("decided_flips", .integer(map.decidedFlips)),
            Fact("conflicts", map.conflicts.map(conflict).joined(separator: "; ")),
            .json("conflicts", each: map.conflicts) {
                .object([
                    "tag": .integer($0.id), "distance_m": .number($0.metres), "sightings": .integer($0.others.count),
                ])
            },
            Fact(
                "warning",
                map.isWorse ? "repeated sightings agree less than in the recording: do not use this map" : ""
            ),
            .json("is_worse", .bool(map.isWorse)),
        ]
    }

    private static func solved(_ map: SolvedTagMap) -> String {
        switch map.choice {
        case .solved: "\(map.iterations) iterations" + (map.hasConverged ? "" : ", not at rest")
        case .uncontradicted: "no sighting contradicts the recorded poses: they were kept"
        case .unproven:
            "the recorded poses were kept: "
                + (map.prediction == nil
                    ? "no tag was passed twice, so that no other map can be judged"
                    : "another map does not predict clearly better what it was not given")
        }
    }

    /// Each fifth of the sightings, predicted by the others.
    private static func prediction(_ map: SolvedTagMap) -> String {
        guard let prediction = map.prediction else { return "" }
        let recorded = map.walks.count == 1 ? "\(metres(prediction.recordedMetres)) as recorded" : ""
        let solved =
            prediction.mapMetres.map { "\(metres($0)) by " + (map.keptPoses ? "another map" : "the map") } ?? ""
        let figures = [recorded, solved].filter { !$0.isEmpty }.joined(separator: ", ")
        return
            "each fifth of the sightings is off by \(figures) of the others, in the mean of \(prediction.passes) passes"
    }

    private static func metres(_ value: Double) -> String { Format.number(value, decimals: 3) + " m" }

    private static func fixes(_ walks: [RawTagMap], _ map: SolvedTagMap) -> String {
        let count = map.walks.reduce(0) { $0 + walks[$1.index].fixes.count }
        guard let median = map.fixMedianMetres else {
            return count == 0 ? "" : "\(count) fixes do not tell how the walks lie on the Earth: not used"
        }
        return "\(count) fixes, \(Format.number(median, decimals: 2)) m from the map in the median"
    }

    private static func conflict(_ conflict: SolvedTagMap.Conflict) -> String {
        "tag \(conflict.id) was seen in two places, \(Format.number(conflict.metres, decimals: 2)) m apart "
            + "(\(conflict.others.count) sightings of the second)"
    }

    private static func change(_ before: Double?, _ after: Double?, _ unit: String, _ decimals: Int) -> String {
        guard let before, let after else { return "" }
        let numbers = [before, after].map { Format.number($0, decimals: decimals) }
        return "\(numbers[0]) \(unit) as recorded, \(numbers[1]) \(unit) in the map"
    }

    private static func costs(_ agreement: SolvedTagMap.Agreement) -> JSONValue {
        .object(
            PoseGraph.Kind.allCases.compactMap { kind in
                agreement.costs[kind].map { ("\(kind)", JSONValue.number($0)) }
            }
        )
    }
}

extension SolvedTagMap.Tag {
    /// The standard deviation of the place, all axes together; nil where nothing is known.
    fileprivate var sigmaMetres: Double? {
        covariance.map { dot($0.tt.diagonal, Vector3(1, 1, 1)).squareRoot() }
    }
}
