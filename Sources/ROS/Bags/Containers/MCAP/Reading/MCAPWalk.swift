/// A record of the file with its problem, if any.
package struct MCAPItem: Sendable {
    /// The offset of the record; inside the preceding chunk if there is an inner offset.
    package var place: MCAPPlace
    package var opcode: UInt8
    /// The size of the record with its 9-byte header; the claimed size if it is truncated.
    package var byteCount: UInt64
    /// The fields; nil if the record is truncated or does not parse.
    package var record: MCAPRecord?
    package var problems: [MCAPProblem]

    /// True if its kind is for private use, which is allowed anywhere (MCAP specification, "Records").
    package var isPrivate: Bool { opcode >= 0x80 }
}

/// Walks over every record of a file in file order; the records of a chunk follow the chunk.
///
/// It needs neither a summary nor a sound file: after a wrong length it continues at the next bytes that can only be
/// records, so that only the damaged part is lost.
package struct MCAPWalk {
    private let source: any MCAPSource
    private let verifiesChecksums: Bool
    private var outer: MCAPRecordScanner
    private var inner: MCAPRecordScanner?
    private var isOuterProblemTold = false
    /// The problems of the file as a whole, and of the ends of chunks' contents.
    package private(set) var problems = MCAPProblems()

    /// - Parameter verifiesChecksums: Checks the CRCs of chunks and attachments; those of the data section and of the
    ///   summary are for ``MCAPFile``.
    package init(_ source: any MCAPSource, verifiesChecksums: Bool = true) throws {
        self.source = source
        self.verifiesChecksums = verifiesChecksums
        let magic = MCAPFormat.magic
        var end = source.size
        if try source.read(at: 0, count: magic.count) != magic {
            problems.add(.magic(at: 0))
        }
        if source.size >= 2 * magic.count, try source.read(at: end - magic.count, count: magic.count) == magic {
            end -= magic.count
        } else {
            problems.add(.magic(at: end))
        }
        outer = MCAPRecordScanner(source, from: magic.count, to: end)
    }

    /// The next record, or nil at the end.
    ///
    /// - Throws: Errors of the source.
    package mutating func next() throws -> MCAPItem? {
        if var scanner = inner {
            inner = nil
            if let record = try scanner.next() {
                let item = try item(record, &scanner, .inChunk)
                inner = scanner
                return item
            }
            problems.add(scanner.problem)
        }
        guard let record = try outer.next() else {
            if !isOuterProblemTold { problems.add(outer.problem) }
            isOuterProblemTold = true
            return nil
        }
        if record.opcode == MCAPOpcode.chunk.rawValue { return try chunkItem(record) }
        var item = try item(record, &outer, .file)
        if case .attachment(let attachment)? = item.record { try complete(&item, attachment, record) }
        return item
    }

    /// The data of the message that `next` returned last.
    package mutating func data(of message: MCAPMessage) throws -> [UInt8] {
        let prefix = MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes
        if let offset = message.place.innerOffset {
            return try inner?.withBytes(at: offset + prefix, count: message.byteCount) { [UInt8]($0) } ?? []
        }
        return try outer.withBytes(at: message.place.offset + prefix, count: message.byteCount) { [UInt8]($0) }
    }

    /// Makes the item of a record, and moves the scanner past it, or past the damage.
    private func item(
        _ record: MCAPRawRecord,
        _ scanner: inout MCAPRecordScanner,
        _ expectation: MCAPExpectation
    ) throws -> MCAPItem {
        var item = Self.item(record, scanner)
        if let damage = try scanner.skipDamage(record, expectation) {
            item.problems.append(damage)
            return item
        }
        switch try scanner.read(record, expectation) {
        case .success(let fields):
            item.record = fields
            if let problem = scanner.lengthProblem { item.problems.append(problem) }
        case .failure(let problem): item.problems.append(problem)
        }
        return item
    }

    private static func item(_ record: MCAPRawRecord, _ scanner: MCAPRecordScanner) -> MCAPItem {
        let length = record.claimedByteCount.addingReportingOverflow(UInt64(MCAPFormat.recordHeaderBytes))
        return MCAPItem(
            place: scanner.place(record.offset),
            opcode: record.opcode,
            byteCount: length.overflow ? .max : length.partialValue,
            record: nil,
            problems: []
        )
    }

    /// Makes the item of a chunk, whose records come next.
    private mutating func chunkItem(_ record: MCAPRawRecord) throws -> MCAPItem {
        var item = Self.item(record, outer)
        guard let extent = try outer.chunkExtent(record, problems: &item.problems) else { return item }
        item.record = .chunk(extent.chunk)
        guard extent.isReadable else { return item }
        var found = MCAPProblems()
        let content = try MCAPChunkContent(
            extent.chunk,
            at: record.offset,
            availableBytes: extent.availableBytes,
            in: source,
            checksum: verifiesChecksums,
            problems: &found
        )
        item.problems += found.list
        inner = content.scanner()
        return item
    }

    private mutating func complete(
        _ item: inout MCAPItem,
        _ attachment: MCAPAttachment,
        _ record: MCAPRawRecord
    ) throws {
        guard let crc = try outer.attachmentCRC(attachment, record) else {
            let expected = "at most \(max(0, record.end - 4 - attachment.dataOffset))"
            let found = "\(attachment.dataByteCount)"
            item.problems.append(MCAPProblem("Attachment.data", at: item.place, expected: expected, found: found))
            return
        }
        var whole = attachment
        whole.crc = crc
        item.record = .attachment(whole)
        guard verifiesChecksums, crc != 0 else { return }
        let end = attachment.dataOffset + Int(clamping: attachment.dataByteCount)
        let problem = MCAPProblem.checksum(
            "Attachment.crc",
            at: item.place,
            computed: try source.checksum(from: record.bodyOffset, to: end),
            stored: crc
        )
        if let problem { item.problems.append(problem) }
    }
}
