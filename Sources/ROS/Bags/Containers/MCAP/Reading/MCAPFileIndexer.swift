/// Indexes a file: from its summary if that is sound, otherwise by scanning the records.
struct MCAPFileIndexer {
    private let source: any MCAPSource
    private let hasDamagedMagic: Bool
    private var summary = MCAPSummary()
    private var file: MCAPFile
    /// The chunks that were taken from the summary.
    private var unexplored: [MCAPMessageBlock] = []
    /// The current run of consecutive Message, Schema and Channel records outside of chunks.
    private var openRun: MCAPMessageBlock?
    /// The channels of the MessageIndexes that were met since the last chunk; nil before the first one.
    private var indexedChannels: Set<UInt16>?
    /// The remaining closer looks, shared by all scanned parts.
    private var closerLooks = MCAPRecordScanner.mostCloserLooks

    /// - Parameter file: A file with its source alone.
    init(_ file: MCAPFile, hasDamagedMagic: Bool) {
        (self.file, source, self.hasDamagedMagic) = (file, file.source, hasDamagedMagic)
    }

    mutating func run() throws -> MCAPFile {
        summary = try MCAPSummary(of: source, problems: &file.problems)
        file.summaryProblemCount = summary.footer == nil ? 0 : file.problems.count
        (file.footer, file.hasSummary) = (summary.footer, summary.isSound)
        (file.statistics, file.chunkIndexes) = (summary.statistics, summary.chunkIndexes)
        (file.schemas, file.channelsByID, file.channelPlaces) =
            (summary.schemas, summary.channels, summary.channelPlaces)
        let start = try readHeader()
        try goThrough(from: start, to: summary.dataLimit)
        if file.dataEnd == nil {
            let place = MCAPPlace(offset: summary.dataLimit)
            file.problems.add(MCAPProblem("data section", at: place, expected: "DataEnd", found: "the end"))
        }
        try takeMovedSummary()
        try findSchemas()
        file.checkReferences()
        return file
    }

    /// Returns the offset of the first record after the header.
    private mutating func readHeader() throws -> Int {
        let start = MCAPFormat.magic.count
        if hasDamagedMagic { file.problems.add(.magic(at: 0)) }
        var scanner = MCAPRecordScanner(source, from: start, to: summary.dataLimit)
        guard let record = try scanner.next() else { return start }
        guard record.opcode == MCAPOpcode.header.rawValue, record.isWhole else {
            let found = MCAPOpcode.name(record.opcode)
            let expected = record.isWhole ? "Header" : "a whole Header"
            file.problems.add(MCAPProblem("first record", at: scanner.place(start), expected: expected, found: found))
            return start
        }
        switch try scanner.read(record, .file) {
        case .success(.header(let header)): file.header = header
        case .success: break
        case .failure(let problem): file.problems.add(problem)
        }
        file.problems.add(scanner.lengthProblem)
        return scanner.position
    }

    /// Takes the chunks that the summary lists, and scans the records between them.
    private mutating func goThrough(from start: Int, to end: Int) throws {
        let chunks = MCAPIndexedChunk(source: source)
        var position = start
        let indexes = summary.chunkIndexes.sorted { $0.chunkStartOffset < $1.chunkStartOffset }
        for (number, index) in indexes.enumerated() {
            let place = MCAPPlace(offset: Int(clamping: index.chunkStartOffset))
            guard let (block, problem) = try chunks.verified(index, from: position, to: end) else {
                let expected = "the place of one more Chunk with these fields"
                let found = "none there"
                file.problems.add(
                    MCAPProblem("ChunkIndex.chunk_start_offset", at: place, expected: expected, found: found)
                )
                continue
            }
            file.problems.add(problem)
            if try !scan(from: position, to: block.offset) { return }
            try take(block)
            position = block.end
            // The message indexes after the chunk are skipped if they end before the next known record.
            let following = number + 1 < indexes.count ? Int(clamping: indexes[number + 1].chunkStartOffset) : end
            let skipped = block.end.addingReportingOverflow(Int(clamping: index.messageIndexLength))
            if !skipped.overflow, skipped.partialValue <= min(following, end),
                try !chunks.holdsOtherRecords(from: position, to: skipped.partialValue)
            {
                position = skipped.partialValue
            }
        }
        _ = try scan(from: position, to: end)
    }

