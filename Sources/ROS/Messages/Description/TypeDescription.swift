import Text

/// The contents of a .msg file, found by showing a default message to a visitor.
package struct TypeDescription: Sendable {
    /// One field.
    package struct Field: Sendable {
        package enum Element: Sendable {
            case primitive(PrimitiveSchema)
            case message(any Message.Type)
        }

        package enum Shape: Hashable, Sendable {
            case single
            case array(Int)
            case sequence
        }

        package var name: String
        package var element: Element
        package var shape: Shape
        /// The default as .msg files write it, where it is not the type's own.
        package var defaultText: String?
    }

    package var type: any Message.Type
    package var fields: [Field]

    package init(of type: any Message.Type) {
        func describe<M: Message>(_ type: M.Type) -> [Field] {
            var describer = TypeDescriber()
            var message = M()
            message.visit(&describer)
            return describer.fields
        }
        self.type = type
        fields = describe(type)
    }
}

/// Notes each field of a message.
struct TypeDescriber: FieldVisitor {
    private(set) var fields: [TypeDescription.Field] = []

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) {
        append(name, .primitive(P.schema), .single, defaultText: value == P.blank ? nil : text(of: value))
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        append(name, .primitive(P.schema), .sequence)
    }

    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        append(name, .primitive(P.schema), .array(count))
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        append(name, .message(M.self), .single)
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        append(name, .message(M.self), .sequence)
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        append(name, .message(M.self), .array(count))
    }

    private mutating func append(
        _ name: StaticString,
        _ element: TypeDescription.Field.Element,
        _ shape: TypeDescription.Field.Shape,
        defaultText: String? = nil
    ) {
        let field = TypeDescription.Field(
            name: name.description,
            element: element,
            shape: shape,
            defaultText: defaultText
        )
        fields.append(field)
    }

    private func text(of value: some Primitive) -> String {
        var bytes: [UInt8] = []
        value.appendJSON(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
