package import HTMLReports
import Platform
package import SystemPackage
import Text

/// A table of all whole results in a target: a row each, flat, by the names of their folders.
package struct BatchCatalogue: Sendable {
    package enum Form: String, Sendable, CaseIterable {
        case jsonl, csv, parquet
    }

    private static let columns: [TableColumn] = [
        .init("id", .text), .init("folder", .text), .init("name", .text), .init("input", .text), .init("to", .text),
        .init("verdict", .text), .init("errors", .int64), .init("warnings", .int64),
        .init("looked_at", .text), .init("has_depth", .text), .init("has_imu", .text),
        .init("version", .text), .init("format", .text), .init("device", .text), .init("os", .text),
        .init("start", .text), .init("duration_s", .float64), .init("frames", .int64), .init("extent_x_m", .float64),
        .init("extent_y_m", .float64), .init("extent_z_m", .float64), .init("gps_fixes", .int64),
        .init("gps_west", .float64),
        .init("gps_south", .float64), .init("gps_east", .float64), .init("gps_north", .float64),
        .init("topics", .int64), .init("messages", .int64), .init("topic_counts", .text), .init("skips", .int64),
        .init("skip_counts", .text), .init("input_bytes", .int64), .init("output_files", .int64),
        .init("output_bytes", .int64), .init("identity", .text), .init("files", .text),
    ]

    /// Writes a new file.
    ///
    /// - Returns: how many rows it has.
    package static func write(_ target: BatchTarget, _ form: Form, to path: FilePath) throws -> Int {
        let file: any TableFile =
            switch form {
            case .jsonl: try JSONLinesFile(creating: path, columns)
            case .csv: try CSVFile(creating: path, columns)
            case .parquet: try ParquetFile(creating: path, columns)
            }
        var count = 0
        try target.forEachResult { folder, success in
            try file.append(row(success, folder))
            count += 1
        }
        try file.finish()
        return count
    }

    /// An unknown value is an empty text, 0 or, of measures, not a number: the columns have no nulls.
    private static func row(_ success: UnitSuccess, _ folder: String) -> [TableCell] {
        let (json, recording) = (success.json, success.json["recording"] ?? .null)
        func text(_ value: JSONValue?) -> TableCell { .text(value?.string ?? "") }
        func integer(_ value: JSONValue?) -> TableCell { .integer(value?.integer ?? 0) }
        func number(_ value: JSONValue?) -> TableCell { .float64(value?.number ?? .nan) }
        func sum(_ value: JSONValue?) -> Int64 {
            (value?.object?.members ?? []).reduce(0) { $0.addingReportingOverflow($1.value.integer ?? 0).partialValue }
        }
        func element(_ key: String, _ index: Int) -> TableCell {
            let values = recording[key]?.array ?? []
            return number(index < values.count ? values[index] : nil)
        }
        let (topics, problems) = (json["topics"], json["problems"])
        var cells: [TableCell] = [.text(success.id), .text(folder), text(json["name"]), text(json["input"])]
        let verdict = success.verdict
        cells += [text(json["to"]), .text(verdict.word.rawValue), .integer(Int64(verdict.errors))]
        cells += [.integer(Int64(verdict.warnings)), .text(verdict.examined)]
        cells += ["depth", "imu"].map { .text(recording[$0]?.text() ?? "") }
        cells += [text(json["version"]), text(recording["format"]), text(recording["device"])]
        cells += [
            text(recording["os"]), text(recording["start"]), number(recording["duration_s"]),
            integer(recording["frames"]),
        ]
        cells += (0..<3).map { element("extent_m", $0) } + [integer(recording["gps_fixes"])]
        cells += (0..<4).map { element("gps_box", $0) }
        cells += [.integer(Int64(topics?.object?.members.count ?? 0)), .integer(sum(topics))]
        cells += [.text((topics ?? .null).text()), .integer(sum(problems)), .text((problems ?? .null).text())]
        cells += [integer(json["input_bytes"]), .integer(Int64(success.files.count))]
        let bytes = success.files.reduce(0) { $0.addingReportingOverflow($1.bytes).partialValue }
        let hashes = success.files.map { ($0.name, JSONValue.string($0.sha256)) }
        return cells + [.integer(Int64(bytes)), text(json["identity"]), .text(JSONValue.object(hashes).text())]
    }
}

/// A table as JSON lines: an object a row; what is no number is null.
private final class JSONLinesFile: TableFile {
    private let file: OutputFile
    private let names: [String]

    init(creating path: FilePath, _ columns: [TableColumn]) throws {
        file = try OutputFile(creating: path)
        names = columns.map(\.name)
    }

    var byteCount: Int { file.byteCount }

    func append(_ cells: [TableCell]) throws {
        try file.append(text: JSONValue.object(Array(zip(names, cells.map(Self.json)))).text() + "\n")
    }

    private static func json(_ cell: TableCell) -> JSONValue {
        switch cell {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsignedInteger(value)
        case .float32(let value): .number(Double(value))
        case .float64(let value): .number(value)
        case .text(let value): .string(value)
        case .list(let cells): .array(cells.map(json))
        }
    }

    func finish() throws { try file.finish() }
}

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
                "Recording", "Result", "Verdict", "Errors", "Warnings", "Looked at", "Format", "Device", "Start",
                "Duration", "Frames",
            ])
        ]
        var (count, damaged, doubtful, seconds, frames) = (0, 0, 0, 0.0, Int64(0))
        try target.forEachResult { folder, success in
            let (recording, verdict) = (success.json["recording"] ?? .null, success.verdict)
            count += 1
            if verdict.word == .damaged { damaged += 1 } else if verdict.word == .usable { doubtful += 1 }
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
            "\(count) recordings: \(sound) sound, \(doubtful) usable, \(damaged) damaged",
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
        _ verdict: Verdict
    ) -> ReportPage.Row {
        func text(_ key: String) -> String { recording[key]?.string ?? "" }
        let name = success.json["name"]?.string ?? folder
        var row = ReportPage.Row([
            name, success.json["to"]?.string ?? "", verdict.word.rawValue, "\(verdict.errors)", "\(verdict.warnings)",
            verdict.examined, text("format"), text("device"), text("start"),
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
