/// A message type with the types below it: what is needed to read and write its messages.
///
/// Layouts are made by ``MessageSchema``, never change, and have no cycles.
package final class MessageLayout: Sendable {
    package let typeName: String
    package let fields: [FieldLayout]
    package let constants: [SchemaConstant]
    /// The fewest bytes of a message in CDR, without gaps: never more than ``SchemaLimits/elements``.
    let minimumSize: Int
    /// Other names under which rosbridge takes fields.
    let aliases: [JSONAlias]
    /// True if a wstring lies in it or below, whose width depends on who wrote it.
    package let hasWideStrings: Bool
    private let indices: [String: Int]

    init(typeName: String, fields: [FieldLayout], constants: [SchemaConstant]) {
        self.typeName = typeName
        self.fields = fields
        self.constants = constants
        minimumSize = max(1, fields.reduce(0) { min($0 + $1.minimumSize, SchemaLimits.elements) })
        aliases = Time.typeName == typeName || DurationMessage.typeName == typeName ? Time.jsonAliases : []
        indices = Dictionary(uniqueKeysWithValues: fields.enumerated().map { ($0.element.name, $0.offset) })
        hasWideStrings = fields.contains { field in
            switch field.element {
            case .number: false
            case .string(let bound): bound.isWide
            case .message(let layout): layout.hasWideStrings
            }
        }
    }

    /// The place of the field of that name.
    package func index(of name: String) -> Int? { indices[name] }

    /// A message with every field at its default; `nil` where that would be absurdly large.
    package func defaultMessage() -> DynamicMessage? {
        var values: [DynamicValue] = []
        values.reserveCapacity(fields.count)
        for field in fields {
            guard let value = field.defaultValue else { return nil }
            values.append(value)
        }
        return DynamicMessage(layout: self, values: values)
    }
}

/// One field of a message type; an object, as it is handed around for every value.
package final class FieldLayout: Sendable {
    package enum Element: Sendable {
        case number(NumberKind)
        case string(StringBound)
        case message(MessageLayout)
    }

    package let name: String
    package let element: Element
    package let shape: FieldShape
    /// The default as the .msg text has it.
    package let defaultText: String?
    /// The value of the field if nothing is said; `nil` where fixed arrays would make that absurdly large.
    package let defaultValue: DynamicValue?
    let nameBytes: [UInt8]

    init(_ field: ParsedField, _ element: Element, _ defaults: inout DefaultBuilder) {
        name = field.name
        self.element = element
        shape = field.shape
        defaultText = field.defaultText
        defaultValue = field.defaultValue ?? defaults.value(element, field.shape)
        nameBytes = Array(name.utf8)
    }

    /// The fewest bytes in CDR.
    var minimumSize: Int {
        switch shape {
        case .single: element.minimumSize
        case .sequence: 4
        case .array(let count): min(element.minimumSize.multipliedSaturating(by: count), SchemaLimits.elements)
        }
    }
}

extension FieldLayout.Element {
    /// The fewest bytes of one value in CDR.
    var minimumSize: Int {
        switch self {
        case .number(let kind): kind.size
        case .string: 4
        case .message(let layout): layout.minimumSize
        }
    }
}

extension Int {
    func multipliedSaturating(by other: Int) -> Int {
        let (result, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? .max : result
    }
}

extension StringBound {
    /// True if the string is no longer than the bound.
    func admits(_ text: String) -> Bool {
        guard let limit else { return true }
        return (isWide ? text.utf16.count : text.utf8.count) <= limit
    }
}

/// Makes the defaults of fields, as long as all of them together stay small.
struct DefaultBuilder {
    private var remainingBytes = SchemaLimits.defaultBytes

    /// The default of a field, or `nil` where there is no room for it.
    mutating func value(_ element: FieldLayout.Element, _ shape: FieldShape) -> DynamicValue? {
        switch (shape, element) {
        case (.single, .number(let kind)): return kind.blank
        case (.single, .string): return .string("")
        case (.single, .message(let layout)): return layout.defaultMessage().map { .message($0) }
        case (.sequence, .number(let kind)): return kind.blanks(0)
        case (.sequence, .string): return .strings([])
        case (.sequence, .message): return .messages([])
        case (.array(let count), .number(let kind)):
            return take(count, each: kind.size) ? kind.blanks(count) : nil
        case (.array(let count), .string):
            return take(count, each: MemoryLayout<String>.stride)
                ? .strings([String](repeating: "", count: count)) : nil
        case (.array(let count), .message(let layout)):
            // The messages share their values until one is changed.
            guard let message = layout.defaultMessage(), take(count, each: MemoryLayout<DynamicMessage>.stride) else {
                return nil
            }
            return .messages([DynamicMessage](repeating: message, count: count))
        }
    }

    private mutating func take(_ count: Int, each size: Int) -> Bool {
        let bytes = count.multipliedSaturating(by: size)
        guard bytes <= remainingBytes else { return false }
        remainingBytes -= bytes
        return true
    }
}
