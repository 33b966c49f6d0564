import BagCheck
import BagRepair
import JSONText
import Sessions
import SystemPackage

/// What `repair` did, of a session or a bag.
struct RepairOutcome {
    private let path: String
    /// Nil where there was nothing to do.
    private let output: String?
    private let done: [String]
    private let lost: [String]
    /// What was kept and may be wrong, and what `check` still finds.
    private let doubtful: [String]
    /// Whether there is nothing in it because nothing was recorded.
    private let isEmpty: Bool
    /// What is in it now.
    private let kept: String

    /// Whether the exit status says so without `--strict`: a bag of which a part is missing is not done.
    let mustBeWhole: Bool

    var hasLosses: Bool { !lost.isEmpty || !doubtful.isEmpty }

    init(_ report: RepairReport, path: String) {
        self.path = path
        mustBeWhole = true
        output = report.isSound ? nil : report.output.string
        var done: [String] = []
        var lost: [String] = []
        var doubtful: [String] = []
        for file in report.files {
            doubtful += file.doubts.map { "\(file.name): \($0)" }
            done += file.actions.map { "\(file.name): \($0)" }
            lost += file.losses.map { loss in
                var amounts: [String] = []
                if let count = loss.messageCount { amounts.append("\(count) messages") }
                if let bytes = loss.bytes { amounts.append(Format.bytes(bytes)) }
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
            let topic = finding.topic.map { " \($0)" } ?? ""
            let place = finding.places.first.map { ": \($0.description)" } ?? ""
            return "check still finds \(finding.count) x \(finding.kind.rawValue)\(topic)\(place)"
        }
        self.done = done
        self.lost = lost
        self.doubtful = doubtful
        isEmpty = report.isEmpty
        kept = "\(report.messageCount) messages, \(Format.bytes(report.messageBytes)), in \(report.files.count) files"
    }

    init(_ report: SessionRepairReport, path: String) {
        self.path = path
        mustBeWhole = false
        output = report.output?.string
        done =
            report.mended.entries.map { entry in
                "\(entry.count) x \(entry.kind.rawValue): \(entry.kind.explanation)"
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
            .map { "not mended: \($0.count) x \($0.kind.rawValue): \($0.explanation)" }
        self.lost = lost
        doubtful = []
        isEmpty = false
        kept = "\(report.check.examined.frames) frames, \(report.check.examined.images) images"
    }

    var text: String {
        var sections = [("done:", done), ("lost:", lost), ("still wrong:", doubtful)].filter { !$0.1.isEmpty }
            .map { title, lines in ([title] + lines.map { "    \($0)" }).joined(separator: "\n") }
        if isEmpty, !hasLosses {
            sections.append("\(path): nothing was recorded: there is no message in it")
            if let output { sections.append("repaired: \(output)") }
        } else if let output {
            // What check finds fault with is not called repaired.
            sections.append("saved: \(kept)\n\(doubtful.isEmpty ? "repaired" : "written"): \(output)")
        } else if hasLosses {
            sections.append("\(path): what is damaged cannot be mended (\(kept)): nothing was written")
        } else {
            sections.append("\(path) is sound (\(kept)): nothing to do, nothing was written")
        }
        return sections.joined(separator: "\n\n")
    }

    var json: JSONValue {
        [
            "path": .string(path), "sound": .bool(output == nil && !hasLosses),
            "output": .string(output),
            "saved": .string(kept), "done": .strings(done),
            "lost": .strings(lost), "still_wrong": .strings(doubtful),
        ]
    }
}
