import BagCheck
import BagRepair
import JSONText
import Sessions
import SystemPackage

extension Report {
    /// What `repair` did with a bag; a bag that is not whole ends with status 1.
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
            let topic = finding.topic.map { " \($0)" } ?? ""
            let place = finding.places.first.map { ": \($0.description)" } ?? ""
            return "check still finds \(finding.count) x \(finding.kind.rawValue)\(topic)\(place)"
        }
        let size = Format.bytes(report.messageBytes)
        let kept = "\(report.messageCount) messages, \(size), in \(report.files.count) files"
        let output = report.isSound ? nil : report.output.string
        self.init(path, output, kept, done, lost, doubtful, isEmpty: report.isEmpty)
        ending = hasLosses ? ExitStatus.lossy : nil
    }

    /// What `repair` did with a session.
    init(_ report: SessionRepairReport, path: String) {
        let done =
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
        let kept = "\(report.check.examined.frames) frames, \(report.check.examined.images) images"
        self.init(path, report.output?.string, kept, done, lost, [])
    }

    /// - Parameters:
    ///   - output: nil where nothing was written.
    ///   - kept: what is in it now.
    ///   - doubtful: what was kept and may be wrong, and what `check` still finds.
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
