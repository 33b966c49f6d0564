extension MessageSchema {
    /// The definition with every type it depends on, as rosbag2 stores it under `ros2msg`: constants, then fields,
    /// without comments; depth first, the dependencies of one type in alphabetical order, each once.
    package var definitionText: String {
        var seen: Set<String> = []
        var text = ""
        append(layout, to: &text, seen: &seen)
        return text
    }

    /// The .msg text of the type alone.
    package var ownText: String { layout.ownText }

    private func append(_ layout: MessageLayout, to text: inout String, seen: inout Set<String>) {
        text += layout.ownText
        for dependency in layout.dependencies where seen.insert(dependency.typeName).inserted {
            text += "\n" + String(repeating: "=", count: 80) + "\nMSG: \(shortName(of: dependency.typeName))\n"
            append(dependency, to: &text, seen: &seen)
        }
    }
}

extension MessageLayout {
    /// The types of its fields, each once, sorted by name.
    fileprivate var dependencies: [MessageLayout] {
        var types: [String: MessageLayout] = [:]
        for field in fields {
            if case .message(let layout) = field.element { types[layout.typeName] = layout }
        }
        return types.sorted { utf8Precedes($0.key, $1.key) }.map(\.value)
    }

    fileprivate var ownText: String {
        var text = ""
        for constant in constants { text += "\(constant.type) \(constant.name)=\(constant.text)\n" }
        for field in fields {
            text += "\(field.typeText(in: typeName)) \(field.name)\(field.defaultText.map { " " + $0 } ?? "")\n"
        }
        return text
    }
}

extension FieldLayout {
    /// The type as the .msg files of a package write it: a type of the same package has no prefix.
    fileprivate func typeText(in owner: String) -> String {
        let elementText =
            switch element {
            case .number(let kind): kind.rawValue
            case .string(let bound): (bound.isWide ? "wstring" : "string") + (bound.limit.map { "<=\($0)" } ?? "")
            case .message(let layout):
                TypeName(layout.typeName)?.package == TypeName(owner)?.package
                    ? TypeName(layout.typeName)?.name ?? layout.typeName : shortName(of: layout.typeName)
            }
        return switch shape {
        case .single: elementText
        case .array(let count): "\(elementText)[\(count)]"
        case .sequence(let limit): "\(elementText)[\(limit.map { "<=\($0)" } ?? "")]"
        }
    }
}

/// `sensor_msgs/Imu` of `sensor_msgs/msg/Imu`; types of services and actions keep their full names.
private func shortName(of typeName: String) -> String {
    guard let name = TypeName(typeName), name.family == "msg" else { return typeName }
    return name.short
}
