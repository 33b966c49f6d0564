extension MessageLayout {
    /// The type's hash by REP 2016: `RIHS01_` and the SHA-256 of its description and those of all types below it.
    var typeHash: String { "RIHS01_" + SHA256.hexadecimalDigest(Array(typeDescriptionJSON.utf8)) }

    /// The text that is hashed: Python's `json.dumps` spacing, keys in the order of type_description_interfaces.
    package var typeDescriptionJSON: String {
        var below: [String: MessageLayout] = [:]
        collectDependencies(into: &below)
        let referenced = below.sorted { utf8Precedes($0.key, $1.key) }.map(\.value.description).joined(separator: ", ")
        return "{\"type_description\": \(description), \"referenced_type_descriptions\": [\(referenced)]}"
    }

    /// Every type below this one, by name.
    func collectDependencies(into types: inout [String: MessageLayout]) {
        for field in fields {
            guard case .message(let layout) = field.element, types[layout.typeName] == nil else { continue }
            types[layout.typeName] = layout
            layout.collectDependencies(into: &types)
        }
    }

    private var description: String {
        var texts = fields.map(\.description)
        // IDL has no empty structures, so that rosidl gives a message without fields this one.
        if texts.isEmpty { texts = [fieldText("structure_needs_at_least_one_member", NumberKind.uint8.typeID)] }
        return "{\"type_name\": \"\(typeName)\", \"fields\": [\(texts.joined(separator: ", "))]}"
    }
}

extension FieldLayout {
    fileprivate var description: String {
        var typeID: Int
        var stringCapacity = 0
        var nestedName = ""
        switch element {
        case .number(let kind): typeID = kind.typeID
        case .string(let bound):
            typeID = bound.isWide ? 18 : 17
            if let limit = bound.limit {
                typeID += 4
                stringCapacity = limit
            }
        case .message(let layout):
            typeID = 1
            nestedName = layout.typeName
        }
        var capacity = 0
        switch shape {
        case .single: break
        case .array(let count):
            typeID += 48
            capacity = count
        case .sequence(let limit):
            typeID += limit == nil ? 144 : 96
            capacity = limit ?? 0
        }
        return fieldText(name, typeID, capacity: capacity, stringCapacity: stringCapacity, nestedName)
    }
}

private func fieldText(
    _ name: String,
    _ typeID: Int,
    capacity: Int = 0,
    stringCapacity: Int = 0,
    _ nestedName: String = ""
) -> String {
    "{\"name\": \"\(name)\", \"type\": {\"type_id\": \(typeID), \"capacity\": \(capacity), "
        + "\"string_capacity\": \(stringCapacity), \"nested_type_name\": \"\(nestedName)\"}}"
}

/// The order of names by their bytes.
func utf8Precedes(_ left: String, _ right: String) -> Bool {
    left.utf8.lexicographicallyPrecedes(right.utf8)
}
