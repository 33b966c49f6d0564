package import JSONText
package import Messages

/// A message of a type that a text describes, as sinks take it.
///
/// It holds its CDR, which is known to be sound, and its time; other values are made of it when somebody asks.
package struct DescribedMessage: AnyMessage {
    package let schema: MessageSchema
    package let headerStampNanoseconds: Int64?
    private let bytes: [UInt8]

    /// Takes a value; throws where it does not fit the schema.
    package init(_ value: DynamicValue, schema: MessageSchema) throws(DynamicValueError) {
        self.schema = schema
        bytes = try schema.encodedCDR(value)
        headerStampNanoseconds = value.headerStampNanoseconds
    }

    /// Takes CDR of either byte order as it is, header and gaps included; throws what says where it is no such message.
    package init(cdr bytes: [UInt8], schema: MessageSchema) throws(CDRError) {
        headerStampNanoseconds = try schema.decode(cdr: bytes).headerStampNanoseconds
        self.schema = schema
        self.bytes = bytes
    }

    package var encodedCDRSize: Int { bytes.count }

    package func appendCDR(to bytes: inout [UInt8]) { bytes += self.bytes }

    package func appendJSON(to bytes: inout [UInt8]) throws(JSONEncodingError) {
        do {
            try schema.appendJSON(value(), to: &bytes)
        } catch {
            throw JSONEncodingError(typeName: schema.typeName, path: "", found: "\(error)")
        }
    }

    package var headerFrameID: String? { (try? value())?.headerFrameID }

    package func mappingHeaderStamps(_ transform: (Int64) -> Int64) -> any AnyMessage {
        guard var value = try? value(), value.mapHeaderStamps(transform),
            let message = try? DescribedMessage(value, schema: schema)
        else { return self }
        return message
    }

    package func compiled<M: Message>(as type: M.Type) -> M? {
        schema.typeHash == M.typeHash ? try? M.decoding(cdr: bytes) : nil
    }

    /// The fields, made anew each time.
    package func value() throws(CDRError) -> DynamicValue { try schema.decode(cdr: bytes) }
}

extension MessageSchema: MessageType {
    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try DescribedMessage(decode(cdr: bytes), schema: self)
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
