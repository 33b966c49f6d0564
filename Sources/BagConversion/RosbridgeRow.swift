package import JSONText

/// A row of a rosbridge_json bag: a publish operation as JSON text, or the bare message of one.
package enum RosbridgeRow {
    /// Reads the message with `body`, whatever the order of the keys.
    ///
    /// - Returns: what `body` made of the message, and the topic that the operation names.
    package static func read<Value>(
        _ bytes: [UInt8],
        _ body: (inout JSONScanner) throws -> Value
    ) throws -> (Value, topic: String?) {
        try bytes.withUnsafeBytes { buffer in
            if isBare(buffer) {
                var scanner = JSONScanner(buffer, allowsNonFinite: true)
                let value = try body(&scanner)
                try scanner.finish()
                return (value, nil)
            }
            var scanner = JSONScanner(buffer, allowsNonFinite: true)
            var value: Value?
            var topic: String?
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == "msg" {
                    value = try body(&scanner)
                } else if key == "topic" {
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
                throw JSONError(offset: buffer.count, expected: "the key \"msg\"", found: "the end of the object")
            }
            return (value, topic)
        }
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
                    if key == "op" { isOperation = true }
                    if key == "msg", try scanner.peek() == .object { isOperation = true }
                    if !(isOperation && topic != nil) { try scanner.skipValue() }
                }
            } catch {
                // Whoever reads it says better what is wrong.
                return nil
            }
            return isOperation ? topic : nil
        }
    }

    /// Whether the object is a message itself: it has neither `op` nor an object under `msg`.
    ///
    /// A field may be called `msg`, as that of rcl_interfaces/Log, which is a string. In an operation the telling key
    /// comes before anything large, so little is read twice.
    private static func isBare(_ buffer: UnsafeRawBufferPointer) -> Bool {
        var scanner = JSONScanner(buffer, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == "op" { return false }
                if key == "msg", try scanner.peek() == .object { return false }
                try scanner.skipValue()
            }
            return true
        } catch {
            // Whoever reads it says better what is wrong.
            return false
        }
    }
}
