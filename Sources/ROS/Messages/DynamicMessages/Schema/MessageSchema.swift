/// The description of a message type with all types below it, from definition texts or from a compiled type.
package struct MessageSchema: Sendable {
    package let layout: MessageLayout
    /// The hash by REP 2016, `RIHS01_` and 64 digits.
    package let typeHash: String

    package var typeName: String { layout.typeName }

    /// The definition with every type it depends on, as bags store it under `ros2msg`.
    package var definitionText: String { layout.definitionText }
    /// The .msg text of the type alone.
    package var ownText: String { layout.ownText }
    package var jsonKeys: [String] { layout.fields.map(\.name) + layout.aliases.map(\.alias) }

    init(layout: MessageLayout) {
        self.layout = layout
        typeHash = layout.typeHash
    }

    /// Reads a definition as bags have it under `ros2msg`: the type's own text, and those of its dependencies after lines
    /// of 80 `=` and `MSG: package/Name`.
    ///
    /// Types whose texts are missing are taken from `directories`, then from those compiled in and the common ones. Of IDL
    /// only types that are compiled in can be taken. A .srv or .action text is read where the type is one of its messages.
    package init(
        typeName: String,
        definitionText: String,
        directories: MessageDirectories = MessageDirectories()
    ) throws(SchemaError) {
        guard let name = TypeName(typeName) else {
            throw SchemaError(expected: "a type such as std_msgs/msg/Header", found: quoted(typeName))
        }
        let isBlank = definitionText.utf8.allSatisfy(isSpace)
        if isBlank, let type = MessageTypes.type(named: name.full) {
            self = .compiled(type)
            return
        }
        let sections = try DefinitionSections(Array(definitionText.utf8), typeName: name.full)
        if sections.hasIDL {
            guard let type = MessageTypes.type(named: name.full) else {
                throw SchemaError(source: name.full, expected: "a .msg definition (ros2msg)", found: "IDL (ros2idl)")
            }
            self = .compiled(type)
            return
        }
        let service = ServiceTexts(name, text: sections.root)
        var resolver = SchemaResolver { (other) throws(SchemaError) in
            if let text = service.text(of: other) { return text }
            if other == name { return sections.root }
            if let text = sections.others[other.full] { return text }
            return try directories.text(of: other)
        }
        self.init(layout: try resolver.layout(of: name))
    }

    /// Reads a type and those it depends on from .msg files.
    ///
    /// Types that no directory has are taken from those compiled in, and the common ones.
    package static func loading(
        typeName: String,
        from directories: MessageDirectories
    ) throws(SchemaError) -> MessageSchema {
        guard let name = TypeName(typeName) else {
            throw SchemaError(expected: "a type such as std_msgs/msg/Header", found: quoted(typeName))
        }
        var resolver = SchemaResolver { (other) throws(SchemaError) in try directories.text(of: other) }
        return MessageSchema(layout: try resolver.layout(of: name))
    }

    /// The layout of a type that is compiled in, or of ROS's common packages; `nil` where it is neither.
    ///
    /// - Parameter release: The release whose edition of it, and of the types below it, is meant; nil for the latest.
    static func builtInLayout(_ name: TypeName, as release: String?) -> MessageLayout? {
        let service = CommonDefinitions.text(of: name, as: release).map { ServiceTexts(name, text: $0[...]) }
        var resolver = SchemaResolver(release: release) { other in service?.text(of: other) }
        // The texts are this program's own, and tests read every one of them.
        return try? resolver.layout(of: name)
    }

    package static func compiled(_ type: any Message.Type) -> MessageSchema {
        MessageSchema(layout: CompiledLayouts.layout(of: type))
    }
}

extension Message {
    /// The type's hash by REP 2016: `RIHS01_` and the SHA-256 of its description and those of all types below it.
    package static var typeHash: String { CompiledLayouts.layout(of: self).typeHash }
    /// The definition with every type it depends on, as bags store it under `ros2msg`.
    package static var definitionText: String { CompiledLayouts.layout(of: self).definitionText }
}

/// Builds the layouts of compiled types, which cannot fail.
private enum CompiledLayouts {
    static func layout(of type: any Message.Type) -> MessageLayout {
        var defaults = DefaultBuilder()
        return layout(of: type, &defaults)
    }

    private static func layout(of type: any Message.Type, _ defaults: inout DefaultBuilder) -> MessageLayout {
        let definition = CompiledDefinition(of: type)
        var fields: [FieldLayout] = []
        for (field, message) in definition.fields {
            let element: FieldLayout.Element =
                if let message {
                    .message(layout(of: message, &defaults))
                } else if case .number(let kind) = field.element {
                    .number(kind)
                } else {
                    .string(StringBound())
                }
            fields.append(FieldLayout(field, element, &defaults))
        }
        return MessageLayout(typeName: type.typeName, fields: fields, constants: definition.constants)
    }
}
