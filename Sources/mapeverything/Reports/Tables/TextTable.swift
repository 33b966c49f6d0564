import JSONText

/// Columns that line up: the first to the left, numbers to the right.
struct TextTable {
    private var rows: [[String]]
    private let leftColumns: Set<Int>

    init(header: [String], leftColumns: Set<Int>) {
        rows = [header]
        self.leftColumns = leftColumns
    }

    /// Escapes line breaks and control characters, so that each cell is one line.
    mutating func add(_ row: [String]) { rows.append(row.map(\.asOneLine)) }

    /// Whether there is nothing below the header.
    var isEmpty: Bool { rows.count == 1 }

    var text: String {
        let columns = rows[0].count
        let widths = (0..<columns).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = (0..<columns).map { column -> String in
                let padding = String(repeating: " ", count: widths[column] - row[column].count)
                return leftColumns.contains(column) ? row[column] + padding : padding + row[column]
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line
        }.joined(separator: "\n")
    }
}
