/// A value in a column of a table.
package enum TableCell: Sendable, Hashable {
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case float32(Float)
    case float64(Double)
    case text(String)

    /// For comma-separated values: the shortest text that reads back as the same number; `nan`, `inf` and `-inf` as pandas
    /// has them.
    var text: String {
        switch self {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .float32(let value): "\(value)"
        case .float64(let value): "\(value)"
        case .text(let value): Self.quoted(value)
        }
    }

    /// RFC 4180, clause 2: quotes around what has a comma, a quote or a line break, quotes inside doubled.
    static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

/// A column of a table: its name, and what its cells are.
package struct TableColumn: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case bool
        case int8, int16, int32, int64
        case uint8, uint16, uint32, uint64
        case float32, float64
        case text
    }

    package var name: String
    package var kind: Kind

    package init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
    }
}
