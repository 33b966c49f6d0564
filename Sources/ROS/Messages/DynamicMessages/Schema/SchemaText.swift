extension MessageLayout {
    /// The definition with every type it depends on, as rosbag2 stores it under `ros2msg`: constants, then fields,
    /// without comments; depth first, the dependencies of one type in alphabetical order, each once.
    var definitionText: String {
        var seen: Set<String> = []
        var text = ""
        append(to: &text, seen: &seen)
        return text
    }

    private func append(to text: inout String, seen: inout Set<String>) {
        text += ownText
        for dependency in dependencies where seen.insert(dependency.typeName).inserted {
            text += "\n" + String(repeating: "=", count: 80) + "\nMSG: \(shortName(of: dependency.typeName))\n"
            dependency.append(to: &text, seen: &seen)
        }
    }

    /// The types of its fields, each once, sorted by name.
    private var dependencies: [MessageLayout] {
        var types: [String: MessageLayout] = [:]
        for field in fields {
            if case .message(let layout) = field.element { types[layout.typeName] = layout }
        }
        return types.sorted { utf8Precedes($0.key, $1.key) }.map(\.value)
    }

    /// The .msg text of the type alone.
    var ownText: String {
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

/// The messages that services and actions exchange, for which bags hold the whole .srv or .action text.
///
/// A service `X` has `pkg/srv/X_Request`, `X_Response` and the `X_Event` that introspection records; an action has the
/// goal, result and feedback, and what its services and topics wrap these in (REP 2011, rosidl).
struct ServiceTexts {
    private var texts: [String: [UInt8]] = [:]

    /// Takes a text apart at its lines of `---`; one without has no parts.
    init(_ name: TypeName, text: ArraySlice<UInt8>) {
        guard name.family != "msg", let end = name.name.firstIndex(of: "_") else { return }
        let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let parts = lines.split(omittingEmptySubsequences: false) { trimmed($0).elementsEqual("---".utf8) }
            .map { Array($0.joined(separator: [UInt8(ascii: "\n")])) }
        let stem = "\(name.package)/\(name.family)/\(name.name[..<end])"
        switch (name.family, parts.count) {
        case ("srv", 2): addService(stem, request: parts[0], response: parts[1])
        case ("action", 3): addAction(stem, goal: parts[0], result: parts[1], feedback: parts[2])
        default: break
        }
    }

    /// The text of a type that the service or action brings.
    func text(of name: TypeName) -> ArraySlice<UInt8>? { texts[name.full].map { $0[...] } }

    private mutating func addService(_ stem: String, request: [UInt8], response: [UInt8]) {
        texts[stem + "_Request"] = request
        texts[stem + "_Response"] = response
        let event = """
            service_msgs/msg/ServiceEventInfo info
            \(stem)_Request[<=1] request
            \(stem)_Response[<=1] response
            """
        texts[stem + "_Event"] = Array(event.utf8)
    }

    private mutating func addAction(_ stem: String, goal: [UInt8], result: [UInt8], feedback: [UInt8]) {
        texts[stem + "_Goal"] = goal
        texts[stem + "_Result"] = result
        texts[stem + "_Feedback"] = feedback
        let goalID = "unique_identifier_msgs/UUID goal_id\n"
        texts[stem + "_FeedbackMessage"] = Array("\(goalID)\(stem)_Feedback feedback".utf8)
        addService(
            stem + "_SendGoal",
            request: Array("\(goalID)\(stem)_Goal goal".utf8),
            response: Array("bool accepted\nbuiltin_interfaces/Time stamp".utf8)
        )
        addService(
            stem + "_GetResult",
            request: Array(goalID.utf8),
            response: Array("int8 status\n\(stem)_Result result".utf8)
        )
    }
}