    /// Takes a chunk from the summary, or reads it if the summary is incomplete.
    private mutating func take(_ block: MCAPMessageBlock) throws {
        indexedChannels = []
        if summary.hasCounts, let channels = block.channels, channels.allSatisfy({ file.channelsByID[$0] != nil }) {
            file.blocks.append(block)
            file.isScanned = false
            unexplored.append(block)
        } else {
            try file.explore(block, of: source)
        }
    }

    /// Takes what a summary says to which Footer does not lead: of what is gone it is the only trace.
    private mutating func takeMovedSummary() throws {
        guard !summary.isSound, let footer = summary.footer, footer.summaryStart != 0, let dataEnd = file.dataEnd else {
            return
        }
        var scanner = MCAPRecordScanner(source, from: dataEnd.place.offset, to: summary.dataLimit)
        guard let start = try scanner.next()?.end, start < summary.dataLimit,
            let moved = try MCAPSummary.moved(to: start..<summary.dataLimit, footer, source)
        else { return }
        file.statistics = moved.statistics
        file.schemas.merge(moved.schemas) { found, _ in found }
        file.channelsByID.merge(moved.channels) { found, _ in found }
        file.channelPlaces.merge(moved.channelPlaces) { found, _ in found }
    }

    /// A summary need not repeat schemas and channels; they are in the chunks then.
    private mutating func findSchemas() throws {
        for block in unexplored {
            let lacksSchema = file.channels.contains { $0.schemaID != 0 && file.schemas[$0.schemaID] == nil }
            guard lacksSchema else { return }
            try file.learn(block, of: source)
        }
    }

    /// Scans records of the data section; returns false after DataEnd.
    private mutating func scan(from start: Int, to end: Int) throws -> Bool {
        var scanner = MCAPRecordScanner(source, from: start, to: end)
        scanner.closerLooks = closerLooks
        defer { closerLooks = scanner.closerLooks }
        while let record = try scanner.next() {
            if record.opcode == MCAPOpcode.chunk.rawValue {
                try takeRun()
                try take(chunk: record, &scanner)
            } else if let damage = try scanner.skipDamage(record, .file) {
                try takeRun()
                if damage != scanner.problem { file.problems.add(damage) }
            } else if MCAPExpectation.inChunk.includes(record.opcode) {
                try takeIntoRun(record, &scanner)
            } else if try !take(record, &scanner) {
                return false
            }
        }
        try takeRun()
        file.problems.add(scanner.problem)
        return true
    }

    /// Adds the chunk at a record, as far as it is in the file.
    private mutating func take(chunk record: MCAPRawRecord, _ scanner: inout MCAPRecordScanner) throws {
        indexedChannels = []
        var found: [MCAPProblem] = []
        let chunk = try scanner.chunkExtent(record, problems: &found)
        let ending = scanner.problem
        file.problems.add(found.filter { $0 != ending })
        guard let extent = chunk, extent.isReadable else { return }
        let block = MCAPMessageBlock(
            offset: record.offset,
            end: extent.chunk.recordsOffset + extent.availableBytes,
            chunk: extent.chunk,
            startTime: 0,
            endTime: 0
        )
        try file.explore(block, of: source)
    }

