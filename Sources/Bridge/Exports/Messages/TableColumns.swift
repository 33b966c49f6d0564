import DynamicMessages
import JSONText
import Messages

/// The columns of a message type as a table: a leaf each, named by the dotted path of its fields.
///
/// Arrays of a fixed length have a column for each element (`.0`, `.1`), sequences one with the number of their
/// elements (`_count`). A header in front becomes `stamp_ns` and `frame_id`. A message that is a sequence of messages and
/// nothing else, as tf2_msgs/TFMessage, has a line for each of them.
struct TableColumns {
    /// More than the widest message of ROS's own has by far; what a hostile definition has above it is left out.
    static let limit = 4096
    private static let expandedElements = 64

    let names: [String]
    /// Whether there were more than ``limit``.
    let isCut: Bool
    private let isList: Bool
    private let hasHeader: Bool

    init(_ whole: MessageLayout) {
        let element = Self.element(of: whole)
        isList = element != nil
        let layout = element ?? whole
        let first = layout.fields.first
        hasHeader = first.map { $0.name == "header" && $0.isMessage(Header.typeName) } ?? false
        var names: [String] = []
        Self.collect(layout, prefix: "", skipsFirst: hasHeader, into: &names)
        isCut = names.count > Self.limit
        self.names = Array(names.prefix(Self.limit))
    }

    var header: String {
        (["log_time_ns"] + (hasHeader ? ["stamp_ns", "frame_id"] : []) + names).map(Self.quoted).joined(separator: ",")
            + "\n"
    }

    /// The lines of a message.
    func lines(_ value: DynamicValue, logTime: Int64) -> [String] {
        guard isList else { return value.message.map { [line($0, logTime)] } ?? [] }
        return value.message?.values.first?.messages?.map { line($0, logTime) } ?? []
    }

    private func line(_ message: DynamicMessage, _ logTime: Int64) -> String {
        var cells = ["\(logTime)"]
        if hasHeader {
            let value = DynamicValue.message(message)
            cells += [value.headerStampNanoseconds.map { "\($0)" } ?? "", Self.quoted(value.headerFrameID ?? "")]
        }
        let leading = cells.count
        Self.append(message, skipsFirst: hasHeader, to: &cells)
        return cells.prefix(leading + names.count).joined(separator: ",") + "\n"
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
        into names: inout [String]
    ) {
        for field in layout.fields.dropFirst(skipsFirst ? 1 : 0) where names.count <= limit {
            let name = prefix + field.name
            switch (field.shape, field.element) {
            case (.single, .message(let inner)): collect(inner, prefix: name + ".", into: &names)
            case (.single, _): names.append(name)
            case (.array(let count), .message(let inner)) where count <= expandedElements:
                for index in 0..<count { collect(inner, prefix: "\(name).\(index).", into: &names) }
            case (.array(let count), _) where count <= expandedElements:
                for index in 0..<count { names.append("\(name).\(index)") }
            default: names.append(name + "_count")
            }
        }
    }

    private static func append(_ message: DynamicMessage, skipsFirst: Bool = false, to cells: inout [String]) {
        let fields = zip(message.layout.fields, message.values)
        for (field, value) in fields.dropFirst(skipsFirst ? 1 : 0) where cells.count <= limit + 3 {
            switch (field.shape, value) {
            case (.single, .message(let inner)): append(inner, to: &cells)
            case (.single, _): cells.append(text(value))
            case (.array(let count), .messages(let inner)) where count <= expandedElements:
                for one in inner { append(one, to: &cells) }
            case (.array(let count), _) where count <= expandedElements:
                cells += elements(value)
            default: cells.append("\(value.count ?? 0)")
            }
        }
    }

    private static func text(_ value: DynamicValue) -> String {
        switch value {
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        case .unsigned(let value): "\(value)"
        case .float32(let value): number(value)
        case .float64(let value): number(value)
        case .string(let value): quoted(value)
        default: ""
        }
    }

    private static func elements(_ value: DynamicValue) -> [String] {
        switch value {
        case .bools(let values): values.map { $0 ? "true" : "false" }
        case .int8s(let values): values.map { "\($0)" }
        case .bytes(let values): values.map { "\($0)" }
        case .int16s(let values): values.map { "\($0)" }
        case .uint16s(let values): values.map { "\($0)" }
        case .int32s(let values): values.map { "\($0)" }
        case .uint32s(let values): values.map { "\($0)" }
        case .int64s(let values): values.map { "\($0)" }
        case .uint64s(let values): values.map { "\($0)" }
        case .float32s(let values): values.map { number($0) }
        case .float64s(let values): values.map { number($0) }
        case .strings(let values): values.map(quoted)
        default: []
        }
    }

    /// The shortest text that reads back as the same number; `nan`, `inf` and `-inf` as pandas has them.
    private static func number(_ value: some BinaryFloatingPoint & LosslessStringConvertible) -> String {
        "\(value)"
    }

    /// RFC 4180, clause 2: quotes around what has a comma, a quote or a line break, quotes inside doubled.
    static func quoted(_ text: String) -> String {
        let needsQuotes = text.utf8.contains { $0 == 0x22 || $0 == 0x2C || $0 == 0x0A || $0 == 0x0D }
        return needsQuotes ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

extension FieldLayout {
    fileprivate func isMessage(_ typeName: String) -> Bool {
        if case (.single, .message(let layout)) = (shape, element) { layout.typeName == typeName } else { false }
    }
}
