import JSONText
import PointClouds
import Replay

/// Parts of reports about a session, for people and machines alike.
enum SessionFacts {
    typealias AbsentTopic = (name: String, reason: String)
    typealias CloudTopic = (name: String, counts: CloudCounts)

    /// The topics that are not published, and why.
    static func absent(_ absent: [AbsentTopic]) -> Table<AbsentTopic> {
        Table([.left("absent", "name") { .string($0.name) }, .left("why", "reason") { .string($0.reason) }], absent)
    }

    /// What was left out though no file is damaged.
    static func leftOut(_ counts: ReplayCounts) -> [Fact] {
        func fact(_ title: String, _ count: Int, _ what: String, _ key: String) -> Fact {
            Fact(title, count > 0 ? "\(count) \(what)" : "", key, .integer(count))
        }
        let limited = "frames of limited tracking (--keep-limited-tracking publishes them)"
        let refused = counts.refusedCalibrations.sorted { $0.key < $1.key }
        let reasons = refused.map { reason, count in
            Fact("left out", "\(count) relative clouds whose calibration was refused: \(reason)")
        }
        return [
            fact("left out", counts.limitedTracking, limited, "limited_tracking"),
            .json("refused_calibrations", .object(refused.map { ($0, .integer($1)) })),
        ] + reasons + [
            fact("left out", counts.emptyClouds, "clouds without a point", "empty_clouds"),
            fact("note", counts.colourlessClouds, "clouds without colour", "colourless_clouds"),
            fact(
                "note",
                counts.borrowedColours,
                "clouds coloured from the picture of a frame nearby: theirs have none",
                "borrowed_colours"
            ),
        ]
    }

    /// How many pixels each filter dropped, and how many points were left, for each topic of which clouds were made.
    static func clouds(_ setup: ReplaySetup, _ counts: ReplayCounts) -> Table<CloudTopic> {
        let naming = setup.plan.naming
        let topics: [CloudTopic] = [
            (naming.name(.lidarCloud), counts.lidarClouds), (naming.name(.relativeCloud), counts.relativeClouds),
        ]
        let dropped = CloudCounts.Filter.allCases.map { filter in
            Column<CloudTopic>.right(filter.rawValue, filter.rawValue) { .count($0.counts.dropped(by: filter)) }
        }
        // JSON has the filters in an object of their own, and the counts in another order.
        let columns: [Column<CloudTopic>] =
            [
                .left("pixels dropped by", "topic") { .string($0.name) },
                .json("clouds") { .integer($0.counts.clouds) }, .json("pixels") { .integer($0.counts.pixels) },
                .json("dropped") { .object(dropped.members(of: $0)) },
            ] + dropped.map { .right($0.title, nil, $0.cell) } + [
                .right("points", "points") { .count($0.counts.points) },
                .right("of pixels") { .count($0.counts.pixels) }, .right("in clouds") { .count($0.counts.clouds) },
            ]
        return Table(columns, topics.filter { $0.counts.clouds > 0 })
    }
}
