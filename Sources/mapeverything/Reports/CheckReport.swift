import Arvos
import BagCheck
import JSONText
import Sessions

/// What `check` says, of a session or a bag.
struct CheckReport: Sendable {
    private struct Finding: Sendable {
        var severity: String
        var kind: String
        var topic: String?
        var count: Int
        /// Each place, with what was expected and found.
        var places: [String]
        var explanation: String?
        var advice: String
    }

    let path: String
    private let what: String
    private var examined: [(String, Int)]
    private var findings: [Finding]
    private let omitted: Int
    private(set) var errorCount: Int
    private(set) var warningCount: Int

    init(_ report: SessionCheckReport) {
        path = report.path
        what = "session"
        let counts = report.examined
        examined = [
            ("lines", counts.frameLines + counts.motionLines + counts.locationLines + counts.observationLines),
            ("frames", counts.frames),
            ("images", counts.images), ("depth maps", counts.depthMaps), ("confidence maps", counts.confidenceMaps),
            ("relative depth maps", counts.relativeDepthMaps), ("tiles", counts.tiles),
        ]
        findings = report.findings.map { finding in
            Finding(
                severity: finding.severity.rawValue,
                kind: finding.kind.rawValue,
                count: finding.count,
                places: finding.places.map(\.description),
                explanation: finding.explanation,
                advice: finding.advice
            )
        }
        omitted = 0
        errorCount = report.count(of: .error)
        warningCount = report.count(of: .warning)
    }

    init(_ report: BagCheckReport, path: String) {
        self.path = path
        what = "bag"
        examined = [
            ("files", report.files.count), ("topics", report.topics.count), ("messages", report.messageCount),
            ("decoded", report.decodedCount), ("bytes", report.bytes),
        ]
        findings = report.findings.map { finding in
            Finding(
                severity: finding.severity.rawValue,
                kind: finding.kind.rawValue,
                topic: finding.topic,
                count: finding.count,
                places: finding.places.map(\.description),
                advice: finding.advice
            )
        }
        omitted = report.omittedFindings
        errorCount = report.count(of: .error)
        warningCount = report.count(of: .warning)
    }

    /// What cannot be read at all; `nil` for an error that says nothing of the input.
    init?(unread error: any Error, path: String) {
        guard let (text, advice, status) = ErrorReport.describe(error), status == .badData || status == .noInput else {
            return nil
        }
        self.path = path
        what = "unread"
        examined = []
        findings = [
            Finding(
                severity: FindingSeverity.error.rawValue,
                kind: status == .noInput ? "noInput" : "unreadable",
                count: 1,
                places: [text],
                advice: advice ?? ""
            )
        ]
        (omitted, errorCount, warningCount) = (0, 1, 0)
    }

    /// A recording of Arvos's SDK, with what was found in the bag that `convert` makes of it.
    init(_ report: BagCheckReport, path: String, archive: ArvosArchive, _ counts: ArvosCounts) {
        self.init(report, path: path)
        examined = [("messages of Arvos", counts.receivedCount + counts.rejectedCount)] + examined
        if counts.rejectedCount > 0 {
            let advice = "convert leaves such messages out"
            findings.insert(
                Finding(
                    severity: "error",
                    kind: "arvos.message",
                    count: counts.rejectedCount,
                    places: counts.examples,
                    advice: advice
                ),
                at: 0
            )
            errorCount += counts.rejectedCount
        }
        let isOpen = archive.timeSource == .none
        findings.append(
            Finding(
                severity: isOpen ? "warning" : "note",
                kind: "arvos.clock",
                count: 1,
                places: ["Unix time: from \(archive.timeSource.rawValue)"],
                advice: "mapeverything convert makes a bag of it that has one clock"
            )
        )
        if isOpen { warningCount += 1 }
    }

    func text(hidesNotes: Bool) -> String {
        var sections: [String] = []
        for finding in findings where !(hidesNotes && finding.severity == "note") {
            var head = "\(finding.severity): \(finding.kind)"
            if let topic = finding.topic { head += ": \(topic.asOneLine)" }
            if let explanation = finding.explanation { head += ": \(explanation)" }
            if finding.count > 1 { head += " (\(finding.count) times)" }
            var lines = [head] + finding.places.prefix(3).map { "    \($0.asOneLine)" }
            let more = finding.count - min(3, finding.places.count)
            if more > 0 { lines.append("    and \(more) more") }
            if !finding.advice.isEmpty { lines.append("    advice: \(finding.advice)") }
            sections.append(lines.joined(separator: "\n"))
        }
        if omitted > 0 { sections.append("\(omitted) further findings were left out: there are too many kinds") }
        let counts = examined.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        sections.append("\(what) \(path): \(counts.isEmpty ? "nothing in it" : counts) examined\n\(verdict)")
        return sections.joined(separator: "\n\n")
    }

    private var verdict: String {
        let notes = findings.reduce(0) { $0 + ($1.severity == "note" ? $1.count : 0) }
        let counts = [(errorCount, "error"), (warningCount, "warning"), (notes, "note")].filter { $0.0 > 0 }
            .map { count, word in "\(count) \(word)\(count == 1 ? "" : "s")" }
        let found = counts.isEmpty ? "nothing found" : counts.joined(separator: ", ")
        return "\(errorCount > 0 ? "damaged" : "sound"): \(found)"
    }

    var json: JSONValue {
        [
            "path": .string(path), "kind": .string(what), "sound": .bool(errorCount == 0),
            "errors": .integer(errorCount), "warnings": .integer(warningCount),
            "examined": .object(
                examined.map { name, count in (String(name.map { $0 == " " ? "_" : $0 }), .integer(count)) }
            ),
            "omitted_findings": .integer(omitted),
            "findings": .array(
                findings.map { finding in
                    [
                        "severity": .string(finding.severity), "kind": .string(finding.kind),
                        "topic": .string(finding.topic), "count": .integer(finding.count),
                        "places": .strings(finding.places), "advice": .string(finding.advice),
                    ]
                }
            ),
        ]
    }
}
