import Exports
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
        .init("verdict", .text), .init("errors", .int64), .init("warnings", .int64), .init("has_depth", .text),
        .init("has_imu", .text),
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
        let verdict = BatchVerdict(success)
        cells += [text(json["to"]), .text(verdict.text), .integer(verdict.errors), .integer(verdict.warnings)]
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
        let values = cells.map { cell -> JSONValue in
            switch cell {
            case .bool(let value): .bool(value)
            case .integer(let value): .integer(value)
            case .unsigned(let value): .unsignedInteger(value)
            case .float32(let value): .number(Double(value))
            case .float64(let value): .number(value)
            case .text(let value): .string(value)
            }
        }
        try file.append(text: JSONValue.object(Array(zip(names, values))).text() + "\n")
    }

    func finish() throws { try file.finish() }
}
