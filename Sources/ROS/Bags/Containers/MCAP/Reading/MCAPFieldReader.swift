import Platform

/// Reads the fields of a record in order, never beyond the record's end.
struct MCAPFieldReader: MCAPFieldVisitor {
    private var reader: ByteReader
    private let place: MCAPPlace
    private let opcode: UInt8

    init(_ bytes: UnsafeRawBufferPointer, at place: MCAPPlace, of opcode: UInt8) {
        reader = ByteReader(bytes)
        self.place = place
        self.opcode = opcode
    }

    var position: Int { reader.position }

    mutating func record<Record: MCAPFields>() throws(MCAPProblem) -> Record {
        var record = Record()
        try record.visit(&self)
        return record
    }

    mutating func field<Value: FixedWidthInteger & BitwiseCopyable>(
        _ name: StaticString,
        _ value: inout Value
    ) throws(MCAPProblem) {
        value = try integer(name)
    }

    mutating func field(_ name: StaticString, _ value: inout String) throws(MCAPProblem) {
        value = try string(name)
    }

    mutating func field(_ name: StaticString, _ value: inout [UInt8]) throws(MCAPProblem) {
        value = Array(try blob(name))
    }

    /// Reads a map of strings in file order, with duplicate keys.
    mutating func field(_ name: StaticString, _ pairs: inout [MCAPAttribute]) throws(MCAPProblem) {
        var inner = try content(name)
        while inner.reader.remaining > 0 {
            let key = try inner.string(name)
            pairs.append(MCAPAttribute(key: key, value: try inner.string(name)))
        }
    }

    /// Reads a map from channel to number in file order, with duplicate channels.
    mutating func field(_ name: StaticString, _ pairs: inout [MCAPChannelNumber]) throws(MCAPProblem) {
        var inner = try content(name)
        while inner.reader.remaining > 0 {
            let channel: UInt16 = try inner.integer(name)
            pairs.append(MCAPChannelNumber(channelID: channel, value: try inner.integer(name)))
        }
    }

    mutating func field(_ name: StaticString, _ entries: inout [MCAPMessageIndexEntry]) throws(MCAPProblem) {
        let blob = try blob(name)
        guard blob.count.isMultiple(of: 16) else {
            throw problem(name, expected: "entries of 16 bytes", found: "\(blob.count) bytes")
        }
        entries.reserveCapacity(blob.count / 16)
        var reader = ByteReader(blob)
        while let logTime = reader.next(UInt64.self), let offset = reader.next(UInt64.self) {
            entries.append(MCAPMessageIndexEntry(logTime: logTime, offset: offset))
        }
    }

    private mutating func integer<Value: FixedWidthInteger & BitwiseCopyable>(
        _ name: StaticString
    ) throws(MCAPProblem) -> Value {
        guard let value = reader.next(Value.self) else {
            let found = "\(reader.remaining) to the record's end"
            throw problem(name, expected: "\(MemoryLayout<Value>.size) bytes", found: found)
        }
        return value
    }

    /// Reads a length of four bytes, checks it against the record, and takes that many bytes.
    private mutating func blob(_ name: StaticString) throws(MCAPProblem) -> UnsafeRawBufferPointer {
        let length: UInt32 = try integer(name)
        guard let bytes = reader.take(Int(length)) else {
            reader.position -= 4
            throw problem(name, expected: "a length of at most \(reader.remaining - 4)", found: "\(length)")
        }
        return bytes
    }

    private mutating func string(_ name: StaticString) throws(MCAPProblem) -> String {
        let start = reader.position
        let blob = try blob(name)
        guard let text = String(validating: blob, as: UTF8.self) else {
            reader.position = start
            throw problem(name, expected: "UTF-8", found: "other bytes")
        }
        return text
    }

    /// A reader of a map, whose pairs fill it exactly.
    private mutating func content(_ name: StaticString) throws(MCAPProblem) -> MCAPFieldReader {
        let blob = try blob(name)
        return MCAPFieldReader(blob, at: place.advanced(by: reader.position - blob.count), of: opcode)
    }

    private func problem(_ name: StaticString, expected: String, found: String) -> MCAPProblem {
        let what = "\(MCAPOpcode.name(opcode)).\(name)"
        return MCAPProblem(what, at: place.advanced(by: reader.position), expected: expected, found: found)
    }
}
