import PointClouds
import Replay

/// How many pixels each filter of the clouds dropped, and how many points were left.
enum CloudFilterTable {
    /// The topics of which clouds were made.
    static func rows(_ setup: ReplaySetup, _ counts: ReplayCounts) -> [(topic: String, counts: CloudCounts)] {
        let naming = setup.plan.naming
        return [
            (naming.name(.lidarCloud), counts.lidarClouds), (naming.name(.relativeCloud), counts.relativeClouds),
        ].filter { $0.1.clouds > 0 }
    }

    /// A table for people; empty where no clouds were made.
    static func text(_ setup: ReplaySetup, _ counts: ReplayCounts) -> String {
        let filters = CloudCounts.Filter.allCases
        var table = TextTable(
            header: ["pixels dropped by"] + filters.map(\.rawValue) + ["points", "of pixels", "in clouds"],
            leftColumns: [0]
        )
        for row in rows(setup, counts) {
            table.add(
                [row.topic] + filters.map { "\(row.counts.dropped(by: $0))" }
                    + ["\(row.counts.points)", "\(row.counts.pixels)", "\(row.counts.clouds)"]
            )
        }
        return table.isEmpty ? "" : table.text
    }
}
