import BagCheck
import BagPlayback
import Bags
import Drawing
import Playback
import Reports
import SystemPackage

/// The page of a bag: its check, and one walk over all of its messages.
struct BagPage {
    var command = "report"
    let progress: ProgressOptions
    let path: String
    let messagePath: MessagePathOptions
    let unpacking: UnpackingOptions
    let points: Int

    func page() async throws -> ReportPage {
        let options = try PictureCheck.options(types: messagePath.resolver(), unpackLimit: unpacking.limit())
        let path = path
        let check = try await progress.run(command) { tell in
            var options = options
            options.progress = tell
            return try BagChecker.check(FilePath(path), options: options)
        }
        var plan = BagPlaybackPlan()
        plan.skipsUnknown = true
        // What is damaged stands in the findings.
        plan.acceptsDamage = true
        plan.resolver = try messagePath.resolver()
        plan.unpackLimit = try unpacking.limit()
        plan.playback.rate = nil
        let setup = try BagPlaybackSetup(opening: FilePath(path), plan: plan)
        let reader = setup.reader
        let counts = reader.topics.indices.map { (reader.topics[$0].name, reader.heldCount(ofTopic: $0)) }
        let sink = BagReportSink(span: setup.span, counts: Dictionary(counts, uniquingKeysWith: max))
        let report = try await RunWithProgress(command: command, stage: "reading", progress: progress)
            .run(setup, into: [sink])
        if let failure = report.playback.failure { throw failure }
        guard !report.playback.wasInterrupted else { throw CancellationError() }
        return await sink.page(
            title: FilePath(path).lastComponent?.string ?? path,
            subtitle: setup.reader.metadata.storageIdentifier,
            verdict: Self.verdict(check),
            findings: check.findings.map { finding in
                var text = "\(finding.severity.rawValue): \(finding.kind.rawValue)"
                if let topic = finding.topic { text += ": \(topic)" }
                if finding.count > 1 { text += " (\(finding.count) times)" }
                if let place = finding.places.first { text += ". First: \(place.description)" }
                return (finding.severity == .error ? .warn : .plain, text, finding.advice)
            } + setup.leftOut.map { (.plain, "not on this page: \($0.name), \($0.messageCount) messages", $0.reason) },
            points: points,
            version: Tool.version
        )
    }

    private static func verdict(_ check: BagCheckReport) -> (text: String, tone: ReportPage.Tone) {
        let (errors, warnings) = (check.count(of: .error), check.count(of: .warning))
        if errors > 0 { return ("Damaged: something of this bag is lost or wrong, see below.", .warn) }
        if warnings > 0 {
            return ("Usable: nothing is lost; \(warnings) \(warnings == 1 ? "warning" : "warnings").", .plain)
        }
        return ("Sound: nothing wrong was found in this bag.", .good)
    }
}
