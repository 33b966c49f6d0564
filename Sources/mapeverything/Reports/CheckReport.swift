import Arvos
import BagCheck
import JSONText
import Sessions

/// What `check` says, of a session or a bag.
struct CheckReport: Sendable {
    private struct Finding: Sendable {
        let severity: String
        let kind: String
        let count: Int
        /// Each place, with what was expected and found.
        let places: [String]
        let advice: String
        var topic: String?
        var explanation: String?

        var text: String {
            let details = [topic?.asOneLine, explanation].compactMap(\.self).map { ": \($0)" }.joined()
            let head = "\(severity): \(kind)\(details)" + (count > 1 ? " (\(count) times)" : "")
            var lines = [head] + places.prefix(3).map { "    \($0.asOneLine)" }
            let more = count - min(3, places.count)
            if more > 0 { lines.append("    and \(more) more") }
            if !advice.isEmpty { lines.append("    advice: \(advice)") }
            return lines.joined(separator: "\n")
        }

        var json: JSONValue {
            .of([
                "severity": severity, "kind": kind, "topic": topic, "count": count, "places": places,
                "advice": advice,
            ])
        }
    }

    let path: String
    private let what: String
    private var examined: [(String, Int)]
    private var findings: [Finding]
    private let omitted: Int
    private var errorCount: Int
    private var warningCount: Int

    init(_ report: SessionCheckReport) {
        (path, what, omitted) = (report.path, "session", 0)
        (errorCount, warningCount) = (report.count(of: .error), report.count(of: .warning))
        let counts = report.examined
        examined = [
            ("lines", counts.frameLines + counts.motionLines + counts.locationLines + counts.observationLines),
            ("frames", counts.frames), ("images", counts.images), ("depth maps", counts.depthMaps),
            ("confidence maps", counts.confidenceMaps), ("relative depth maps", counts.relativeDepthMaps),
            ("tiles", counts.tiles),
        ]
        findings = report.findings.map {
            Finding(
                severity: $0.severity.rawValue,
                kind: $0.kind.rawValue,
                count: $0.count,
                places: $0.places.map(\.description),
                advice: $0.advice,
                explanation: $0.explanation
            )
        }
    }

    init(_ report: BagCheckReport, path: String) {
        (self.path, what, omitted) = (path, "bag", report.omittedFindings)
        (errorCount, warningCount) = (report.count(of: .error), report.count(of: .warning))
        examined = [
            ("files", report.files.count), ("topics", report.topics.count), ("messages", report.messageCount),
            ("decoded", report.decodedCount), ("bytes", report.bytes),
        ]
        findings = report.findings.map {
            Finding(
                severity: $0.severity.rawValue,
                kind: $0.kind.rawValue,
                count: $0.count,
                places: $0.places.map(\.description),
                advice: $0.advice,
                topic: $0.topic
            )
        }
    }

    /// What cannot be read at all; `nil` for an error that says nothing of the input.
    init?(unread error: any Error, path: String) {
        guard let (text, advice, status) = ErrorReport.describe(error), status == .badData || status == .noInput else {
            return nil
        }
        (self.path, what, omitted, examined, errorCount, warningCount) = (path, "unread", 0, [], 1, 0)
        let kind = status == .noInput ? "noInput" : "unreadable"
        findings = [Finding(severity: "error", kind: kind, count: 1, places: [text], advice: advice ?? "")]
    }

    /// A recording of Arvos's SDK, with what was found in the bag that `convert` makes of it.
    init(_ report: BagCheckReport, path: String, archive: ArvosArchive, _ counts: ArvosCounts) {
        self.init(report, path: path)
        examined = [("messages of Arvos", counts.receivedCount + counts.rejectedCount)] + examined
        if counts.rejectedCount > 0 {
            let rejected = Finding(
                severity: "error",
                kind: "arvos.message",
                count: counts.rejectedCount,
                places: counts.examples,
                advice: "convert leaves such messages out"
            )
            findings.insert(rejected, at: 0)
        }
        let isOpen = archive.timeSource == .none
        errorCount += counts.rejectedCount
        warningCount += isOpen ? 1 : 0
        findings.append(
            Finding(
                severity: isOpen ? "warning" : "note",
                kind: "arvos.clock",
                count: 1,
                places: ["Unix time: from \(archive.timeSource.rawValue)"],
                advice: "mapeverything convert makes a bag of it that has one clock"
            )
        )
    }

    /// The report for people and programs, and status 1 for a damaged input.
    func report(hidesNotes: Bool, strict: Bool) -> Report {
        var report = Report()
        for finding in findings where !(hidesNotes && finding.severity == "note") { report.say(finding.text) }
        if omitted > 0 { report.say("\(omitted) further findings were left out: there are too many kinds") }
        let counts = examined.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        report.say("\(what) \(path): \(counts.isEmpty ? "nothing in it" : counts) examined\n\(verdict)")
        report.json([
            "path": path, "kind": what, "sound": errorCount == 0, "errors": errorCount, "warnings": warningCount,
        ])
        let members = examined.map { ($0.replacing(" ", with: "_"), JSONValue.integer($1)) }
        report.json([
            "examined": JSONValue.object(members), "omitted_findings": omitted, "findings": findings.map(\.json),
        ])
        if errorCount > 0 || strict && warningCount > 0 { report.ending = ExitStatus.lossy }
        return report
    }

    private var verdict: String {
        let notes = findings.reduce(0) { $0 + ($1.severity == "note" ? $1.count : 0) }
        let counts = [(errorCount, "error"), (warningCount, "warning"), (notes, "note")].filter { $0.0 > 0 }
            .map { count, word in "\(count) \(word)\(count == 1 ? "" : "s")" }
        let found = counts.isEmpty ? "nothing found" : counts.joined(separator: ", ")
        return "\(errorCount > 0 ? "damaged" : "sound"): \(found)"
    }
}
