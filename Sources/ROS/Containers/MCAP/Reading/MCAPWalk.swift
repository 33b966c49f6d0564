/// A record as it lies in the file, with what is wrong with it.
package struct MCAPItem: Sendable {
    /// Where the record begins; inside of the chunk before it if there is an inner offset.
    package var place: MCAPPlace
    package var opcode: UInt8
    /// The size of the record with the 9 bytes in front of its body; what it claims where it is cut.
    package var byteCount: UInt64
    /// nil where the record is cut or does not parse.
    package var record: MCAPRecord?
    package var problems: [MCAPProblem]

    /// Whether its kind is left to applications, and may stand anywhere (MCAP specification, "Records").
    package var isPrivate: Bool { opcode >= 0x80 }
}

/// Goes through every record of a file in the order of the file, and through the records in each chunk after it.
///
/// Needs neither a summary nor a sound file: where a length leads nowhere it goes on with the next bytes that can only be
/// records, so that damage costs no more than itself.
package struct MCAPWalk {
    private let source: any MCAPSource
    private let verifiesChecksums: Bool
    private var outer: MCAPRecordScanner
    private var inner: MCAPRecordScanner?
    private var isOuterProblemTold = false
    /// What is wrong with the file at large, and with the ends of chunks' contents.
    package private(set) var problems = MCAPProblems()

    /// - Parameter verifiesChecksums: Checks the CRCs of chunks and attachments; those of the data section and of the
    ///   summary are for ``MCAPFile``.
    package init(_ source: any MCAPSource, verifiesChecksums: Bool = true) throws {
        self.source = source
        self.verifiesChecksums = verifiesChecksums
        let magic = MCAPFormat.magic
        var end = source.size
        if try source.read(at: 0, count: magic.count) != magic {
            let place = MCAPPlace(offset: 0)
            problems.add(MCAPProblem("magic", at: place, expected: "89 4D 43 41 50 30 0D 0A", found: "other bytes"))
        }
        if source.size >= 2 * magic.count, try source.read(at: end - magic.count, count: magic.count) == magic {
            end -= magic.count
        } else {
            let place = MCAPPlace(offset: end)
            problems.add(MCAPProblem("magic", at: place, expected: "89 4D 43 41 50 30 0D 0A", found: "other bytes"))
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

    /// The data of a message that `next` gave last.
    package mutating func data(of message: MCAPMessage) throws -> [UInt8] {
        let prefix = MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes
        if let offset = message.place.innerOffset {
            return try inner?.withBytes(at: offset + prefix, count: message.byteCount) { [UInt8]($0) } ?? []
        }
        return try outer.withBytes(at: message.place.offset + prefix, count: message.byteCount) { [UInt8]($0) }
    }

    /// The item of a record, with the scanner behind it, or behind the damage where its length leads nowhere.
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
        case .success(let fields): item.record = fields
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

    /// The item of a chunk, whose content comes next.
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