    /// Adds a Message, Schema or Channel outside of chunks to the current run.
    private mutating func takeIntoRun(_ record: MCAPRawRecord, _ scanner: inout MCAPRecordScanner) throws {
        let isMessage = record.opcode == MCAPOpcode.message.rawValue
        if !isMessage || record.bodyByteCount < MCAPFormat.messageHeaderBytes,
            case .failure(let problem) = try scanner.read(record, .file), scanner.position != record.end
        {
            // If its length leads to a record, the record stays in the run, whose reader reports it.
            try takeRun()
            file.problems.add(problem)
        } else if let offset = openRun?.offset, record.end - offset <= MCAPLimits.wholeChunkBytes {
            openRun?.end = record.end
        } else {
            try takeRun()
            openRun = MCAPMessageBlock(offset: record.offset, end: record.end, startTime: 0, endTime: 0)
        }
    }

    /// Ends the current run.
    private mutating func takeRun() throws {
        guard let block = openRun else { return }
        openRun = nil
        try file.explore(block, of: source)
    }

    /// Handles a record that is neither a chunk nor part of a run; returns false for DataEnd.
    private mutating func take(_ record: MCAPRawRecord, _ scanner: inout MCAPRecordScanner) throws -> Bool {
        let place = scanner.place(record.offset)
        let fields = try scanner.read(record, .file)
        file.problems.add(scanner.lengthProblem)
        // Such records may lie inside a run, but damage may not.
        if scanner.position != record.end { try takeRun() }
        switch fields {
        case .success(.metadata(let metadata)): file.metadata.append((place, metadata))
        case .success(.attachment(let attachment)): try take(attachment, record, &scanner)
        case .success(.dataEnd(let end)):
            try takeRun()
            let (problem, goesOn) = try lookBehind(dataEnd: record, scanner)
            file.problems.add(problem)
            if goesOn { break }
            file.dataEnd = (place, end)
            return false
        case .success(.messageIndex(let index)): noteOrphan(index, at: place)
        case .success(.unknown): break
        case .success:
            let found = MCAPOpcode.name(record.opcode)
            file.problems.add(MCAPProblem("data section", at: place, expected: "records of data", found: found))
        case .failure(let problem): file.problems.add(problem)
        }
        return true
    }

    /// Notes a MessageIndex whose chunk is gone: a chunk has one of each channel behind it.
    private mutating func noteOrphan(_ index: MCAPMessageIndex, at place: MCAPPlace) {
        let isFirst = indexedChannels?.insert(index.channelID).inserted ?? false
        guard !isFirst, !index.entries.isEmpty else { return }
        let expected = "the chunk of \(index.entries.count) messages of channel \(index.channelID) before it"
        file.problems.add(MCAPProblem("MessageIndex", at: place, expected: expected, found: "none"))
    }

    /// Checks what follows a DataEnd.
    ///
    /// Returns a problem, and whether the data section goes on: in that case the DataEnd is damage in another record.
    private func lookBehind(
        dataEnd record: MCAPRawRecord,
        _ scanner: MCAPRecordScanner
    ) throws -> (problem: MCAPProblem?, goesOn: Bool) {
        let inside = MCAPProblem(
            "DataEnd",
            at: scanner.place(record.offset),
            expected: "the data section's end",
            found: "more records of it behind"
        )
        // The scanned part ends at an indexed chunk, at the summary or at the Footer.
        guard record.end < scanner.scanEnd else {
            return record.end < summary.dataLimit ? (inside, true) : (nil, false)
        }
        var ahead = MCAPRecordScanner(source, from: record.end, to: scanner.scanEnd)
        while let next = try ahead.next(), next.isWhole {
            switch MCAPOpcode(rawValue: next.opcode) {
            case .message, .chunk, .messageIndex, .attachment, .metadata: return (inside, true)
            case .footer:
                let place = scanner.place(next.offset)
                let found = "\(scanner.scanEnd - next.end) bytes behind it, such as those of another file"
                return (MCAPProblem("Footer", at: place, expected: "the end of the file", found: found), false)
            default: break
            }
        }
        // Chunks of the summary lie behind it, whatever else stands in between.
        return scanner.scanEnd < summary.dataLimit ? (inside, true) : (nil, false)
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
