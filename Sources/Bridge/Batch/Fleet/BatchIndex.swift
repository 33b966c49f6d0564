import Platform
import SystemPackage
package import Text

/// A page that leads to all whole results of a target: a row each, with a picture of the recording and its verdict.
///
/// It names files by addresses relative to the target's folder, where it belongs.
package enum BatchIndex {
    package static let file = "index.html"
    /// Browsers become slow with more rows.
    package static let maximumRows = 10_000

    package static func page(_ target: BatchTarget) throws -> ReportPage {
        var rows = [
            ReportPage.Row([
                "Recording", "Result", "Verdict", "Errors", "Warnings", "Format", "Device", "Start", "Duration",
                "Frames",
            ])
        ]
        var (count, damaged, doubtful, seconds, frames) = (0, 0, 0, 0.0, Int64(0))
        try target.forEachResult { folder, success in
            let (recording, verdict) = (success.json["recording"] ?? .null, BatchVerdict(success))
            count += 1
            if verdict.errors > 0 { damaged += 1 } else if verdict.warnings > 0 { doubtful += 1 }
            seconds += recording["duration_s"]?.number ?? 0
            frames = frames.addingReportingOverflow(recording["frames"]?.integer ?? 0).partialValue
            if rows.count <= maximumRows { rows.append(row(folder, success, recording, verdict)) }
        }
        var page = ReportPage(
            title: target.path.lastComponent?.string ?? "Results",
            subtitle: "Results of mapeverything batch"
        )
        let sound = count - damaged - doubtful
        page.verdict = (
            "\(count) recordings: \(sound) sound, \(doubtful) sound with warnings, \(damaged) damaged",
            damaged > 0 ? .warn : .good
        )
        page.facts = [("Duration", ProgressMeter.Reading.duration(seconds)), ("Frames", "\(frames)")]
        var section = ReportPage.Section("results", "Results")
        if count > maximumRows {
            section.notes = ["The first \(maximumRows) of \(count) results by name; catalogue.csv has all of them."]
        }
        (section.rows, section.showsRows) = (rows, true)
        page.sections = [section]
        page.showsFiles = true
        page.json = ["results": .integer(count), "damaged": .integer(damaged), "warned": .integer(doubtful)]
        return page
    }

    private static func row(
        _ folder: String,
        _ success: UnitSuccess,
        _ recording: JSONValue,
        _ verdict: BatchVerdict
    ) -> ReportPage.Row {
        func text(_ key: String) -> String { recording[key]?.string ?? "" }
        let name = success.json["name"]?.string ?? folder
        var row = ReportPage.Row([
            name, success.json["to"]?.string ?? "", verdict.text, "\(verdict.errors)", "\(verdict.warnings)",
            text("format"), text("device"), text("start"),
            recording["duration_s"]?.number.map(ProgressMeter.Reading.duration) ?? "",
            "\(recording["frames"]?.integer ?? 0)",
        ])
        // A page or a file opens in the browser; what is a folder is shown as one.
        let output = success.json["output"]?.string ?? ""
        let isFile = success.files.contains { $0.name == output }
        row.link = address([folder] + (isFile ? [output] : [""]))
        if success.files.contains(where: { $0.name == RecordingExtent.thumbnail }) {
            row.picture = address([folder, RecordingExtent.thumbnail])
        }
        return row
    }

    /// A relative address (RFC 3986): `./` keeps a colon in the first part from being a scheme.
    private static func address(_ parts: [String]) -> String {
        "./" + parts.map { part in percentEncoded(part) { unreserved.contains($0) } }.joined(separator: "/")
    }

    /// RFC 3986, 2.3.
    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
