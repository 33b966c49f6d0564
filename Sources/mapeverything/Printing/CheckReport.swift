import Arvos
import BagTools
import Platform
import Sessions
import SystemPackage
import Text

/// The findings of `check` in a session or a bag.
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

        init(_ severity: String, _ kind: String, _ count: Int, _ places: [String], _ advice: String) {
            (self.severity, self.kind, self.count, self.places, self.advice) = (severity, kind, count, places, advice)
        }

        var text: String {
            let details = [topic?.asOneLine, explanation].compactMap(\.self).map { ": \($0)" }.joined()
            let head = "\(severity): \(kind)\(details)" + (count > 1 ? " (\(count) times)" : "")
            var lines = [head] + places.prefix(3).map { "    \($0.asOneLine)" }
            let more = count - min(3, places.count)
            if more > 0 { lines.append("    and \(more) more") }
            if !advice.isEmpty { lines.append("    advice: \(advice)") }
            return lines.map { $0.wrapped(to: 152, indent: 8) }.joined(separator: "\n")
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
    private(set) var verdict: Verdict

    init(_ report: SessionCheckReport) {
        (path, what, omitted, verdict) = (report.path, "session", 0, report.verdict)
        let counts = report.examined
        examined = [
            ("lines", counts.frameLines + counts.motionLines + counts.locationLines + counts.observationLines),
            ("frames", counts.frames), ("images", counts.images), ("depth maps", counts.depthMaps),
            ("confidence maps", counts.confidenceMaps), ("relative depth maps", counts.relativeDepthMaps),
            ("tiles", counts.tiles),
        ]
        findings = report.findings.map {
            let places = $0.places.map(\.description)
            let advice = Advice.text($0.advice, on: report.path)
            var finding = Finding($0.severity.rawValue, $0.kind.rawValue, $0.count, places, advice)
            finding.explanation = $0.explanation
            return finding
        }
    }

    init(_ report: BagCheckReport, path: String) {
        (self.path, what, omitted, verdict) = (path, "bag", report.omittedFindings, report.verdict)
        examined = [
            ("files", report.files.count), ("topics", report.topics.count), ("messages", report.messageCount),
            ("decoded", report.decodedCount), ("bytes", report.bytes),
        ]
        findings = report.findings.map {
            let places = $0.places.map(\.description)
            let advice = Advice.text($0.advice, on: path)
            var finding = Finding($0.severity.rawValue, $0.kind.rawValue, $0.count, places, advice)
            (finding.topic, finding.explanation) = ($0.topic, $0.meaning)
            return finding
        }
    }

    /// The finding for an input that cannot be read at all; `nil` for an error that is not about the input.
    init?(unread error: any Error, path: String) {
        guard let (text, advice, status) = ErrorReport.describe(error), status == .badData || status == .noInput else {
            return nil
        }
        (self.path, what, omitted, examined) = (path, "unread", 0, [])
        verdict = Verdict(errors: 1, worst: text, examined: "nothing can be read")
        let kind = status == .noInput ? "noInput" : "unreadable"
        findings = [Finding("error", kind, 1, [text], advice ?? "")]
    }

    /// A recording of Arvos's SDK, with what was found in the bag that `convert` makes of it.
    init(_ report: BagCheckReport, path: String, archive: ArvosArchive, _ counts: ArvosCounts) {
        self.init(report, path: path)
        examined = [("messages of Arvos", counts.receivedCount + counts.rejectedCount)] + examined
        if counts.rejectedCount > 0 {
            let advice = "convert leaves such messages out"
            findings.insert(Finding("error", "arvos.message", counts.rejectedCount, counts.examples, advice), at: 0)
        }
        let isOpen = archive.timeSource == .none
        verdict.errors += counts.rejectedCount
        verdict.warnings += isOpen ? 1 : 0
        let places = ["Unix time: from \(archive.timeSource.rawValue)"]
        let advice = Advice.text("`mapeverything convert` makes a bag of it that has one clock", on: path)
        findings.append(Finding(isOpen ? "warning" : "note", "arvos.clock", 1, places, advice))
    }

    /// The report for people and programs, and status 1 for a damaged input.
    func report(hidesNotes: Bool, strict: Bool) -> Report {
        var report = Report()
        for finding in findings where !(hidesNotes && finding.severity == "note") { report.say(finding.text) }
        if omitted > 0 { report.say("\(omitted) further findings were left out: there are too many kinds") }
        let counts = examined.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
        report.say("\(what) \(path): \(counts.isEmpty ? "nothing in it" : counts) examined\n\(verdict.text)")
        report.json([
            "path": path, "kind": what, "verdict": verdict.word.rawValue, "sound": verdict.errors == 0,
            "errors": verdict.errors, "warnings": verdict.warnings, "looked_at": verdict.examined,
        ])
        let members = examined.map { ($0.replacing(" ", with: "_"), JSONValue.integer($1)) }
        report.json([
            "examined": JSONValue.object(members), "omitted_findings": omitted, "findings": findings.map(\.json),
        ])
        if verdict.errors > 0 || strict && verdict.warnings > 0 { report.ending = ExitStatus.lossy }
        return report
    }
}

