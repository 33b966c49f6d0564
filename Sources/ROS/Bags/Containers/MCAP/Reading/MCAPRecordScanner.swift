import Platform

/// The position and length of a record, before its fields are read.
struct MCAPRawRecord {
    var opcode: UInt8
    /// The offset in the scanner's space: the file, or a chunk's uncompressed records.
    var offset: Int
    /// The bytes of the body that are available.
    var bodyByteCount: Int
    /// The length that the record claims, without the 9 bytes before the body.
    var claimedByteCount: UInt64

    var bodyOffset: Int { offset + MCAPFormat.recordHeaderBytes }
    var isWhole: Bool { UInt64(bodyByteCount) == claimedByteCount }
    var end: Int { bodyOffset + bodyByteCount }
}

/// Scans the records of a part of a file, or of the content of a chunk.
///
/// It buffers a window of the input; skipping a record needs no reading.
struct MCAPRecordScanner {
    private static let windowBytes = 1 << 14
    static let mostCloserLooks = 200_000

    /// The chunk whose content this is, or nil for the file itself.
    let chunkOffset: Int?
    private let source: (any MCAPSource)?
    /// The offset of the scanner's space in the source.
    private let base: Int
    private var window: [UInt8]
    private var windowOffset: Int
    private(set) var position: Int
    private let end: Int
    /// The problem that ended the scan early.
    private(set) var problem: MCAPProblem?
    /// The problem of the length of the record that was read last, whose fields lead to the next one.
    var lengthProblem: MCAPProblem?
    /// The number of candidates that may still be examined in the search for records after damage.
    var closerLooks = Self.mostCloserLooks

    var scanEnd: Int { end }

    /// The specification has no record 0x00: it is a hole in the file.
    static func hole(at place: MCAPPlace) -> MCAPProblem {
        MCAPProblem("record", at: place, expected: "the number of a kind of record", found: "0x00")
    }

    /// Scans a part of the file.
    init(_ source: any MCAPSource, from start: Int, to end: Int) {
        self.source = source
        self.end = max(0, min(end, source.size))
        (chunkOffset, base, window, windowOffset, position) = (nil, 0, [], 0, max(0, start))
    }

    /// Scans the content of an uncompressed chunk in the file.
    init(_ source: any MCAPSource, chunkAt chunkOffset: Int, contentOffset: Int, count: Int) {
        self.source = source
        self.chunkOffset = chunkOffset
        base = contentOffset
        end = max(0, min(count, source.size - contentOffset))
        (window, windowOffset, position) = ([], 0, 0)
    }

    /// Scans the content of a chunk that is in memory.
    init(_ content: [UInt8], chunkAt chunkOffset: Int) {
        self.chunkOffset = chunkOffset
        source = nil
        (base, window, windowOffset, position, end) = (0, content, 0, 0, content.count)
    }

    func place(_ offset: Int) -> MCAPPlace {
        chunkOffset.map { MCAPPlace(offset: $0, innerOffset: offset) } ?? MCAPPlace(offset: offset)
    }

    /// The next record, which may be truncated at the end; nil at the end, where `problem` tells whether it is sound.
    mutating func next() throws -> MCAPRawRecord? {
        guard problem == nil, position < end else { return nil }
        let offset = position
        let remaining = end - offset
        guard remaining >= MCAPFormat.recordHeaderBytes else {
            problem = MCAPProblem("record", at: place(offset), expected: "9 bytes or more", found: "\(remaining)")
            return nil
        }
        guard let (opcode, claimed) = try head(at: offset) else {
            let expected = "\(end) bytes as at its opening"
            problem = MCAPProblem("file", at: place(offset), expected: expected, found: "fewer")
            return nil
        }
        let available = remaining - MCAPFormat.recordHeaderBytes
        let count = Int(min(claimed, UInt64(available)))
        let record = MCAPRawRecord(opcode: opcode, offset: offset, bodyByteCount: count, claimedByteCount: claimed)
        position = record.end
        if !record.isWhole {
            let what = "\(MCAPOpcode.name(opcode)) length"
            problem = MCAPProblem(what, at: place(offset), expected: "at most \(available)", found: "\(claimed)")
        }
        return record
    }

