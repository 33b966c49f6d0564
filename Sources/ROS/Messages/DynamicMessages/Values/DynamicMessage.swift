package import Text

/// A message of a type that a text describes, as sinks take it.
///
/// One that waits to be sent holds its CDR, which is known to be sound; one that is used at once holds its values.
package struct DescribedMessage: AnyMessage {
    private enum Content {
        case bytes([UInt8], stampNanoseconds: Int64?)
        /// A value that the schema read from CDR, so that it fits.
        case value(DynamicValue)
    }

    package let schema: MessageSchema
    private let content: Content

    /// Takes a value and holds its CDR; throws where it does not fit the schema.
    package init(_ value: DynamicValue, schema: MessageSchema) throws(DynamicValueError) {
        self.schema = schema
        content = .bytes(try schema.encodedCDR(value), stampNanoseconds: value.headerStampNanoseconds)
    }

    /// Takes CDR of either byte order as it is, header and gaps included; throws what says where it is no such message.
    package init(cdr bytes: [UInt8], schema: MessageSchema) throws(CDRError) {
        content = .bytes(bytes, stampNanoseconds: try schema.decode(cdr: bytes).headerStampNanoseconds)
        self.schema = schema
    }

    /// Reads the values from CDR of either byte order; throws what says where it is no such message.
    init(reading bytes: UnsafeRawBufferPointer, schema: MessageSchema) throws(CDRError) {
        content = .value(try schema.decode(cdr: bytes))
        self.schema = schema
    }

    package var headerStampNanoseconds: Int64? {
        switch content {
        case .bytes(_, let stampNanoseconds): stampNanoseconds
        case .value(let value): value.headerStampNanoseconds
        }
    }

    package var headerFrameID: String? { (try? value())?.headerFrameID }

    package var encodedCDRSize: Int { cdr.count }

    package func appendCDR(to bytes: inout [UInt8]) {
        switch content {
        case .bytes(let own, _): bytes += own
        // Only wstrings that are twice as wide here could fail, at half the limit of a message.
        case .value(let value): try? schema.appendCDR(value, to: &bytes)
        }
    }

    private var cdr: [UInt8] {
        if case .bytes(let bytes, _) = content { bytes } else { encodedCDR() }
    }

    package func appendJSON(to bytes: inout [UInt8]) throws(JSONEncodingError) {
        do {
            try schema.appendJSON(value(), to: &bytes)
        } catch {
            throw JSONEncodingError(typeName: schema.typeName, path: "", found: "\(error)")
        }
    }

    package func mappingHeaderStamps(_ transform: (Int64) -> Int64) -> any AnyMessage {
        guard var value = try? value(), value.mapHeaderStamps(transform),
            let message = try? DescribedMessage(value, schema: schema)
        else { return self }
        return message
    }

    package func compiled<M: Message>(as type: M.Type) -> M? {
        schema.typeName == M.typeName && schema.typeHash == Self.compiledHashes[M.typeName]
            ? try? M.decoding(cdr: cdr) : nil
    }

    /// A hash costs more than the message: those of the compiled types, by name.
    private static let compiledHashes = Dictionary(
        MessageTypes.all.map { ($0.typeName, $0.typeHash) },
        uniquingKeysWith: { first, _ in first }
    )

    /// The fields; where the message holds its CDR they are made anew each time.
    package func value() throws(CDRError) -> DynamicValue {
        switch content {
        case .bytes(let bytes, _): try schema.decode(cdr: bytes)
        case .value(let value): value
        }
    }
}

extension MessageSchema: MessageType {
    /// The fields of a message of this type, compiled or described.
    package func value(of message: any AnyMessage) throws(CDRError) -> DynamicValue {
        if let described = message as? DescribedMessage { return try described.value() }
        return try decode(cdr: message.encodedCDR())
    }

    /// Reads the message into the values of its fields.
    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try DescribedMessage(reading: bytes, schema: self)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        let value = try decode(json: &scanner, unknown: &unknown)
        do throws(DynamicValueError) {
            return try DescribedMessage(value, schema: self)
        } catch {
            let error = error
            throw JSONMismatch(
                path: error.path,
                JSONError(offset: scanner.offset, expected: error.expected, found: error.found)
            )
        }
    }
}

/// A message whose type is known only at run time: its fields' values in the order of the definition.
package struct DynamicMessage: Sendable, Hashable {
    package let layout: MessageLayout
    /// As many as the layout has fields.
    package internal(set) var values: [DynamicValue]

    init(layout: MessageLayout, values: [DynamicValue]) {
        self.layout = layout
        self.values = values
    }

    /// The value of the field of that name; setting one that is no field does nothing.
    ///
    /// A value that does not fit the field's type is found when the message is encoded.
    package subscript(name: String) -> DynamicValue? {
        get { layout.index(of: name).map { values[$0] } }
        set {
            guard let index = layout.index(of: name), let newValue else { return }
            values[index] = newValue
        }
    }

    package static func == (left: DynamicMessage, right: DynamicMessage) -> Bool {
        (left.layout === right.layout || left.layout.typeName == right.layout.typeName) && left.values == right.values
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(layout.typeName)
        hasher.combine(values)
    }
}
