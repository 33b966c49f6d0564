import Messages
import TestSupport
import Text

extension FuzzTarget {
    /// The parser of .msg definitions: what it takes is the same type again when its canonical text is read.
    static let messageText = FuzzTarget(
        name: "msg-text",
        seeds: { (definitions + [compiledDefinition]).map { Array($0.utf8) } },
        dictionary: [
            "bool", "byte", "char", "float32 ", "float64 ", "int8 ", "uint8 ", "int64 ", "uint64 ", "string ",
            "wstring ",
            "[]", "[<=3]", "[3]", "<=5", "=", "#", "\n", "MSG: ", "p/M", "std_msgs/Header", "Header", "-1", "1e999",
            "true", "\"a\"", "'b'", "[1, 2]", "18446744073709551615", "4294967295", "\\x41", "\\\"",
        ],
        run: { input in
            let text = String(decoding: input, as: UTF8.self)
            guard let schema = try? MessageSchema(typeName: "p/msg/M", definitionText: text) else { return }
            let written = schema.definitionText
            let again = try? MessageSchema(typeName: "p/msg/M", definitionText: written)
            require(again?.typeHash == schema.typeHash, "another type by its canonical text: \(written)")
            require(again?.definitionText == written, "a canonical text that is not: \(written)")
            guard let message = schema.layout.defaultMessage() else { return }
            checkValue(.message(message), schema)
        }
    )

    /// The dynamic codec on CDR: the first byte chooses the type, compiled ones first and odd ones after them.
    static let dynamicCDR = FuzzTarget(
        name: "dynamic-cdr",
        seeds: {
            messageCDR.seeds() + dynamicSeeds { (try? $0.encodedCDR($1)) ?? [] }
        },
        run: { input in
            guard let (schema, type) = schema(input) else { return }
            let bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            let value = try? schema.decode(cdr: bytes)
            if let value { checkValue(value, schema) }
            guard let type else { return }
            require(encoded(value, schema) == compiledCDR(type, bytes), "not what the compiled \(type) makes of it")
        }
    )

    /// The dynamic codec on rosbridge JSON, in the same form.
    static let dynamicJSON = FuzzTarget(
        name: "dynamic-json",
        seeds: {
            messageJSON.seeds()
                + dynamicSeeds { schema, value in
                    var text: [UInt8] = []
                    try? schema.appendJSON(value, to: &text)
                    return text
                }
        },
        dictionary: messageJSON.dictionary,
        run: { input in
            guard let (schema, type) = schema(input) else { return }
            let bytes = UnsafeRawBufferPointer(rebasing: input.dropFirst())
            var unknown = UnknownFields()
            let value = try? schema.decode(json: bytes, unknown: &unknown)
            if let value { checkValue(value, schema) }
            guard let type else { return }
            var others = UnknownFields()
            let expected = compiledJSON(type, bytes, &others)
            // Of a key that comes twice the dynamic reader reads both values, the compiled one often only the last.
            guard value != nil && expected != nil || unknown.isEmpty && others.isEmpty else { return }
            require(encoded(value, schema) == expected, "not what the compiled \(type) makes of it")
        }
    )

    private static let separator = "\n" + String(repeating: "=", count: 80) + "\nMSG: "

    private static let definitions = [
        "",
        "# a comment\nuint8 A=1\nint32 B=-2 # another\nstring C=text\nfloat64 D=1.5e3\nbool E=true\nuint8 a\nint32 b 5",
        "string s \"a\\\"b\"\nstring<=5 t 'x'\nwstring w\nwstring<=3 v\nstring[] l\nstring<=2[<=3] m\nstring[2] n",
        "bool[] a [true, false]\nbyte[] b\nchar[] c\nuint8[3] d [1, 2, 3]\nfloat32[<=2] e\nint64 f -9223372036854775808",
        "q/T[] a\nq/T[2] b\nq/T[<=1] c\nq/T d" + separator + "q/T\nfloat64 x\nU u" + separator + "q/U\nwstring[] s\n",
        "std_msgs/Header header\nbuiltin_interfaces/Time t\nbuiltin_interfaces/Duration d\nEmpty e" + separator
            + "p/Empty\n",
    ]

    private static var compiledDefinition: String {
        MessageSchema.compiled(Marker.self).definitionText
    }

    private static let compiledSchemas = MessageTypes.all.map { MessageSchema.compiled($0) }
    private static let oddSchemas = definitions.compactMap {
        try? MessageSchema(typeName: "p/msg/M", definitionText: $0)
    }

    private static func schema(_ input: UnsafeRawBufferPointer) -> (MessageSchema, (any Message.Type)?)? {
        guard let first = input.first else { return nil }
        let index = Int(first) % (compiledSchemas.count + oddSchemas.count)
        guard index >= compiledSchemas.count else { return (compiledSchemas[index], MessageTypes.all[index]) }
        return (oddSchemas[index - compiledSchemas.count], nil)
    }

    private static func dynamicSeeds(_ encode: (MessageSchema, DynamicValue) -> [UInt8]) -> [[UInt8]] {
        oddSchemas.enumerated().compactMap { index, schema in
            schema.layout.defaultMessage().map { [UInt8(compiledSchemas.count + index)] + encode(schema, .message($0)) }
        }
    }

    private static func encoded(_ value: DynamicValue?, _ schema: MessageSchema) -> [UInt8]? {
        value.flatMap { try? schema.encodedCDR($0) }
    }

    private static func compiledCDR<M: Message>(_ type: M.Type, _ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
        (try? M.decoding(cdr: bytes))?.encodedCDR()
    }

    private static func compiledJSON<M: Message>(
        _ type: M.Type,
        _ bytes: UnsafeRawBufferPointer,
        _ unknown: inout UnknownFields
    ) -> [UInt8]? {
        (try? M.decoding(json: bytes, unknown: &unknown))?.encodedCDR()
    }

    /// Encoded and decoded again, through CDR and JSON, a value is the same; every printer takes it.
    private static func checkValue(_ value: DynamicValue, _ schema: MessageSchema) {
        guard let bytes = encoded(value, schema) else { return }
        require(encoded(try? schema.decode(cdr: bytes), schema) == bytes, "what was encoded does not decode the same")
        var line: [UInt8] = []
        try? schema.appendJSONLine(value, to: &line)
        var yaml: [UInt8] = []
        try? schema.appendYAML(value, to: &yaml)
        var text: [UInt8] = []
        guard (try? schema.appendJSON(value, to: &text)) != nil else { return }
        let again = encoded(try? schema.decode(json: text), schema)
        // JSON has one NaN, where CDR has many.
        require(again == bytes || text.contains(UInt8(ascii: "N")), "what was written does not read the same")
    }
}