    /// The opcode and the length at an offset; nil if the file was shortened.
    ///
    /// One check of the bounds serves both fields.
    mutating func head(at offset: Int) throws -> (opcode: UInt8, length: UInt64)? {
        try withBytes(at: offset, count: MCAPFormat.recordHeaderBytes) { bytes in
            guard bytes.count == MCAPFormat.recordHeaderBytes else { return nil }
            return (bytes[0], UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 1, as: UInt64.self)))
        }
    }

    mutating func move(to offset: Int) {
        position = offset
        problem = nil
    }

    /// Ends the scan with a reason.
    mutating func stop(_ reason: MCAPProblem?) { problem = reason }

    /// Uses up one examination; returns false if none is left.
    mutating func takeCloserLook() -> Bool {
        closerLooks -= 1
        return closerLooks >= 0
    }

    /// Calls `body` with bytes, which must lie before the end; fewer if the file was shortened.
    mutating func withBytes<Result>(
        at offset: Int,
        count: Int,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try fill(offset, count)
        return try window.withUnsafeBytes { bytes in
            let start = min(max(0, offset - windowOffset), bytes.count)
            return try body(UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + count, bytes.count)]))
        }
    }

    /// Parses the record's fields, without the data of Message, Chunk and Attachment.
    mutating func parse(_ record: MCAPRawRecord) throws -> MCAPRecord {
        try parseFields(record).record
    }

    /// The same, with the size of the fields that were read.
    mutating func parseFields(_ record: MCAPRawRecord) throws -> (record: MCAPRecord, byteCount: Int) {
        if record.opcode == MCAPOpcode.message.rawValue, let message = try message(record) {
            return (.message(message), MCAPFormat.messageHeaderBytes)
        }
        var wanted = record.bodyByteCount
        switch MCAPOpcode(rawValue: record.opcode) {
        case .message: wanted = min(wanted, MCAPFormat.messageHeaderBytes)
        case .chunk, .attachment: wanted = min(wanted, 1 << 16)
        case nil: wanted = 0
        default:
            guard wanted <= MCAPLimits.recordBytes else {
                throw MCAPProblem(
                    "\(MCAPOpcode.name(record.opcode)) length",
                    at: place(record.offset),
                    expected: "at most \(MCAPLimits.recordBytes)",
                    found: "\(wanted)"
                )
            }
        }
        let place = place(record.offset)
        return try withBytes(at: record.bodyOffset, count: wanted) { body in
            var reader = MCAPFieldReader(body, at: place.advanced(by: MCAPFormat.recordHeaderBytes), of: record.opcode)
            let bodyBytes = record.bodyByteCount
            return (try .parse(record.opcode, at: place, &reader, bodyByteCount: bodyBytes), reader.position)
        }
    }

    /// Reads the fields of a Message before its data; nil if the record is too short.
    ///
    /// The same as `parse`, but faster: parsing would be most of the cost of small messages, and a check of the bounds of
    /// each field is 8 % of reading them.
    mutating func message(_ record: MCAPRawRecord) throws -> MCAPMessage? {
        let count = MCAPFormat.messageHeaderBytes
        guard record.bodyByteCount >= count else { return nil }
        let place = place(record.offset)
        return try withBytes(at: record.bodyOffset, count: count) { body in
            guard body.count == count else { return nil }
            return MCAPMessage(
                channelID: UInt16(littleEndian: body.loadUnaligned(as: UInt16.self)),
                sequence: UInt32(littleEndian: body.loadUnaligned(fromByteOffset: 2, as: UInt32.self)),
                logTime: UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 6, as: UInt64.self)),
                publishTime: UInt64(littleEndian: body.loadUnaligned(fromByteOffset: 14, as: UInt64.self)),
                byteCount: record.bodyByteCount - count,
                place: place
            )
        }
    }

    /// The CRC after an attachment's data, or nil if the data do not fit in the record.
    mutating func attachmentCRC(_ attachment: MCAPAttachment, _ record: MCAPRawRecord) throws -> UInt32? {
        guard let size = Int(exactly: attachment.dataByteCount), record.isWhole,
            size <= record.end - attachment.dataOffset - 4
        else { return nil }
        return try withBytes(at: attachment.dataOffset + size, count: 4) { bytes in
            ByteReader(bytes).integer(at: 0)
        }
    }

    private mutating func fill(_ offset: Int, _ count: Int) throws {
        guard let source else { return }
        let isThere = offset >= windowOffset && offset + count <= windowOffset + window.count
        if isThere { return }
        window = try source.read(at: base + offset, count: min(max(count, Self.windowBytes), end - offset))
        windowOffset = offset
    }
}

/// The limits for sizes that a file claims.
package enum MCAPLimits {
    /// The maximum size of a chunk's uncompressed records.
    package static let chunkBytes = 1 << 30
    /// The same for a chunk with `count` stored bytes: no sensor recording compresses better than 4096 to 1.
    static func chunkBytes(stored count: Int) -> Int {
        let (scaled, overflow) = count.multipliedReportingOverflow(by: 4096)
        return min(chunkBytes, max(1 << 26, overflow ? .max : scaled))
    }
    /// The maximum size of a record other than Message, Chunk and Attachment.
    package static let recordBytes = 1 << 28
    /// Uncompressed chunks larger than this are read piece by piece.
    static let wholeChunkBytes = 1 << 23
    /// The memory of one cursor's open chunks above which those without the next message are released.
    static let openChunkBytes = 1 << 25
}
