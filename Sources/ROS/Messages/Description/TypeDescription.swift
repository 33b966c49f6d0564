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

    /// The types of its fields, each once, sorted by name.
    var dependencies: [any Message.Type] {
        var types: [String: any Message.Type] = [:]
        for field in fields {
            if case .message(let type) = field.element { types[type.typeName] = type }
        }
        return types.sorted { $0.key < $1.key }.map(\.value)
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

extension Message {
    /// The type's hash by REP 2016: `RIHS01_` and the SHA-256 of its description and those of all types below it.
    package static var typeHash: String {
        "RIHS01_" + SHA256.hexadecimalDigest(Array(typeDescriptionJSON.utf8))
    }

    /// The text that is hashed: Python's `json.dumps` spacing, keys in the order of type_description_interfaces.
    package static var typeDescriptionJSON: String {
        var types: [String: any Message.Type] = [:]
        collectDependencies(of: self, into: &types)
        let referenced = types.sorted { $0.key < $1.key }.map { describe($0.value) }.joined(separator: ", ")
        return "{\"type_description\": \(describe(self)), \"referenced_type_descriptions\": [\(referenced)]}"
    }

    private static func collectDependencies(of type: any Message.Type, into types: inout [String: any Message.Type]) {
        for dependency in TypeDescription(of: type).dependencies where types[dependency.typeName] == nil {
            types[dependency.typeName] = dependency
            collectDependencies(of: dependency, into: &types)
        }
    }

    private static func describe(_ type: any Message.Type) -> String {
        var fields = TypeDescription(of: type).fields.map(\.hashedText)
        if fields.isEmpty { fields = [emptyStructureText] }
        return "{\"type_name\": \"\(type.typeName)\", \"fields\": [\(fields.joined(separator: ", "))]}"
    }
}

extension TypeDescription.Field {
    fileprivate var hashedText: String {
        var typeID = 1
        var nestedName = ""
        switch element {
        case .primitive(let schema): typeID = schema.typeID
        case .message(let type): nestedName = type.typeName
        }
        // Arrays and unbounded sequences have the numbers of their elements, moved on.
        return switch shape {
        case .single: fieldText(name, typeID, capacity: 0, nestedName)
        case .array(let count): fieldText(name, typeID + 48, capacity: count, nestedName)
        case .sequence: fieldText(name, typeID + 144, capacity: 0, nestedName)
        }
    }
}

/// IDL has no empty structures, so that rosidl gives a message without fields this one.
private let emptyStructureText = fieldText(
    "structure_needs_at_least_one_member",
    UInt8.schema.typeID,
    capacity: 0,
    ""
)

private func fieldText(_ name: String, _ typeID: Int, capacity: Int, _ nestedName: String) -> String {
    "{\"name\": \"\(name)\", \"type\": {\"type_id\": \(typeID), \"capacity\": \(capacity), "
        + "\"string_capacity\": 0, \"nested_type_name\": \"\(nestedName)\"}}"
}
