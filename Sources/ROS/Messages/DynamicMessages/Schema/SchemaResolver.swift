/// Builds layouts from texts: reads each type when it is first named, once.
struct SchemaResolver {
    /// Where the text of a type comes from, if there is one; a compiled or a common type is taken otherwise.
    typealias Source = (TypeName) throws(SchemaError) -> ArraySlice<UInt8>?

    private let source: Source
    /// The release whose editions of built-in types are taken; nil for the latest.
    private let release: String?
    private var layouts: [String: MessageLayout] = [:]
    /// The types that lead to the one being read.
    private var open: [String] = []
    private var remainingFields = SchemaLimits.fields
    private var defaults = DefaultBuilder()

    init(release: String? = nil, source: @escaping Source) {
        self.source = source
        self.release = release
    }

    /// The layout of a type, from its text or compiled in.
    mutating func layout(of name: TypeName) throws(SchemaError) -> MessageLayout {
        guard let layout = try layoutIfKnown(name) else {
            throw SchemaError(source: name.full, expected: "a definition", found: "none")
        }
        return layout
    }

    private mutating func layoutIfKnown(_ name: TypeName) throws(SchemaError) -> MessageLayout? {
        if let layout = layouts[name.full] { return layout }
        if open.contains(name.full) {
            let circle = (open.drop { $0 != name.full } + [name.full]).joined(separator: " > ")
            throw SchemaError(source: open.last ?? "", expected: "types that end", found: "the circle \(circle)")
        }
        guard open.count < SchemaLimits.depth else {
            throw SchemaError(
                source: open.first ?? "",
                expected: "at most \(SchemaLimits.depth) levels of messages",
                found: "more"
            )
        }
        guard layouts.count < SchemaLimits.types else {
            throw SchemaError(source: name.full, expected: "at most \(SchemaLimits.types) types", found: "more")
        }
        var text = try source(name)
        if text == nil {
            let isLatest = CommonDefinitions.label(of: name, as: release) == nil
            if isLatest, let type = MessageTypes.type(named: name.full) {
                return try build(name, CompiledDefinition(of: type).parsed)
            }
            // A service is no message, and only its own text tells what messages it has.
            if name.family == "msg" { text = CommonDefinitions.text(of: name, as: release).map { $0[...] } }
        }
        guard let text else { return nil }
        let parsed = try DefinitionParser.parse(text, source: name.full, fieldLimit: remainingFields)
        return try build(name, parsed)
    }

    private mutating func build(
        _ name: TypeName,
        _ parsed: ParsedDefinition
    ) throws(SchemaError) -> MessageLayout {
        remainingFields -= parsed.fields.count + parsed.constants.count
        guard remainingFields >= 0 else {
            let found = "more"
            throw SchemaError(source: name.full, expected: "at most \(SchemaLimits.fields) fields", found: found)
        }
        open.append(name.full)
        var fields: [FieldLayout] = []
        fields.reserveCapacity(parsed.fields.count)
        for field in parsed.fields { fields.append(try resolve(field, in: name)) }
        open.removeLast()
        let layout = MessageLayout(typeName: name.full, fields: fields, constants: parsed.constants)
        layouts[name.full] = layout
        return layout
    }

    private mutating func resolve(_ field: ParsedField, in owner: TypeName) throws(SchemaError) -> FieldLayout {
        let element: FieldLayout.Element =
            switch field.element {
            case .number(let kind): .number(kind)
            case .string(let bound): .string(bound)
            case .named(let written): .message(try nested(written, field, in: owner))
            }
        return FieldLayout(field, element, &defaults)
    }

    /// Finds the type that a field names: of its own package unless it names another; `Header` may be that of std_msgs.
    private mutating func nested(
        _ written: String,
        _ field: ParsedField,
        in owner: TypeName
    ) throws(SchemaError) -> MessageLayout {
        if let name = TypeName(written) {
            if let layout = try layoutIfKnown(name) { return layout }
        } else {
            if let layout = try layoutIfKnown(TypeName(package: owner.package, name: written)) { return layout }
            if written == "Header", let layout = try layoutIfKnown(TypeName(package: "std_msgs", name: "Header")) {
                return layout
            }
        }
        throw SchemaError(
            source: owner.full,
            line: field.line,
            expected: "a type that is defined",
            found: quoted(written)
        )
    }
}
