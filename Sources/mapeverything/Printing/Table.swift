import HTMLReports
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
    ///
    /// On a terminal the lines are no wider than it, nor than 100 columns: types lose their packages, then details are left out, then
    /// sentences stand below their rows, then the widest texts are cut in the middle. `--verbose` shows all.
    var text: String {
        var layout = TableLayout(
            columns: shown.map { ($0.isLeft, $0.use) },
            lines: [header] + cells.map { $0.map(\.asOneLine) }
        )
        if let limit = Terminal.textColumns { layout.fit(limit) }
        return layout.text
    }

    /// The text, or nothing where there is no row.
    var textOfRows: String { rows.isEmpty ? "" : text }

    /// An array of objects with the columns that have a key.
    var json: JSONValue { .array(rows.map { .object(columns.members(of: $0)) }) }
}

/// The texts of a table, which can be made narrower.
struct TableLayout {
    enum Use {
        case plain
        /// Left out of a narrow table, the last one first.
        case detail
        /// ROS types, which stand without their package where the rest is unique.
        case types
        /// Never cut, such as a date.
        case whole
        /// On a line of its own below a row that is too wide.
        case sentence
    }

    var columns: [(isLeft: Bool, use: Use)]
    /// The header and the rows.
    var lines: [[String]]
    /// What stands below each line.
    fileprivate var below: [String] = []

    private func width(_ column: Int) -> Int { lines.map { $0[column].count }.max() ?? 0 }
    private var width: Int { columns.indices.reduce(0) { $0 + width($1) + 2 } - 2 }

    var text: String {
        let widths = columns.indices.map { width($0) }
        return lines.enumerated().map { place, line in
            var text = columns.indices.map { index in
                let padding = String(repeating: " ", count: widths[index] - line[index].count)
                return columns[index].isLeft ? line[index] + padding : padding + line[index]
            }
            .joined(separator: "  ")
            while text.last == " " { text.removeLast() }
            return below.isEmpty || place == 0 ? text : text + "\n" + below[place]
        }
        .joined(separator: "\n")
    }

    mutating func fit(_ limit: Int) {
        if width > limit, let column = columns.firstIndex(where: { $0.use == .types }) { shortenTypes(column) }
        while width > limit, let column = columns.lastIndex(where: { $0.use == .detail }) {
            remove(column)
        }
        if width > limit, let column = columns.firstIndex(where: { $0.use == .sentence }) {
            below = lines.map { "  " + $0[column].wrapped(to: limit - 2, indent: 2) }
            remove(column)
        }
        // The first column names the row: it is cut last.
        let texts = columns.indices.filter { columns[$0].isLeft && columns[$0].use != .whole }.reversed()
        for (isFirst, least) in [(false, 24), (false, 12), (true, 24), (true, 12)] {
            for column in texts where (column == 0) == isFirst && width > limit {
                let longest = max(least, width(column) - (width - limit))
                for line in lines.indices { lines[line][column] = lines[line][column].cutInTheMiddle(longest) }
            }
        }
    }

    private mutating func remove(_ column: Int) {
        columns.remove(at: column)
        for line in lines.indices { lines[line].remove(at: column) }
    }

    private mutating func shortenTypes(_ column: Int) {
        func short(_ name: String) -> String { name.split(separator: "/").last.map(String.init) ?? name }
        let types = Set(lines.dropFirst().map { $0[column] })
        let uses = Dictionary(grouping: types, by: short)
        for line in lines.indices.dropFirst() {
            let name = short(lines[line][column])
            if uses[name]?.count == 1 { lines[line][column] = name }
        }
    }
}

extension String {
    /// The text with its middle replaced, where it has more characters than the limit; the last part of a path stays whole if it fits.
    fileprivate func cutInTheMiddle(_ limit: Int) -> String {
        guard count > limit else { return self }
        let last = lastIndex(of: "/").map { self[$0...].count } ?? 0
        let tail = last < limit ? max((limit - 1) / 2, last) : (limit - 1) / 2
        return prefix(limit - 1 - tail) + "…" + suffix(tail)
    }

    /// The text in lines of at most so many characters, broken at spaces but not in a command between backticks; all lines but the
    /// first are indented.
    func wrapped(to limit: Int, indent: Int) -> String {
        var words: [String] = []
        var isInCommand = false
        for word in split(separator: " ", omittingEmptySubsequences: false) {
            let begun = isInCommand ? words.popLast().map { $0 + " " } : nil
            words.append((begun ?? "") + word)
            if !word.count(where: { $0 == "`" }).isMultiple(of: 2) { isInCommand.toggle() }
        }
        var lines: [String] = []
        for word in words {
            if let last = lines.last, last.count + 1 + word.count <= limit {
                lines[lines.count - 1] += " " + word
            } else {
                lines.append(word)
            }
        }
        return lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}

/// One value of each row of a table: its title in text, its key in JSON, and what both show.
struct Column<Row> {
    /// Nil where only JSON has it.
    let title: String?
    /// Nil where only the text has it.
    let key: String?
    let isLeft: Bool
    var use = TableLayout.Use.plain
    let cell: (Row) -> Cell

    /// The column as one that a narrow table does without.
    var detail: Column { with(.detail) }

    var types: Column { with(.types) }

    /// The column as one of dates and the like, which are never cut.
    var whole: Column { with(.whole) }

    /// The column as one of sentences, which stand below the rows of a narrow table.
    var sentence: Column { with(.sentence) }

    private func with(_ use: TableLayout.Use) -> Column {
        var column = self
        column.use = use
        return column
    }

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

    static func bytes(_ count: Int) -> String { Readable.bytes(count) }

    /// A line for each; empty where there is none.
    static func warnings(_ texts: [String]) -> String { texts.map { "warning: \($0)" }.joined(separator: "\n") }

    static func percent(_ share: Double) -> String { number(share * 100, decimals: 0) + " %" }

    static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "0" : "\(part) (\(percent(Double(part) / Double(whole))))"
    }
}