extension Report {
    /// The result of the repair of a bag; a bag that is not whole ends with status 1.
    init(_ report: RepairReport, path: String) {
        var done: [String] = []
        var lost: [String] = []
        var doubtful: [String] = []
        for file in report.files {
            doubtful += file.doubts.map { "\(file.name): \($0)" }
            done += file.actions.map { "\(file.name): \($0)" }
            lost += file.losses.map { loss in
                let amounts = [loss.messageCount.map { "\($0) messages" }, loss.bytes.map(Format.bytes)]
                    .compactMap(\.self)
                let amount = amounts.isEmpty ? "an unknown number of messages" : amounts.joined(separator: ", ")
                return "\(file.name): \(amount): \(loss.reason)"
            }
        }
        if let action = report.metadataAction { done.append("metadata.yaml: \(action)") }
        for file in report.leftOut {
            let line = "\(file.name): left out: \(file.reason)"
            if file.isLoss { lost.append(line) } else { done.append(line) }
        }
        done += report.ignored.map { "\($0): not read: another form of a file of the bag" }
        if let count = report.miscount { doubtful.append("check counts \(count) messages, not \(report.messageCount)") }
        doubtful += report.remainingErrors.map { finding in
            let topic = finding.topic.map { ": \($0)" } ?? ""
            let place = finding.places.first.map { ": \($0.description)" } ?? ""
            let times = finding.count > 1 ? " (\(finding.count) times)" : ""
            return "check still finds: \(finding.meaning)\(topic)\(times)\(place)"
        }
        let size = Format.bytes(report.messageBytes)
        let kept = "\(report.messageCount) messages, \(size), in \(report.files.count) files"
        let output = report.isSound ? nil : report.output.string
        self.init(path, output, kept, done, lost, doubtful, isEmpty: report.isEmpty)
        ending = hasLosses ? ExitStatus.lossy : nil
    }

    /// The result of the repair of a session.
    init(_ report: SessionRepairReport, path: String) {
        let done =
            report.mended.entries.map { entry in
                entry.sentence
                    + entry.examples.prefix(3).map { "\n    \($0)" }.joined()
            }
            + (report.metadata == .kept ? [] : ["metadata.json: \(report.metadata.rawValue)"])
            + (report.setAside.map { ["what was left out is in \($0)"] } ?? [])
        var lost = report.streams.filter { $0.leftOutLines > 0 }
            .map { "\($0.file): \($0.leftOutLines) lines left out, \($0.keptLines) kept" }
        if report.leftOutFileCount > 0 {
            let names = report.leftOutFiles.prefix(5).joined(separator: ", ")
            lost.append("\(report.leftOutFileCount) files that no line names: \(names)")
        }
        lost += report.check.findings.filter { $0.severity == .error }
            .map { "not mended: \($0.explanation)" + ($0.count > 1 ? " (\($0.count) times)" : "") }
        let kept = "\(report.check.examined.frames) frames, \(report.check.examined.images) images"
        self.init(path, report.output?.string, kept, done, lost, [])
    }

    /// - Parameters:
    ///   - output: nil where nothing was written.
    ///   - kept: the content of the output.
    ///   - doubtful: content that was kept and may be wrong, and findings that `check` still has.
    ///   - isEmpty: true if there is nothing in it because nothing was recorded.
    private init(
        _ path: String,
        _ output: String?,
        _ kept: String,
        _ done: [String],
        _ lost: [String],
        _ doubtful: [String],
        isEmpty: Bool = false
    ) {
        hasLosses = !lost.isEmpty || !doubtful.isEmpty
        for (title, lines) in [("done:", done), ("lost:", lost), ("still wrong:", doubtful)] where !lines.isEmpty {
            say([title] + lines.map { "    \($0)" })
        }
        if isEmpty, !hasLosses {
            say("\(path): nothing was recorded: there is no message in it")
            say(output.map { "repaired: \($0)" })
        } else if let output {
            // What check finds fault with is not called repaired.
            say("saved: \(kept)\n\(doubtful.isEmpty ? "repaired" : "written"): \(output)")
        } else if hasLosses {
            say("\(path): what is damaged cannot be mended (\(kept)): nothing was written")
        } else {
            say("\(path) is sound (\(kept)): nothing to do, nothing was written")
        }
        json([
            "path": path, "sound": output == nil && !hasLosses, "output": output, "saved": kept, "done": done,
            "lost": lost, "still_wrong": doubtful,
        ])
    }
}
