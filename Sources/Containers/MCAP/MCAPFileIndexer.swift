/// Finds out what is where in a file: from its summary as far as that is sound, by going through the records elsewhere.
struct MCAPFileIndexer {
    private let source: any MCAPSource
    private var summary = MCAPSummary()
    private var file = MCAPFileContents()
    /// Chunks that were taken as the summary describes them.
    private var unexplored: [MCAPMessageBlock] = []

    init(_ source: any MCAPSource) {
        self.source = source
    }

    mutating func run(into result: inout MCAPFile) throws {
        summary = try MCAPSummary(of: source, problems: &file.problems)
        let summaryProblemCount = summary.footer == nil ? 0 : file.problems.count
        file.schemas = summary.schemas
        file.channels = summary.channels
        file.channelPlaces = summary.channelPlaces
        let start = try readHeader()
        try goThrough(from: start, to: summary.dataLimit)
        if file.dataEnd == nil {
            let place = MCAPPlace(offset: summary.dataLimit)
            file.problems.add(MCAPProblem("data section", at: place, expected: "DataEnd", found: "the end"))
        }
        try findSchemas()
        file.checkReferences()
        result.summaryProblemCount = summaryProblemCount
        (result.header, result.footer, result.hasSummary) = (file.header, summary.footer, summary.isSound)
        (result.schemas, result.channelsByID) = (file.schemas, file.channels)
        (result.statistics, result.chunkIndexes) = (summary.statistics, summary.chunkIndexes)
        (result.metadata, result.attachments, result.dataEnd) = (file.metadata, file.attachments, file.dataEnd)
        (result.blocks, result.scanned, result.isScanned) = (file.blocks, file.scanned, file.isScanned)
        result.problems = file.problems
    }

    /// Gives where the records after the header begin.
    private mutating func readHeader() throws -> Int {
        let start = MCAPFormat.magic.count
        var scanner = MCAPRecordScanner(source, from: start, to: summary.dataLimit)
        guard let record = try scanner.next() else { return start }
        guard record.opcode == MCAPOpcode.header.rawValue, record.isWhole else {
            let found = MCAPOpcode.name(record.opcode)
            let expected = record.isWhole ? "Header" : "a whole Header"
            file.problems.add(MCAPProblem("first record", at: scanner.place(start), expected: expected, found: found))
            return start
        }
        do throws(any Error) {
            if case .header(let header) = try scanner.parse(record) { file.header = header }
        } catch let problem as MCAPProblem {
            file.problems.add(problem)
        }
        return record.end
    }

    /// Takes the chunks that the summary lists from there, and goes through what lies between them.
    private mutating func goThrough(from start: Int, to end: Int) throws {
        var position = start
        let indexes = summary.chunkIndexes.sorted { $0.chunkStartOffset < $1.chunkStartOffset }
        for (number, index) in indexes.enumerated() {
            let place = MCAPPlace(offset: Int(clamping: index.chunkStartOffset))
            guard let block = try verified(index, from: position, to: end) else {
                let expected = "the place of one more Chunk with these fields"
                let found = "none there"
                file.problems.add(
                    MCAPProblem("ChunkIndex.chunk_start_offset", at: place, expected: expected, found: found)
                )
                continue
            }
            if try !scan(from: position, to: block.offset) { return }
            try take(block)
            position = block.end
            // The message indexes after the chunk are skipped, if they end before what is known to follow.
            let following = number + 1 < indexes.count ? Int(clamping: indexes[number + 1].chunkStartOffset) : end
            let skipped = block.end.addingReportingOverflow(Int(clamping: index.messageIndexLength))
            if !skipped.overflow, skipped.partialValue <= min(following, end) { position = skipped.partialValue }
        }
        _ = try scan(from: position, to: end)
    }

    /// The chunk that an index tells of, if it is there and is as the index says.
    private mutating func verified(
        _ index: MCAPChunkIndex,
        from start: Int,
        to end: Int
    ) throws -> MCAPMessageBlock? {
        guard let offset = Int(exactly: index.chunkStartOffset), let length = Int(exactly: index.chunkLength),
            offset >= start, offset < end, length <= end - offset
        else { return nil }
        var scanner = MCAPRecordScanner(source, from: offset, to: offset + length)
        guard let stored = try scanner.next(), stored.opcode == MCAPOpcode.chunk.rawValue else { return nil }
        let bodyByteCount = offset + length - stored.bodyOffset
        // What the index says of the length holds where the chunk's own fields fit in it.
        let record = MCAPRawRecord(
            opcode: stored.opcode,
            offset: offset,
            bodyByteCount: bodyByteCount,
            claimedByteCount: UInt64(bodyByteCount)
        )
        guard case .chunk(let chunk)? = try? scanner.parse(record),
            chunk.messageStartTime == index.messageStartTime, chunk.messageEndTime == index.messageEndTime,
            chunk.compression == index.compression, chunk.recordsByteCount == index.compressedSize,
            UInt64(record.end - chunk.recordsOffset) == chunk.recordsByteCount,
            chunk.uncompressedSize == index.uncompressedSize
        else { return nil }
        if stored.claimedByteCount != record.claimedByteCount {
            let expected = "\(bodyByteCount), as its fields and the ChunkIndex say"
            let found = "\(stored.claimedByteCount)"
            file.problems.add(
                MCAPProblem("Chunk length", at: scanner.place(offset), expected: expected, found: found)
            )
        }
        let channels = Set(index.messageIndexOffsets.map(\.channelID))
        return MCAPMessageBlock(
            offset: offset,
            end: record.end,
            chunk: chunk,
            startTime: chunk.messageStartTime,
            endTime: chunk.messageEndTime,
            channels: channels.isEmpty ? nil : channels
        )
    }

