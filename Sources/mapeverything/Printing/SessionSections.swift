import HTMLReports
import Perception
import Playback
import Sessions
import Text
import Translation

// Parts of reports about a session, for people and for programs.

extension Diagnostics {
    /// Every kind of problem with its count and its first places, and what was left out; empty where there is none.
    func text(_ leftOut: ReplayCounts) -> String {
        var lines: [String] = []
        for entry in entries {
            let label = entry.kind.severity == .lost ? "skipped" : entry.kind.findingSeverity.rawValue
            lines.append("\(label): \(entry.sentence)")
            lines += entry.examples.prefix(3).map { "    \($0)" }
            if entry.count > 3 { lines.append("    and \(entry.count - 3) more") }
        }
        return (lines + leftOut.facts.sentences).joined(separator: "\n")
    }

    var json: JSONValue {
        .array(
            entries.map { entry in
                .of([
                    "kind": entry.kind.rawValue, "severity": entry.kind.severity.rawValue, "count": entry.count,
                    "meaning": entry.kind.explanation,
                    "examples": entry.examples.map { problem in
                        JSONValue.of([
                            "file": problem.file, "line": problem.line, "field": problem.field,
                            "expected": problem.expected, "found": problem.found,
                        ])
                    },
                ])
            }
        )
    }
}

extension ReplayCounts {
    /// The items that were left out though no file is damaged.
    var facts: [Fact] {
        let limited = "frames of limited tracking (--keep-limited-tracking publishes them)"
        let borrowed = "clouds coloured from the picture of a frame nearby: theirs have none"
        let refused = refusedCalibrations.sorted { $0.key < $1.key }
        let reasons = refused.map { reason, count in
            Fact("left out", "\(count) relative clouds whose calibration was refused: \(reason)")
        }
        return [
            .count("left out", limitedTracking, limited, "limited_tracking"),
            .json("refused_calibrations", JSONValue.object(refused.map { ($0, .integer($1)) })),
        ] + reasons + [
            .count("left out", emptyClouds, "clouds without a point", "empty_clouds"),
            .count("note", colourlessClouds, "clouds without colour", "colourless_clouds"),
            .count("note", borrowedColours, borrowed, "borrowed_colours"),
        ]
    }
}

extension ReplaySetup {
    typealias CloudTopic = (name: String, counts: CloudCounts)

    /// How many pixels each filter dropped, and how many points were left, for each topic of which clouds were made.
    func clouds(_ counts: ReplayCounts) -> Table<CloudTopic> {
        let topics: [CloudTopic] = [
            (plan.naming.name(.lidarCloud), counts.lidarClouds),
            (plan.naming.name(.relativeCloud), counts.relativeClouds),
        ]
        let dropped = CloudCounts.Filter.allCases.map { filter in
            Column<CloudTopic>.right(filter.rawValue, filter.rawValue) { .count($0.counts.dropped(by: filter)) }
        }
        // JSON has the filters in an object of their own, and the counts in another order.
        let columns: [Column<CloudTopic>] =
            [
                .left("pixels dropped by", "topic") { .string($0.name) },
                .json("clouds") { $0.counts.clouds }, .json("pixels") { $0.counts.pixels },
                .json("dropped") { JSONValue.object(dropped.members(of: $0)) },
            ] + dropped.map { .right($0.title, nil, $0.cell) } + [
                .right("points", "points") { .count($0.counts.points) },
                .right("of pixels") { .count($0.counts.pixels) }.detail,
                .right("in clouds") { .count($0.counts.clouds) }.detail,
            ]
        return Table(columns, topics.filter { $0.counts.clouds > 0 })
    }

    /// The time of the first frame where that is known, and the source of the clock.
    var clock: String {
        let time = anchor.unixNanoseconds(session.summary.firstTime).map { CalendarText.utc(nanoseconds: $0) }
        let known = time.map { "first frame at \($0), from " } ?? ""
        return known + anchor.source.rawValue + (anchor.remark.map { " (\($0))" } ?? "")
    }
}

extension Report {
    /// Adds what is not published of a session: topics without data, and what the profile leaves out although it is there.
    ///
    /// - Parameter topics: what was published of the whole recording; nil where it was not published once and to its end.
    mutating func addUnpublished(of setup: ReplaySetup, _ topics: [TopicStatistics]?, _ counts: ReplayCounts) {
        let possible = Table<AbsentTopic>(
            [.left("absent") { .string($0.name) }, .left("why") { .string($0.reason) }],
            setup.absent.filter { $0.missingPart == nil }
        )
        say(possible.textOfRows)
        var never: [String] = []
        for part in setup.absent.compactMap(\.missingPart) where !never.contains(part) { never.append(part) }
        let format = setup.session.summary.format
        say(never.isEmpty ? "" : "never in recordings of \(format): \(never.joined(separator: ", "))")
        json(
            "absent",
            setup.absent.map {
                JSONValue.of(["name": $0.name, "reason": $0.reason, "never_recorded": $0.missingPart != nil])
            }
        )
        let published = topics.map { topics in
            { (kind: TopicKind) in topics.first { $0.name == setup.plan.naming.name(kind) }?.count ?? 0 }
        }
        let parts = setup.unpublishedParts(published: published, counts)
        let profile = setup.plan.profile
        let way = profile.keepsFramesTogether ? "--max-hz all publishes them" : "--profile data publishes them"
        let names = parts.map { $0.text }.joined(separator: ", ")
        say(parts.isEmpty ? "" : "not published: \(names) (profile \(profile.name); \(way))")
        json(
            "not_published",
            parts.map { JSONValue.of(["part": $0.name, "recorded": $0.recorded, "left": $0.left ?? $0.recorded]) }
        )
    }
}

