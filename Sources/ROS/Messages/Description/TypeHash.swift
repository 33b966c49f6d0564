import Text

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
