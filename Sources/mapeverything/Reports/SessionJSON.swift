import JSONText
import PointClouds
import Replay
import Sessions

/// Parts of reports about a session, for machines.
enum SessionJSON {
    static func anchor(_ anchor: EpochAnchor) -> JSONValue {
        [
            "offset_ns": .integer(anchor.offsetNanoseconds), "source": .string(anchor.source.rawValue),
            "remark": anchor.remark.map { .string($0) } ?? .null,
        ]
    }

    static func absent(_ absent: [(name: String, reason: String)]) -> JSONValue {
        .array(absent.map { ["name": .string($0.name), "reason": .string($0.reason)] })
    }

    static func problems(_ diagnostics: Diagnostics) -> JSONValue {
        .array(
            diagnostics.entries.map { entry in
                [
                    "kind": .string(entry.kind.rawValue), "severity": .string(entry.kind.severity.rawValue),
                    "count": .integer(Int64(entry.count)), "meaning": .string(entry.kind.explanation),
                    "examples": .array(entry.examples.map(problem)),
                ]
            }
        )
    }

    static func counts(_ counts: ReplayCounts) -> JSONValue {
        [
            "limited_tracking": .integer(Int64(counts.limitedTracking)),
            "refused_calibrations": .object(
                JSONObject(
                    counts.refusedCalibrations.sorted { $0.key < $1.key }
                        .map { JSONObject.Member(key: $0.key, value: .integer(Int64($0.value))) }
                )
            ),
            "empty_clouds": .integer(Int64(counts.emptyClouds)),
            "colourless_clouds": .integer(Int64(counts.colourlessClouds)),
        ]
    }

    /// What became of the pixels of each kind of cloud that there is.
    static func clouds(_ setup: ReplaySetup, _ counts: ReplayCounts) -> JSONValue {
        .array(
            CloudFilterTable.rows(setup, counts).map { row -> JSONValue in
                let dropped = CloudCounts.Filter.allCases.map { filter in
                    JSONObject.Member(
                        key: filter.rawValue,
                        value: .integer(Int64(row.counts.dropped(by: filter)))
                    )
                }
                return [
                    "topic": .string(row.topic), "clouds": .integer(Int64(row.counts.clouds)),
                    "pixels": .integer(Int64(row.counts.pixels)), "dropped": .object(JSONObject(dropped)),
                    "points": .integer(Int64(row.counts.points)),
                ]
            }
        )
    }

    private static func problem(_ problem: Problem) -> JSONValue {
        [
            "file": .string(problem.file), "line": problem.line.map { .integer(Int64($0)) } ?? .null,
            "field": problem.field.map { .string($0) } ?? .null, "expected": .string(problem.expected),
            "found": .string(problem.found),
        ]
    }
}
