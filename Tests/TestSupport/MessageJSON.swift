package import Messages

extension Message {
    /// The message as rosbridge takes it.
    package func encodedJSON() throws(JSONEncodingError) -> [UInt8] {
        var bytes: [UInt8] = []
        try appendJSON(to: &bytes)
        return bytes
    }

    /// Reads a text that is one rosbridge object; a key that is no field is an error.
    package static func decoding(json bytes: [UInt8]) throws(JSONMismatch) -> Self {
        var unknown = UnknownFields(isStrict: true)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(JSONMismatch) in
            try decoding(json: UnsafeRawBufferPointer(buffer), unknown: &unknown)
        }
    }
}

extension MessageSchema {
    /// Reads a text that is one rosbridge object; a key that is no field is an error.
    package func decode(json bytes: [UInt8]) throws(JSONMismatch) -> DynamicValue {
        var unknown = UnknownFields(isStrict: true)
        return try bytes.withUnsafeBufferPointer { (buffer) throws(JSONMismatch) in
            try decode(json: UnsafeRawBufferPointer(buffer), unknown: &unknown)
        }
    }
}
