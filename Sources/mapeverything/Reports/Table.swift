import Playback
import Text

/// Rows with named columns, described once for people and for programs.
struct Table<Row> {
    let columns: [Column<Row>]
    let rows: [Row]

    init(_ columns: [Column<Row>], _ rows: [Row]) { (self.columns, self.rows) = (columns, rows) }

    private var shown: [Column<Row>] { columns.filter { $0.title != nil } }

    /// The titles of the columns that text has.
    var header: [String] { shown.compactMap(\.title) }

    /// The cells below the header, row by row.
    var cells: [[String]] { rows.map { row in shown.map { $0.cell(row).text } } }

    /// Columns that line up, each row in one line.
    var text: String {
        let columns = shown
        let lines = [header] + cells.map { $0.map(\.asOneLine) }
        let widths = columns.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { line in
            var text = columns.indices.map { index in
                let padding = String(repeating: " ", count: widths[index] - line[index].count)
                return columns[index].isLeft ? line[index] + padding : padding + line[index]
            }
            .joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return text
        }
        .joined(separator: "\n")
    }

    /// The text, or nothing where there is no row.
    var textOfRows: String { rows.isEmpty ? "" : text }

    /// An array of objects with the columns that have a key.
    var json: JSONValue { .array(rows.map { .object(columns.members(of: $0)) }) }
}

/// One value of each row of a table: its title in text, its key in JSON, and what both show.
struct Column<Row> {
    /// Nil where only JSON has it.
    let title: String?
    /// Nil where only the text has it.
    let key: String?
    let isLeft: Bool
    let cell: (Row) -> Cell

    /// A column of names, which the text aligns to the left.
    static func left(_ title: String?, _ key: String? = nil, _ cell: @escaping (Row) -> Cell) -> Column {
        Column(title: title, key: key, isLeft: true, cell: cell)
    }

    /// A column of numbers, which the text aligns to the right.
    static func right(_ title: String?, _ key: String? = nil, _ cell: @escaping (Row) -> Cell) -> Column {
        Column(title: title, key: key, isLeft: false, cell: cell)
    }

    /// A column that only JSON has.
    static func json(_ key: String, _ value: @escaping (Row) -> some JSONRepresentable) -> Column {
        Column(title: nil, key: key, isLeft: true) { Cell("", value($0).json) }
    }
}

extension Array {
    /// The members of the JSON object of a row.
    func members<Row>(of row: Row) -> [(String, JSONValue)] where Element == Column<Row> {
        compactMap { column in column.key.map { ($0, column.cell(row).json) } }
    }
}

/// A value as people read it, and as programs do.
struct Cell {
    let text: String
    let json: JSONValue

    init(_ text: String, _ json: JSONValue = .null) { (self.text, self.json) = (text, json) }

    static func string(_ value: String) -> Cell { Cell(value, .string(value)) }

    static func count(_ value: Int) -> Cell { Cell("\(value)", .integer(value)) }

    /// In text with a unit that fits.
    static func bytes(_ count: Int) -> Cell { Cell(Format.bytes(count), .integer(count)) }

    /// In text a dash where there is none.
    static func number(_ value: Double?, decimals: Int = 2) -> Cell {
        Cell(value.map { Format.number($0, decimals: decimals) } ?? "-", .number(value))
    }

    /// In text with three decimals, or a dash where there is none.
    static func seconds(nanoseconds: Int64?) -> Cell {
        let seconds = nanoseconds.map { Double($0) / 1e9 }
        return Cell(seconds.map { Format.number($0, decimals: 3) + " s" } ?? "-", .number(seconds))
    }
}

extension TopicStatistics {
    /// The largest gap in seconds; in text a dash for a single message.
    var largestGap: Cell {
        let seconds = Double(largestGapNanoseconds) / 1e9
        return Cell(count > 1 ? Format.number(seconds, decimals: 3) + " s" : "-", .number(seconds))
    }
}

/// Numbers for people.
enum Format {
    static func number(_ value: Double, decimals: Int) -> String { value.text(decimals: decimals) }

    static func seconds(_ value: Double) -> String { number(value, decimals: 1) + " s" }

    static func metres(_ value: Double) -> String { number(value, decimals: 3) + " m" }

    static func bytes(_ count: Int) -> String {
        let value = Double(count)
        if count < 1000 { return "\(count) B" }
        if count < 1_000_000 { return number(value / 1e3, decimals: 1) + " kB" }
        if count < 1_000_000_000 { return number(value / 1e6, decimals: 1) + " MB" }
        return number(value / 1e9, decimals: 2) + " GB"
    }

    /// A line for each; empty where there is none.
    static func warnings(_ texts: [String]) -> String { texts.map { "warning: \($0)" }.joined(separator: "\n") }

    static func percent(_ share: Double) -> String { number(share * 100, decimals: 0) + " %" }

    static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "0" : "\(part) (\(percent(Double(part) / Double(whole))))"
    }
}
