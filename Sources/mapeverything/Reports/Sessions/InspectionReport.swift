import Earth
import JSONText
import Playback
import Recording
import Replay
import Sessions

/// What `inspect` says of a session.
struct InspectionReport {
    let setup: ReplaySetup
    let inspection: Inspection

    var text: String {
        let problems = SessionText.problems(inspection.diagnostics, inspection.counts)
        let sections = [
            facts.map(\.asOneLine).text, table, clouds, absent.textOfRows, Format.warnings(setup.warnings),
            problems.isEmpty ? "no problem found in what was read; check reads every image and depth map" : problems,
        ]
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    /// Everything of the text, and the numbers behind it.
    var json: JSONValue {
        .object(
            [("kind", "session")] + facts.members + [
                ("topics", topics.json), ("absent", absent.json),
                ("problems", SessionJSON.problems(inspection.diagnostics)),
                ("left_out", .object(SessionFacts.leftOut(inspection.counts).members)),
                ("clouds", SessionFacts.clouds(setup, inspection.counts).json),
                ("warnings", .strings(setup.warnings)),
            ]
        )
    }

    private var absent: Table<SessionFacts.AbsentTopic> { SessionFacts.absent(inspection.absent) }

    private var clouds: String {
        let text = SessionFacts.clouds(setup, inspection.counts).textOfRows
        let isSampled = inspection.topics.contains(where: \.isEstimated)
        return text.isEmpty || !isSampled ? text : text + "\nof the frames looked at; --exact counts all"
    }

    private static func frameText(_ frameIDs: [String]) -> String {
        (frameIDs.first ?? "") + (frameIDs.count > 1 ? " and \(frameIDs.count - 1) more" : "")
    }

    /// The topics, with sizes and rates that may be estimated.
    var topics: Table<Inspection.TopicLine> {
        Table(
            [
                .left("topic", "name") { .string($0.statistics.name) },
                .left("type", "type") { .string($0.statistics.typeName) },
                .left("frame_id", "frame_ids") { Cell(Self.frameText($0.frameIDs), .strings($0.frameIDs)) },
                .right("count", "count") { .count($0.statistics.count) },
                .right("Hz asked", "rate_asked_hz") { .number($0.rateAskedHertz) },
                .right("Hz", "rate_hz") { .number($0.statistics.rateHertz) },
                .right("size", "bytes") { Cell.bytes($0.statistics.bytes).marked($0.isEstimated) },
                .json("bytes_are_estimated") { .bool($0.isEstimated) },
                .right("Mbit/s", "mbit_per_s") { line in
                    Cell.number(line.statistics.megabitsPerSecond)
                        .marked(line.isEstimated && line.statistics.megabitsPerSecond != nil)
                },
                .right("largest gap", "largest_gap_s") { $0.statistics.largestGap },
            ],
            inspection.topics
        )
    }

    private var table: String {
        let hasEstimates = inspection.topics.contains(where: \.isEstimated)
        return topics.text + (hasEstimates ? "\n~ scaled up from a few frames; --exact measures all" : "")
    }
}

extension Cell {
    /// The cell with the mark of an estimate in its text.
    fileprivate func marked(_ isEstimated: Bool) -> Cell { isEstimated ? Cell("~" + text, json) : self }
}
