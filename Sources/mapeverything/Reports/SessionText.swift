import Capture
import Replay
import Sessions

/// Parts of reports about a session, for people.
enum SessionText {
    static func anchor(_ setup: ReplaySetup) -> String {
        let anchor = setup.anchor
        let first = anchor.stamp(setup.session.summary.firstTime)
        let time = anchor.source == .boot ? "" : CalendarText.utc(nanoseconds: first) + ", from "
        let remark = anchor.remark.map { " (\($0))" } ?? ""
        return "\(setup.session.summary.name): first frame at \(time)\(anchor.source.rawValue)\(remark)"
    }

    static func absent(_ absent: [(name: String, reason: String)]) -> String {
        var table = TextTable(header: ["absent", "why"], leftColumns: [0, 1])
        for topic in absent { table.add([topic.name, topic.reason]) }
        return table.text
    }

    /// Every kind of problem with its count and its first places; empty where there is none.
    static func problems(_ diagnostics: Diagnostics, _ counts: ReplayCounts) -> String {
        var lines: [String] = []
        for entry in diagnostics.entries {
            let label = entry.kind.severity == .lost ? "skipped" : "note"
            lines.append("\(label): \(entry.count) x \(entry.kind.rawValue): \(entry.kind.explanation)")
            lines += entry.examples.prefix(3).map { "    \($0)" }
            if entry.count > 3 { lines.append("    and \(entry.count - 3) more") }
        }
        if counts.limitedTracking > 0 {
            lines.append(
                "left out: \(counts.limitedTracking) frames of limited tracking (--keep-limited-tracking publishes them)"
            )
        }
        for (reason, count) in counts.refusedCalibrations.sorted(by: { $0.key < $1.key }) {
            lines.append("left out: \(count) relative clouds whose calibration was refused: \(reason)")
        }
        if counts.emptyClouds > 0 { lines.append("left out: \(counts.emptyClouds) clouds without a point") }
        if counts.colourlessClouds > 0 { lines.append("note: \(counts.colourlessClouds) clouds without colour") }
        return lines.joined(separator: "\n")
    }
}
