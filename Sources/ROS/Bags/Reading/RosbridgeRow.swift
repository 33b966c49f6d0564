import Text

/// A row of a rosbridge_json bag: a publish operation as JSON text, or the bare message of one.
///
/// The one reading of such rows. An object with a string under `op`, or with an object under `msg`, is an operation, of
/// which only `publish` is taken; any other object with a key of the message's type is a message.
package enum RosbridgeRow {
    /// Reads the message with `body`, whatever the order of the keys.
    ///
    /// - Parameter keys: Those that a message of the type may have. Where there are any, a bare message has one of them.
    /// - Returns: what `body` made of the message, and the topic that the operation names.
    static func read<Value>(
        _ bytes: UnsafeRawBufferPointer,
        keys: [String],
        _ body: (inout JSONScanner) throws -> Value
    ) throws -> (Value, topic: String?) {
        switch form(bytes, keys: keys) {
        case .message:
            var scanner = JSONScanner(bytes, allowsNonFinite: true)
            let value = try body(&scanner)
            try scanner.finish()
            return (value, nil)
        case .operation: return try readOperation(bytes, body)
        case .other(let error): throw error
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
        /// Neither, and why.
        case other(JSONError)
    }

    /// The form of the object; text that is no object counts as an operation, whose reading says what is wrong.
    ///
    /// A field may be called `msg`, as that of rcl_interfaces/Log, which is a string beside other fields; alone it is a
    /// broken operation. So is an object whose `op` is neither a string nor a field. In an operation the telling key comes
    /// before anything large, so little is read twice.
    private static func form(_ bytes: UnsafeRawBufferPointer, keys: [String]) -> Form {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        var found: [String] = []
        var isMessage = false
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                let kind = try scanner.peek()
                if key == "op", kind == .string { return .operation }
                if key == "msg", kind == .object { return .operation }
                let isField = keys.contains(key.string)
                if key == "op", !isField { return .operation }
                isMessage = isMessage || isField
                if found.count <= listedKeys { found.append(String(key.string.prefix(40))) }
                try scanner.skipValue()
            }
        } catch {
            return .operation
        }
        if found == ["msg"] { return .operation }
        return isMessage || keys.isEmpty ? .message : .other(noMessage(found, of: keys))
    }

    /// How many keys an error names.
    private static let listedKeys = 8

    private static func noMessage(_ found: [String], of names: [String]) -> JSONError {
        JSONError(
            offset: 0,
            expected: "a publish operation or a message with a key of its type (\(list(names)))",
            found: found.isEmpty ? "an empty object" : "only \(list(found))"
        )
    }

    private static func list(_ keys: [String]) -> String {
        keys.prefix(listedKeys).joined(separator: ", ") + (keys.count > listedKeys ? ", ..." : "")
    }
}
