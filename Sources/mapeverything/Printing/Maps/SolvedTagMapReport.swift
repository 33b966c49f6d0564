import Maps
import Recording
import Text

extension Report {
    /// The result of making one map of several walks.
    init(
        _ inputs: [TagWalkInput],
        _ maps: [SolvedTagMap],
        names: [String],
        files: [String],
        _ corrections: [Fact],
        _ truth: TagTruth?
    ) {
        let walks = inputs.map(\.walk)
        let searches = inputs.map { $0.counts?.facts }
        for (name, facts) in zip(names, searches) { say(facts.map { "session  \(name)\n" + $0.text }) }
        json("searches", searches.map { $0.map { JSONValue.object($0.members) } })
        let pieces = zip(maps, files).map { map, file in
            SolvedMapPiece(walks: walks, map: map, names: names, file: file).report(truth)
        }
        for piece in pieces { say(piece.text) }
        json("pieces", pieces.map(\.json))
        if maps.count > 1 {
            say("\(maps.count) pieces that share no tag: where they lie to each other is unknown, so each has a file")
        }
        for (name, walk) in zip(names, walks) where !walk.problems.lines.isEmpty {
            say(["\(name):"] + walk.problems.lines)
        }
        say(corrections.text)
        json("corrected", corrections.map(\.json))
        json("problems", walks.map(\.problems.json))
    }
}

/// One of the maps, with the walks that it was made of.
private struct SolvedMapPiece {
    let walks: [RawTagMap]
    let map: SolvedTagMap
    let names: [String]
    let file: String

    func report(_ truth: TagTruth?) -> Report {
        let places = Dictionary(
            map.tags.filter { $0.key.copy == 0 }.map { ($0.key.id, $0.worldFromTag.translation) },
            uniquingKeysWith: { first, _ in first }
        )
        let comparison = truth.flatMap { TruthComparison(places, $0) }
        let errors = comparison?.errors ?? [:]
        let tags: [Column<SolvedTagMap.Tag>] = [
            .left("tag", "tag") { .string("\($0.key)") }, .right("seen", "sightings") { .count($0.sightings) },
            .right("rejected", "rejected") { .count($0.rejected) },
            .right("sigma m", "sigma_m") { .number($0.sigmaMetres, decimals: 3) },
            .right("edge m", "edge_m") { .number(map.edgeMetres[$0.key.id], decimals: 4) },
            .right("error m", "error_m") { .number(errors[$0.key.id], decimals: 3) },
        ]
        var report = Report(facts + (comparison?.facts ?? []) + recorded(truth, comparison))
        report.add(Table(tags, map.tags), "tags", showsHeader: true)
        return report
    }

    /// How far from the truth the recording was; of several walks, each has a world of its own.
    private func recorded(_ truth: TagTruth?, _ comparison: TruthComparison?) -> [Fact] {
        guard let truth, let comparison, map.walks.count == 1,
            let recorded = TruthComparison(
                TagConsistency(walks[map.walks[0].index]).first.mapValues(\.translation),
                truth
            )
        else { return [] }
        let (before, after) = (recorded.rootMeanSquareMetres, comparison.rootMeanSquareMetres)
        let difference = Format.number((after - before) * 1000, decimals: 1)
        let text =
            "RMSE \(Format.metres(before)) by the first sighting of each tag"
            + (after > before ? ": the map is worse by \(difference) mm" : "")
        return [Fact("as recorded", text, "recorded_rmse_m", before)]
    }

    private var facts: [Fact] {
        func sum(_ count: (SolvedTagMap.Walk) -> Int) -> Int { map.walks.reduce(0) { $0 + count($1) } }
        let poses = sum { $0.poses.count }
        let jumps = sum { $0.jumps }
        let detections = sum { walks[$0.index].detections.count }
        let sightings = map.tags.reduce(0) { $0 + $1.sightings }
        let rejected = map.tags.reduce(0) { $0 + $1.rejected }
        let walked = map.walks.map { names[$0.index] }
        let seen =
            "\(sightings) of \(map.tags.count) tags, \(rejected) rejected"
            + (detections > sightings ? "; \(detections - sightings) more from places already taken" : "")
        let planes = "detections lay on another plane: placed by their corners instead"
        let flips = "sightings allowed two: decided by the other sightings of their tags"
        let worse = "repeated sightings agree less than in the recording: do not use this map"
        let (before, after) = (map.before, map.after)
        return [
            Fact("map", file, "map", file), Fact("walks", walked.joined(separator: ", "), "walks", walked),
            Fact("poses", "\(poses)" + (jumps > 0 ? ", \(jumps) jumps of the tracking" : ""), "poses", poses),
            .json("jumps", jumps), Fact("sightings", seen, "sightings", sightings),
            .json("detections", detections), .json("rejected", rejected),
            Fact("solved", solved, "iterations", map.iterations), .json("kept_poses", map.keptPoses),
            .json("converged", map.hasConverged), .json("choice", map.choice.rawValue),
            Fact("not given", prediction, "held_out_passes", map.prediction?.passes ?? 0),
            .json("held_out_recorded_m", map.prediction?.recordedMetres),
            .json("held_out_map_m", map.prediction?.mapMetres),
            Fact("spread", Self.change(before.spreadMetres, after.spreadMetres, "m", 3)),
            .json("spread_before_m", before.spreadMetres), .json("spread_after_m", after.spreadMetres),
            Fact("corners", Self.change(before.reprojectionPixels, after.reprojectionPixels, "px", 1)),
            .json("corners_before_px", before.reprojectionPixels), .json("corners_after_px", after.reprojectionPixels),
            .json("cost_before", before.costsJSON), .json("cost_after", after.costsJSON), Fact("gps", fixes),
            .json("fixes", map.fixDistances.count), .json("fix_median_m", map.fixMedianMetres),
            .count("other planes", map.otherPlanes, planes, "other_planes"),
            .count("directions", map.decidedFlips, flips, "decided_flips"),
            Fact("conflicts", map.conflicts.map(Self.conflict).joined(separator: "; ")),
            .json("conflicts", each: map.conflicts) {
                .of(["tag": $0.id, "distance_m": $0.metres, "sightings": $0.others.count])
            },
            Fact("warning", map.isWorse ? worse : "", "is_worse", map.isWorse),
        ]
    }

    private var solved: String {
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

    /// How well each fifth of the sightings is predicted by the others.
    private var prediction: String {
        guard let prediction = map.prediction else { return "" }
        let recorded = map.walks.count == 1 ? "\(Format.metres(prediction.recordedMetres)) as recorded" : nil
        let solved = prediction.mapMetres.map {
            "\(Format.metres($0)) by " + (map.keptPoses ? "another map" : "the map")
        }
        let figures = [recorded, solved].compactMap(\.self).joined(separator: ", ")
        return
            "each fifth of the sightings is off by \(figures) of the others, in the mean of \(prediction.passes) passes"
    }

    private var fixes: String {
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
}

extension SolvedTagMap.Agreement {
    fileprivate var costsJSON: JSONValue {
        .object(PoseGraph.Kind.allCases.compactMap { kind in costs[kind].map { ("\(kind)", JSONValue.number($0)) } })
    }
}

extension SolvedTagMap.Tag {
    /// The standard deviation of the place, all axes together; nil where nothing is known.
    fileprivate var sigmaMetres: Double? {
        covariance.map { dot($0.tt.diagonal, Vector3(1, 1, 1)).squareRoot() }
    }
}
