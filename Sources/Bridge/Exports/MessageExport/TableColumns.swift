import Messages
import Text

/// The columns of a message type as a table: a leaf each, named by the dotted path of its fields.
///
/// Arrays of a fixed length have a column for each element (`.0`, `.1`), sequences one with the number of their
/// elements (`_count`). A header in front becomes `stamp_ns` and `frame_id`. A message that is a sequence of messages and
/// nothing else, as tf2_msgs/TFMessage, has a line for each of them.
struct TableColumns {
    /// More than the widest message of ROS's own has by far; what a hostile definition has above it is left out.
    static let limit = 4096
    private static let expandedElements = 64

    let columns: [TableColumn]
    /// True if there were more than ``limit``.
    let isCut: Bool
    private let isList: Bool
    private let hasHeader: Bool
    /// Columns that every table of the kind has.
    private let leadingCount: Int

    init(_ whole: MessageLayout) {
        let element = Self.element(of: whole)
        isList = element != nil
        let layout = element ?? whole
        let first = layout.fields.first
        hasHeader = first.map { $0.name == "header" && $0.isMessage(Header.typeName) } ?? false
        var columns = [TableColumn("log_time_ns", .int64)]
        if hasHeader {
            columns += [TableColumn("stamp_ns", .int64), TableColumn("frame_id", .text)]
        }
        leadingCount = columns.count
        let leading = Set(columns.map(\.name))
        Self.collect(layout, prefix: "", skipsFirst: hasHeader, into: &columns)
        // A field of the message may have the name of one of the first columns.
        for index in columns.indices.dropFirst(leadingCount) where leading.contains(columns[index].name) {
            columns[index].name = "message." + columns[index].name
        }
        isCut = columns.count > leadingCount + Self.limit
        self.columns = Array(columns.prefix(leadingCount + Self.limit))
    }

    /// The rows of a message, a cell for each column.
    func rows(_ value: DynamicValue, logTime: Int64) -> [[TableCell]] {
        guard isList else { return value.message.map { [row($0, logTime)] } ?? [] }
        return value.message?.values.first?.messages?.map { row($0, logTime) } ?? []
    }

    private func row(_ message: DynamicMessage, _ logTime: Int64) -> [TableCell] {
        var cells: [TableCell] = [.integer(logTime)]
        cells.reserveCapacity(columns.count)
        if hasHeader {
            let value = DynamicValue.message(message)
            cells += [.integer(value.headerStampNanoseconds ?? 0), .text(value.headerFrameID ?? "")]
        }
        Self.append(message, skipsFirst: hasHeader, to: &cells)
        return Array(cells.prefix(columns.count))
    }

    private static func element(of layout: MessageLayout) -> MessageLayout? {
        guard layout.fields.count == 1, case .sequence = layout.fields[0].shape,
            case .message(let element) = layout.fields[0].element
        else { return nil }
        return element
    }

    private static func collect(
        _ layout: MessageLayout,
        prefix: String,
        skipsFirst: Bool = false,
        into columns: inout [TableColumn]
    ) {
        for field in layout.fields.dropFirst(skipsFirst ? 1 : 0) where columns.count <= limit + 3 {
            let name = prefix + field.name
            switch (field.shape, field.element) {
            case (.single, .message(let inner)): collect(inner, prefix: name + ".", into: &columns)
            case (.single, let element): columns.append(TableColumn(name, kind(element)))
            case (.array(let count), .message(let inner)) where count <= expandedElements:
                for index in 0..<count { collect(inner, prefix: "\(name).\(index).", into: &columns) }
            case (.array(let count), let element) where count <= expandedElements:
                for index in 0..<count {
                    columns.append(TableColumn("\(name).\(index)", kind(element)))
                }
            default: columns.append(TableColumn(name + "_count", .int64))
            }
        }
    }

    private static func kind(_ element: FieldLayout.Element) -> TableColumn.Kind {
        guard case .number(let number) = element else { return .text }
        return switch number {
        case .bool: .bool
        case .byte, .char, .uint8: .uint8
        case .int8: .int8
        case .uint16: .uint16
        case .int16: .int16
        case .int32: .int32
        case .uint32: .uint32
        case .int64: .int64
        case .uint64: .uint64
        case .float32: .float32
        case .float64: .float64
        }
    }

    private static func append(_ message: DynamicMessage, skipsFirst: Bool = false, to cells: inout [TableCell]) {
        let fields = zip(message.layout.fields, message.values)
        for (field, value) in fields.dropFirst(skipsFirst ? 1 : 0) where cells.count <= limit + 3 {
            switch (field.shape, value) {
            case (.single, .message(let inner)): append(inner, to: &cells)
            case (.single, _): cells.append(cell(value))
            case (.array(let count), .messages(let inner)) where count <= expandedElements:
                for one in inner { append(one, to: &cells) }
            case (.array(let count), _) where count <= expandedElements:
                cells += elements(value)
            default: cells.append(.integer(Int64(value.count ?? 0)))
            }
        }
    }

    private static func cell(_ value: DynamicValue) -> TableCell {
        switch value {
        case .bool(let value): .bool(value)
        case .integer(let value): .integer(value)
        case .unsigned(let value): .unsigned(value)
        case .float32(let value): .float32(value)
        case .float64(let value): .float64(value)
        case .string(let value): .text(value)
        default: .text("")
        }
    }

    private static func elements(_ value: DynamicValue) -> [TableCell] {
        switch value {
        case .bools(let values): values.map { .bool($0) }
        case .int8s(let values): values.map { .integer(Int64($0)) }
        case .bytes(let values): values.map { .integer(Int64($0)) }
        case .int16s(let values): values.map { .integer(Int64($0)) }
        case .uint16s(let values): values.map { .integer(Int64($0)) }
        case .int32s(let values): values.map { .integer(Int64($0)) }
        case .uint32s(let values): values.map { .integer(Int64($0)) }
        case .int64s(let values): values.map { .integer($0) }
        case .uint64s(let values): values.map { .unsigned($0) }
        case .float32s(let values): values.map { .float32($0) }
        case .float64s(let values): values.map { .float64($0) }
        case .strings(let values): values.map { .text($0) }
        default: []
        }
    }
}

extension FieldLayout {
    fileprivate func isMessage(_ typeName: String) -> Bool {
        if case (.single, .message(let layout)) = (shape, element) { layout.typeName == typeName } else { false }
    }
}

/// A value in a column of a table.
package enum TableCell: Sendable, Hashable {
    case bool(Bool)
    case integer(Int64)
    case unsigned(UInt64)
    case float32(Float)
    case float64(Double)
    case text(String)
    /// Of a column of lists, in Parquet only.
    indirect case list([TableCell])

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
        case .list(let cells): Self.quoted(cells.map(\.text).joined(separator: " "))
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
    /// How many lists are around each value; 0 for a column of values.
    package var listDepth: Int

    package init(_ name: String, _ kind: Kind, listDepth: Int = 0) {
        self.name = name
        self.kind = kind
        self.listDepth = listDepth
    }
}
