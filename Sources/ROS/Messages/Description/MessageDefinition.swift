extension Message {
    /// The text of the type's own .msg file: constants, then fields, without comments.
    package static var msgText: String {
        let package = packageName(of: typeName)
        let constants = constants.map { "\($0.type) \($0.name)=\($0.value)\n" }
        let fields = TypeDescription(of: self).fields.map { field in
            let defaultText = field.defaultText.map { " " + $0 } ?? ""
            return "\(field.typeText(in: package)) \(field.name)\(defaultText)\n"
        }
        return (constants + fields).joined()
    }

    /// The text with every type it depends on, as rosbag2 stores it under the encoding `ros2msg`.
    ///
    /// Depth first, the dependencies of one file in alphabetical order, each once.
    package static var definitionText: String {
        var seen: Set<String> = []
        return definitionText(of: self, seen: &seen)
    }

    private static func definitionText(of type: any Message.Type, seen: inout Set<String>) -> String {
        var text = type.msgText
        for dependency in TypeDescription(of: type).dependencies where seen.insert(dependency.typeName).inserted {
            text += "\n" + String(repeating: "=", count: 80) + "\nMSG: \(shortName(of: dependency.typeName))\n"
            text += definitionText(of: dependency, seen: &seen)
        }
        return text
    }
}

extension TypeDescription.Field {
    /// The type as the .msg files of a package write it: a type of the same package has no prefix.
    fileprivate func typeText(in package: Substring) -> String {
        let element =
            switch element {
            case .primitive(let schema): schema.name
            case .message(let type) where packageName(of: type.typeName) == package:
                String(type.typeName.split(separator: "/").last ?? "")
            case .message(let type): shortName(of: type.typeName)
            }
        return switch shape {
        case .single: element
        case .array(let count): "\(element)[\(count)]"
        case .sequence: "\(element)[]"
        }
    }
}

/// `sensor_msgs` of `sensor_msgs/msg/Imu`.
private func packageName(of typeName: String) -> Substring {
    typeName.prefix { $0 != "/" }
}

/// `sensor_msgs/Imu` of `sensor_msgs/msg/Imu`.
private func shortName(of typeName: String) -> String {
    let parts = typeName.split(separator: "/")
    return "\(parts.first ?? "")/\(parts.last ?? "")"
}
