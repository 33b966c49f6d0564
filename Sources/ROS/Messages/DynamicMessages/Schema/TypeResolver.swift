package import Text

/// Finds out what the messages of a type are made of: the one place that decides which definition counts.
///
/// 1. The definition that came with the type, as bags have it.
/// 2. The .msg files below `--msg-path`.
/// 3. The types that are compiled in, and the definitions of ROS's common packages.
///
/// Where a hash was stated, the first of 2 and 3 that has this hash is taken before all others. Of the editions of 3 it is
/// the one that the messages are of, where they were looked at (``EditionChoice``).
package struct TypeResolver: Sendable {
    private let directories: MessageDirectories

    package init(directories: MessageDirectories = MessageDirectories()) {
        self.directories = directories
    }

    /// Resolves a type by its name in either form, legacy names included.
    package func resolve(_ typeName: String) throws(UnknownType) -> ResolvedType {
        try resolve(TypeClaim(typeName: typeName))
    }

    /// Resolves a type by all that was said of it.
    package func resolve(_ claim: TypeClaim) throws(UnknownType) -> ResolvedType {
        let typeName = LegacyNames.type(claim.typeName)
        guard let name = TypeName(typeName) else {
            throw UnknownType(typeName: typeName, problem: "no name such as sensor_msgs/msg/Imu")
        }
        let isDefined = claim.definitionEncoding == "ros2msg"
        var problem: String?
        if isDefined, !claim.definitionText.isEmpty {
            do {
                return try defined(typeName, claim)
            } catch {
                problem = "the definition in the bag: \(error)"
            }
        }
        var candidates: [ResolvedType] = []
        do {
            if let schema = try schemaOfDirectories(name) { candidates.append(ResolvedType(schema)) }
        } catch {
            problem = "\(error)"
        }
        candidates += TypeEdition.all(of: name, claim).map { ResolvedType($0.schema) }
        // Hashes are computed only to be compared.
        let stated = claim.typeHash.isEmpty ? nil : candidates.first { $0.typeHash == claim.typeHash }
        if let found = stated ?? candidates.first { return found }
        // Nothing contradicts an empty definition: the type has no fields.
        if isDefined, claim.definitionText.isEmpty, let empty = try? defined(typeName, claim) { return empty }
        if claim.edition == .unknown { problem = "only those of other releases, which its messages do not fit" }
        throw UnknownType(typeName: typeName, problem: problem)
    }

    /// The type as the definition that came with it has it.
    private func defined(_ typeName: String, _ claim: TypeClaim) throws(SchemaError) -> ResolvedType {
        let schema = try MessageSchema(
            typeName: typeName,
            definitionText: claim.definitionText,
            directories: directories
        )
        var result = ResolvedType(schema)
        guard result.compiled == nil else { return result }
        // The text as it was written; the hash is that of the text, whatever was stated.
        result.definitionText = claim.definitionText
        return result
    }

    private func schemaOfDirectories(_ name: TypeName) throws(SchemaError) -> MessageSchema? {
        directories.contains(name) ? try .loading(typeName: name.full, from: directories) : nil
    }
}

/// A statement about a type: its name, and what came with it.
package struct TypeClaim: Sendable {
    package var typeName: String
    /// With the definitions of all dependencies; empty where there is none, or the type has no fields.
    package var definitionText: String
    /// The encoding of the definition: `ros2msg` or `ros2idl`; empty without one.
    package var definitionEncoding: String
    /// The hash by REP 2016; empty where none was stated.
    package var typeHash: String
    /// True if it was Humble that wrote the messages, or has to read them.
    package var isOfHumble: Bool
    /// What the messages say of the edition of a built-in type; nil where they were not asked.
    package var edition: EditionChoice.Outcome?

    package init(
        typeName: String,
        definitionText: String = "",
        definitionEncoding: String = "",
        typeHash: String = "",
        isOfHumble: Bool = false
    ) {
        self.typeName = typeName
        self.definitionText = definitionText
        self.definitionEncoding = definitionEncoding
        self.typeHash = typeHash
        self.isOfHumble = isOfHumble
    }
}

/// A type of which no definition was found.
package struct UnknownType: Error, CustomStringConvertible {
    package var typeName: String
    /// The problem of the definition that was found.
    package var problem: String?

    package var description: String {
        "expected a definition of \(typeName) in the bag, in this program or under --msg-path, found "
            + (problem ?? "none")
    }
}

/// A type whose definition was found: how its messages are read, and all that a bag stores of it.
package struct ResolvedType: MessageType {
    /// The compiled type; `nil` where only a text describes it.
    package let compiled: (any Message.Type)?
    package let schema: MessageSchema
    /// As it was found, or else that of the schema.
    package internal(set) var definitionText: String

    /// The type as a text describes it; as it is compiled in, where that is the same.
    package init(_ schema: MessageSchema) {
        let type = MessageTypes.type(named: schema.typeName)
        compiled = type?.typeHash == schema.typeHash ? type : nil
        self.schema = schema
        definitionText = schema.definitionText
    }

    package var typeName: String { schema.typeName }
    package var typeHash: String { schema.typeHash }
    package var jsonKeys: [String] { schema.jsonKeys }

    /// The type for topics whose messages are best of the compiled type, where there is one.
    package var kind: any MessageType { compiled?.kind ?? self }

    /// The type for messages that are used at once: compiled, or with the values of their fields at hand.
    package var direct: any MessageType { compiled?.kind ?? schema }

    /// Reads the message as a described one, compiled or not: it keeps its bytes as they are.
    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try payload(cdr: Array(bytes))
    }

    package func payload(cdr bytes: [UInt8]) throws -> any AnyMessage {
        try DescribedMessage(cdr: bytes, schema: schema)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        try schema.payload(json: &scanner, unknown: &unknown)
    }
}