extension UnpublishedPart {
    fileprivate var text: String {
        let left = left.map { "\(Readable.count($0)) of " } ?? ""
        return (recorded.map { left + Readable.count($0) + " " } ?? "") + name
    }
}

extension EpochAnchor {
    var json: JSONValue { .of(["offset_ns": offsetNanoseconds, "source": source.rawValue, "remark": remark]) }
}

extension Georeference {
    /// The heading of the map, and whether it has a place on the Earth.
    var text: String {
        let heading = "heading \(heading.text)"
        let heights = heightless.map { "\naltitude NaN: \($0)" } ?? ""
        guard let reason = reasonForAbsence else { return heading + ", origin at \(place)" + heights }
        return heading + (reason.hasPrefix("heading") ? "; no earth -> map" : "; no earth -> map: \(reason)") + heights
    }

    /// Latitude, longitude, and the height with its source.
    var place: String {
        guard let origin, let method else { return "an unknown place" }
        let degrees = [origin.latitudeDegrees, origin.longitudeDegrees]
            .map { Format.number($0, decimals: 6) }.joined(separator: ", ")
        return "\(degrees), \(Format.number(origin.heightMetres, decimals: 1)) m above the ellipsoid "
            + "(\(origin.heightSource)), to \(Format.number(origin.horizontalAccuracyMetres, decimals: 1)) m by \(method)"
    }

    /// Where the map lies on the Earth, and how that is known.
    var json: JSONValue {
        let evidence = heading.evidence.map { evidence in
            JSONValue.of([
                "source": evidence.source.text, "degrees": evidence.degrees, "sigma_degrees": evidence.sigmaDegrees,
            ])
        }
        let heading = JSONValue.of([
            "known": heading.degrees != nil && !heading.isAssumed, "assumed": heading.isAssumed,
            "degrees": heading.degrees, "sigma_degrees": heading.chosen?.sigmaDegrees, "source": heading.source,
            "evidence": evidence,
        ])
        return .of([
            "heading": heading, "mode": mode.rawValue, "method": method, "earth": origin != nil,
            "reason": reasonForAbsence, "without_height": heightless, "origin": origin?.json, "track": alignment?.json,
        ])
    }
}

extension GeoreferenceOrigin {
    fileprivate var json: JSONValue {
        .of([
            "latitude": latitudeDegrees, "longitude": longitudeDegrees, "height_m": heightMetres,
            "height_source": heightSource, "horizontal_accuracy_m": horizontalAccuracyMetres,
            // Of east, north, up and the yaw; what is not known is null.
            "covariance": covariance.map { $0.isNaN ? nil : $0 },
        ])
    }
}

extension TrackAlignment {
    /// The heading and scale that the fixes along the track tell.
    var text: String {
        let fixes = "\(inlierCount) of \(pointCount) fixes over \(Format.number(extentMetres, decimals: 1)) m"
        let distances = [medianResidualMetres, highResidualMetres, worstResidualMetres]
            .map { Format.number($0, decimals: 1) }
        let residual = "distances: median \(distances[0]), 90 % \(distances[1]), largest \(distances[2]) m"
        guard tellsHeading else { return "\(fixes) do not tell a heading; \(residual)" }
        let heading = Format.number(headingDegrees, decimals: 1)
        let sigma = Format.number(headingSigmaDegrees, decimals: 1)
        let scale = "scale \(Format.number(scale, decimals: 3)) ± \(Format.number(scaleSigma, decimals: 3))"
        return "\(fixes) fit a heading of \(heading) degrees, uncertain by \(sigma); \(residual); \(scale)"
    }

    fileprivate var json: JSONValue {
        .of([
            "fixes": pointCount, "inliers": inlierCount, "effective_fixes": effectiveCount, "extent_m": extentMetres,
            "tells_heading": tellsHeading, "heading_degrees": tellsHeading ? headingDegrees : nil,
            "heading_sigma_degrees": headingSigmaDegrees, "residual_median_m": medianResidualMetres,
            "residual_p90_m": highResidualMetres, "residual_max_m": worstResidualMetres,
            "scale": tellsHeading ? scale : nil, "scale_sigma": tellsHeading ? scaleSigma : nil,
        ])
    }
}

extension TerrainComparison {
    /// How high the fixes are above the terrain; empty where that is not known.
    var text: String {
        guard let differences, let reference else { return "" }
        let metres = [differences.medianMetres, differences.lowMetres, differences.highMetres]
            .map { Format.number($0, decimals: 1) }
        return "\(comparedCount) of \(fixCount) fixes: median \(metres[0]) m above the terrain, "
            + "10 % below \(metres[1]), 10 % above \(metres[2]) m (fixes above \(reference.rawValue), "
            + "tiles of the vertical datum \(datums.joined(separator: ", ")))"
    }

    var json: JSONValue {
        .of([
            "fixes": fixCount, "compared": comparedCount, "median_difference_m": differences?.medianMetres,
            "p10_difference_m": differences?.lowMetres, "p90_difference_m": differences?.highMetres,
            "fixes_above": reference?.rawValue, "vertical_datums": datums, "reason": reason,
        ])
    }
}
