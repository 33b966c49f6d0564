import Text

/// A JSON object for people, under the names that programs read.
enum Markdown {
    /// A table of the rows in one member, then all other members in a list.
    ///
    /// - Parameter columns: members of the rows, or of objects in them.
    static func text(of report: JSONValue, rows name: String, columns: [String]) -> String {
        let rows = (report[name]?.array ?? []).map { row in columns.map { text(of: find($0, in: row)) } }
        let rest = (report.object?.members ?? []).filter { $0.key != name }.map { "- \($0.key): \(text(of: $0.value))" }
        return (table([columns] + rows) + [""] + rest).joined(separator: "\n")
    }

    private static func find(_ key: String, in row: JSONValue) -> JSONValue {
        row[key] ?? row.object?.members.lazy.compactMap { $0.value[key] }.first ?? .null
    }

    private static func table(_ lines: [[String]]) -> [String] {
        let widths = lines[0].indices.map { column in lines.map { max(3, $0[column].count) }.max() ?? 3 }
        let rule = widths.map { String(repeating: "-", count: $0) }
        return ([lines[0], rule] + lines.dropFirst()).map { cells in
            let padded = zip(cells, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            return "| " + padded.joined(separator: " | ") + " |"
        }
    }

    /// A value in a line; numbers with at most three decimals.
    private static func text(of value: JSONValue) -> String {
        switch value {
        case .null: "-"
        case .string(let text): text.asOneLine
        case .number(let number): "\((number * 1000).rounded() / 1000)"
        case .array(let values): values.isEmpty ? "-" : values.map(text).joined(separator: ", ")
        default: value.text()
        }
    }
}
