package import JSONText

/// A row of a rosbridge_json bag: a publish operation as JSON text, or the bare message of one.
///
/// The one reading of such rows. An object with a string under `op`, or with an object under `msg`, is an operation, of
/// which only `publish` is taken; any other object is a message.
package enum RosbridgeRow {
    /// Reads the message with `body`, whatever the order of the keys.
    ///
    /// - Parameter hasFields: Whether the type of the message has any; if so, `{}` is no bare message of it.
    /// - Returns: what `body` made of the message, and the topic that the operation names.
    package static func read<Value>(
        _ bytes: [UInt8],
        hasFields: Bool,
        _ body: (inout JSONScanner) throws -> Value
    ) throws -> (Value, topic: String?) {
        try bytes.withUnsafeBytes { try read($0, hasFields: hasFields, body) }
    }

    package static func read<Value>(
        _ bytes: UnsafeRawBufferPointer,
        hasFields: Bool,
        _ body: (inout JSONScanner) throws -> Value
    ) throws -> (Value, topic: String?) {
        switch form(bytes) {
        case .message:
            var scanner = JSONScanner(bytes, allowsNonFinite: true)
            let value = try body(&scanner)
            try scanner.finish()
            return (value, nil)
        case .emptyObject where !hasFields:
            var scanner = JSONScanner(bytes, allowsNonFinite: true)
            let value = try body(&scanner)
            try scanner.finish()
            return (value, nil)
        case .emptyObject:
            throw JSONError(offset: 0, expected: "a publish operation or a message", found: "an empty object")
        case .operation: return try readOperation(bytes, body)
        }
    }

    private static func readOperation<Value>(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (inout JSONScanner) throws -> Value
    ) throws -> (Value, topic: String?) {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        var value: Value?
        var topic: String?
        try scanner.beginObject()
        while let key = try scanner.nextKey() {
            if key == "msg" {
                value = try body(&scanner)
            } else if key == "topic", try scanner.peek() == .string {
                topic = try scanner.string()
            } else if key == "op" {
                let offset = scanner.offset
                let operation = try scanner.string()
                guard operation == "publish" else {
                    throw JSONError(offset: offset, expected: "the operation publish", found: operation)
                }
            } else {
                try scanner.skipValue()
            }
        }
        try scanner.finish()
        guard let value else {
            throw JSONError(offset: bytes.count, expected: "the key \"msg\"", found: "the end of the object")
        }
        return (value, topic)
    }

    /// The topic that a publish operation names; nil for a bare message, and for what is neither.
    package static func topic(_ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { buffer in
            var scanner = JSONScanner(buffer, allowsNonFinite: true)
            var topic: String?
            var isOperation = false
            do {
                try scanner.beginObject()
                while !(isOperation && topic != nil), let key = try scanner.nextKey() {
                    if key == "topic", try scanner.peek() == .string {
                        topic = try scanner.string()
                        continue
                    }
                    if key == "op", try scanner.peek() == .string { isOperation = true }
                    if key == "msg", try scanner.peek() == .object { isOperation = true }
                    if !(isOperation && topic != nil) { try scanner.skipValue() }
                }
            } catch {
                // The decoder of the row reports what is wrong, with its place.
                return nil
            }
            return isOperation ? topic : nil
        }
    }

    private enum Form {
        case operation
        case message
        case emptyObject
    }

    /// What the object is; text that is no object counts as an operation, whose reading says what is wrong.
    ///
    /// A field may be called `msg`, as that of rcl_interfaces/Log, which is a string beside other fields; alone it is a
    /// broken operation. In an operation the telling key comes before anything large, so little is read twice.
    private static func form(_ bytes: UnsafeRawBufferPointer) -> Form {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        var keyCount = 0
        var hasPayloadKey = false
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                keyCount += 1
                if key == "op", try scanner.peek() == .string { return .operation }
                if key == "msg" {
                    if try scanner.peek() == .object { return .operation }
                    hasPayloadKey = true
                }
                try scanner.skipValue()
            }
            if hasPayloadKey, keyCount == 1 { return .operation }
            return keyCount == 0 ? .emptyObject : .message
        } catch {
            return .operation
        }
    }
}
