import Platform

/// Appends the fields of a record.
struct MCAPFieldWriter: MCAPFieldVisitor {
    var bytes: [UInt8]

    mutating func field<Value: FixedWidthInteger & BitwiseCopyable>(_ name: StaticString, _ value: inout Value) {
        bytes.appendInteger(value)
    }

    mutating func field(_ name: StaticString, _ value: inout String) { append(value) }

    mutating func field(_ name: StaticString, _ value: inout [UInt8]) {
        appendLength(value.count)
        bytes.append(contentsOf: value)
    }

    mutating func field(_ name: StaticString, _ pairs: inout [MCAPAttribute]) {
        appendLength(pairs.reduce(0) { $0 + 8 + $1.key.utf8.count + $1.value.utf8.count })
        for pair in pairs {
            append(pair.key)
            append(pair.value)
        }
    }

    mutating func field(_ name: StaticString, _ pairs: inout [MCAPChannelNumber]) {
        appendLength(10 * pairs.count)
        for pair in pairs {
            bytes.appendInteger(pair.channelID)
            bytes.appendInteger(pair.value)
        }
    }

    mutating func field(_ name: StaticString, _ entries: inout [MCAPMessageIndexEntry]) {
        appendLength(16 * entries.count)
        bytes.reserveCapacity(bytes.count + 16 * entries.count)
        for entry in entries {
            bytes.appendInteger(entry.logTime)
            bytes.appendInteger(entry.offset)
        }
    }

    private mutating func append(_ text: String) {
        appendLength(text.utf8.count)
        bytes.append(contentsOf: text.utf8)
    }

    private mutating func appendLength(_ count: Int) { bytes.appendInteger(UInt32(truncatingIfNeeded: count)) }
}

extension MCAPFields {
    /// The record with its opcode and length.
    ///
    /// - Parameter dataByteCount: The size of what the caller appends to it: the data of a Chunk or an Attachment.
    func encoded(followedBy dataByteCount: Int = 0) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(self, followedBy: dataByteCount)
        return bytes
    }
}

extension [UInt8] {
    /// Appends a record with its opcode and length.
    mutating func append<Record: MCAPFields>(_ record: Record, followedBy dataByteCount: Int = 0) {
        // The visit needs variables; the bytes move into the writer and back.
        var record = record
        var writer = MCAPFieldWriter(bytes: [])
        swap(&self, &writer.bytes)
        let start = writer.bytes.count
        writer.bytes.append(Record.opcode.rawValue)
        writer.bytes.appendInteger(UInt64(0))
        record.visit(&writer)
        let length = UInt64(writer.bytes.count - start - MCAPFormat.recordHeaderBytes + dataByteCount)
        writer.bytes.replaceInteger(at: start + 1, with: length)
        swap(&self, &writer.bytes)
    }
}
