/// Reads the fields of a record in order, never beyond the record's end.
struct MCAPFieldReader {
    private let bytes: UnsafeRawBufferPointer
    private let place: MCAPPlace
    private let opcode: UInt8
    private(set) var position = 0

    /// - Parameters:
    ///   - bytes: The body of the record.
    ///   - place: Where the body begins.
    init(_ bytes: UnsafeRawBufferPointer, at place: MCAPPlace, of opcode: UInt8) {
        self.bytes = bytes
        self.place = place
        self.opcode = opcode
    }

    var remaining: Int { bytes.count - position }

    mutating func integer<Value: FixedWidthInteger>(_ field: StaticString) throws(MCAPProblem) -> Value {
        let size = MemoryLayout<Value>.size
        guard remaining >= size else {
            throw problem(field, expected: "\(size) bytes", found: "\(remaining) to the record's end")
        }
        defer { position += size }
        return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
    }

    /// Reads a length of type `Length`, checks it against the record, and reads that many bytes.
    mutating func blob<Length: UnsignedInteger & FixedWidthInteger>(
        _ field: StaticString,
        lengthAs: Length.Type
    ) throws(MCAPProblem) -> UnsafeRawBufferPointer {
        let length: Length = try integer(field)
        guard let count = Int(exactly: length), count <= remaining else {
            position -= MemoryLayout<Length>.size
            throw problem(field, expected: "a length of at most \(remaining - 4)", found: "\(length)")
        }
        defer { position += count }
        return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    }

    mutating func string(_ field: StaticString) throws(MCAPProblem) -> String {
        let start = position
        let blob = try blob(field, lengthAs: UInt32.self)
        guard let text = String(validating: blob, as: UTF8.self) else {
            position = start
            throw problem(field, expected: "UTF-8", found: "other bytes")
        }
        return text
    }

    /// Reads a map of strings in file order, with duplicate keys.
    mutating func attributes(_ field: StaticString) throws(MCAPProblem) -> [MCAPAttribute] {
        var pairs: [MCAPAttribute] = []
        try map(field) { (inner: inout MCAPFieldReader) throws(MCAPProblem) in
            let key = try inner.string(field)
            pairs.append(MCAPAttribute(key: key, value: try inner.string(field)))
        }
        return pairs
    }

    /// Reads a map from channel to number in file order, with duplicate channels.
    mutating func channelNumbers(_ field: StaticString) throws(MCAPProblem) -> [MCAPChannelNumber] {
        var pairs: [MCAPChannelNumber] = []
        try map(field) { (inner: inout MCAPFieldReader) throws(MCAPProblem) in
            let channel: UInt16 = try inner.integer(field)
            pairs.append(MCAPChannelNumber(channelID: channel, value: try inner.integer(field)))
        }
        return pairs
    }

    private mutating func map(
        _ field: StaticString,
        _ takePair: (inout MCAPFieldReader) throws(MCAPProblem) -> Void
    ) throws(MCAPProblem) {
        let blob = try blob(field, lengthAs: UInt32.self)
        let start = place.advanced(by: position - blob.count)
        var inner = MCAPFieldReader(blob, at: start, of: opcode)
        while inner.remaining > 0 { try takePair(&inner) }
    }

    func problem(_ field: StaticString, expected: String, found: String) -> MCAPProblem {
        MCAPProblem(
            "\(MCAPOpcode.name(opcode)).\(field)",
            at: place.advanced(by: position),
            expected: expected,
            found: found
        )
    }
}
