/// What the .msg text of a compiled type says, found by showing a default message to a visitor.
struct CompiledDefinition: FieldVisitor {
    private let type: any Message.Type
    /// The fields, each with its type where that is a message.
    private(set) var fields: [(field: ParsedField, message: (any Message.Type)?)] = []

    init(of type: any Message.Type) {
        func describe<M: Message>(_ type: M.Type) {
            var message = M()
            message.visit(&self)
        }
        self.type = type
        describe(type)
    }

    var fieldNames: [String] { fields.map(\.field.name) }

    var constants: [SchemaConstant] {
        type.constants.compactMap { constant in
            let kind = NumberKind(rawValue: constant.type)
            var literal = LiteralParser(Array(constant.value.utf8)[...])
            guard let value = try? literal.constant(Self.element(kind)) else { return nil }
            return SchemaConstant(type: constant.type, name: constant.name, value: value, text: constant.value)
        }
    }

    var parsed: ParsedDefinition { ParsedDefinition(constants: constants, fields: fields.map(\.field)) }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) {
        append(name, P.numberKind, .single)
        guard value != P.blank else { return }
        var text: [UInt8] = []
        value.appendJSON(to: &text)
        let last = fields.count - 1
        fields[last].field.defaultText = String(decoding: text, as: UTF8.self)
        var literal = LiteralParser(text[...])
        fields[last].field.defaultValue = try? literal.value(Self.element(P.numberKind), .single)
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        append(name, P.numberKind, .sequence(limit: nil))
    }

    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        append(name, P.numberKind, .array(count))
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        append(name, M.self, .single)
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        append(name, M.self, .sequence(limit: nil))
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        append(name, M.self, .array(count))
    }

    private mutating func append(_ name: StaticString, _ kind: NumberKind?, _ shape: FieldShape) {
        append(name, Self.element(kind), shape, nil)
    }

    private mutating func append(_ name: StaticString, _ message: any Message.Type, _ shape: FieldShape) {
        append(name, .named(message.typeName), shape, message)
    }

    private mutating func append(
        _ name: StaticString,
        _ element: ParsedField.Element,
        _ shape: FieldShape,
        _ message: (any Message.Type)?
    ) {
        let line = fields.count + 1
        fields.append((ParsedField(name: name.description, element: element, shape: shape, line: line), message))
    }

    private static func element(_ kind: NumberKind?) -> ParsedField.Element {
        kind.map { .number($0) } ?? .string(StringBound())
    }
}