    /// Takes a chunk as the summary describes it, or reads it where the summary leaves something out.
    private mutating func take(_ block: MCAPMessageBlock) throws {
        if summary.hasCounts, let channels = block.channels, channels.allSatisfy({ file.channels[$0] != nil }) {
            file.blocks.append(block)
            file.isScanned = false
            unexplored.append(block)
        } else {
            try file.explore(block, of: source)
        }
    }

    /// A summary need not repeat schemas: those of its channels are in the chunks then.
    private mutating func findSchemas() throws {
        for block in unexplored {
            guard file.channels.values.contains(where: { $0.schemaID != 0 && file.schemas[$0.schemaID] == nil }) else {
                return
            }
            try file.learn(block, of: source)
        }
    }

    /// Goes through records of the data section; false after DataEnd.
    private mutating func scan(from start: Int, to end: Int) throws -> Bool {
        var scanner = MCAPRecordScanner(source, from: start, to: end)
        var run: MCAPMessageBlock?
        while var record = try scanner.next() {
            if let mended = try scanner.mended(record) {
                record = mended.record
                file.problems.add(mended.problem)
            }
            let opcode = MCAPOpcode(rawValue: record.opcode)
            if record.opcode == 0 {
                file.problems.add(MCAPRecordScanner.hole(at: scanner.place(record.offset)))
            }
            let isRun = record.isWhole && (opcode == .message || opcode == .schema || opcode == .channel)
            if isRun, let offset = run?.offset, record.end - offset <= MCAPLimits.wholeChunkBytes {
                run?.end = record.end
            } else if isRun || opcode == .chunk || opcode == .dataEnd {
                // Other records may lie in a run.
                if let run { try file.explore(run, of: source) }
                run = isRun ? MCAPMessageBlock(offset: record.offset, end: record.end, startTime: 0, endTime: 0) : nil
            }
            if !isRun, try !take(record, opcode, &scanner) { return false }
        }
        if let run { try file.explore(run, of: source) }
        file.problems.add(scanner.problem)
        return true
    }

    /// Takes a record that is no part of a run; false for DataEnd.
    private mutating func take(
        _ record: MCAPRawRecord,
        _ opcode: MCAPOpcode?,
        _ scanner: inout MCAPRecordScanner
    ) throws -> Bool {
        guard record.isWhole || opcode == .chunk else { return true }
        switch opcode {
        case .chunk, .metadata, .attachment, .dataEnd: break
        case .header, .footer, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset:
            let found = MCAPOpcode.name(record.opcode)
            let place = scanner.place(record.offset)
            file.problems.add(MCAPProblem("data section", at: place, expected: "records of data", found: found))
            return true
        case .message, .schema, .channel, .messageIndex, nil: return true
        }
        do throws(any Error) {
            switch try scanner.parse(record) {
            case .chunk(let chunk): try file.explore(block(chunk, record), of: source)
            case .metadata(let metadata): file.metadata.append((scanner.place(record.offset), metadata))
            case .attachment(let attachment): try take(attachment, record, &scanner)
            case .dataEnd(let end):
                file.dataEnd = (scanner.place(record.offset), end)
                return false
            default: break
            }
        } catch let problem as MCAPProblem {
            file.problems.add(problem)
        }
        return true
    }

    private func block(_ chunk: MCAPChunk, _ record: MCAPRawRecord) -> MCAPMessageBlock {
        MCAPMessageBlock(offset: record.offset, end: record.end, chunk: chunk, startTime: 0, endTime: 0)
    }

    private mutating func take(
        _ attachment: MCAPAttachment,
        _ record: MCAPRawRecord,
        _ scanner: inout MCAPRecordScanner
    ) throws {
        let place = scanner.place(record.offset)
        var whole = attachment
        guard let crc = try scanner.attachmentCRC(attachment, record) else {
            file.problems.add(
                MCAPProblem(
                    "Attachment.data",
                    at: place,
                    expected: "a length of at most \(max(0, record.end - 4 - attachment.dataOffset))",
                    found: "\(attachment.dataByteCount)"
                )
            )
            return
        }
        whole.crc = crc
        file.attachments.append((place, whole))
    }
}

extension MCAPRecordScanner {
    /// The CRC after an attachment's data, or nil if the data do not fit in the record.
    mutating func attachmentCRC(_ attachment: MCAPAttachment, _ record: MCAPRawRecord) throws -> UInt32? {
        guard let size = Int(exactly: attachment.dataByteCount), record.isWhole,
            size <= record.end - attachment.dataOffset - 4
        else { return nil }
        return try withBytes(at: attachment.dataOffset + size, count: 4) { bytes in
            bytes.count == 4 ? UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self)) : nil
        }
    }
}
