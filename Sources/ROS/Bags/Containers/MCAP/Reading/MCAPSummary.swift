/// The footer and the summary section of a file, if they are sound.
struct MCAPSummary {
    var footer: MCAPFooter?
    /// True if there is a summary without any fault.
    var isSound = false
    /// The latest possible end of the data section.
    var dataLimit = 0
    var schemas: [UInt16: MCAPSchema] = [:]
    var channels: [UInt16: MCAPChannel] = [:]
    var channelPlaces: [UInt16: MCAPPlace] = [:]
    var statistics: MCAPStatistics?
    var chunkIndexes: [MCAPChunkIndex] = []

    init() {}

    /// True if the statistics count the messages of each channel.
    var hasCounts: Bool {
        statistics.map { !$0.channelMessageCounts.isEmpty || $0.messageCount == 0 } ?? false
    }

    /// Reads the end of a file; a summary with any fault is ignored, since the data section has the same information.
    init(of source: any MCAPSource, problems: inout MCAPProblems) throws {
        dataLimit = source.size
        let start = MCAPFormat.magic.count
        let footerOffset = source.size - MCAPFormat.magic.count - MCAPFormat.footerBytes
        guard footerOffset >= start, try Self.hasEnd(source, footerOffset) else {
            let place = MCAPPlace(offset: source.size)
            problems.add(MCAPProblem("file", at: place, expected: "Footer and magic", found: "another end"))
            return
        }
        var scanner = MCAPRecordScanner(source, from: footerOffset, to: source.size)
        guard let record = try scanner.next(), case .footer(let footer) = try scanner.parse(record) else { return }
        self.footer = footer
        dataLimit = footerOffset
        // Both are 0 in a file without summary.
        guard footer.summaryStart != 0 else { return }
        do throws(any Error) {
            let range = try Self.range(footer, start, footerOffset)
            try Self.verify(footer, range, source)
            try readRecords(source, range)
            isSound = true
            dataLimit = range.lowerBound
        } catch let problem as MCAPProblem {
            problems.add(problem)
            (schemas, channels, chunkIndexes, statistics) = ([:], [:], [], nil)
        }
    }

    /// The summary between DataEnd and Footer, where Footer names another place, since bytes before it are gone; `nil` where
    /// there is none without a fault.
    static func moved(to range: Range<Int>, _ footer: MCAPFooter, _ source: any MCAPSource) throws -> MCAPSummary? {
        var summary = MCAPSummary()
        do throws(any Error) {
            try verify(footer, range, source)
            try summary.readRecords(source, range)
        } catch is MCAPProblem {
            return nil
        }
        return summary
    }

    private static func hasEnd(_ source: any MCAPSource, _ footerOffset: Int) throws -> Bool {
        let end = try source.read(at: footerOffset, count: MCAPFormat.footerBytes + MCAPFormat.magic.count)
        let head: [UInt8] = [MCAPOpcode.footer.rawValue, 20, 0, 0, 0, 0, 0, 0, 0]
        return end.starts(with: head) && end.suffix(MCAPFormat.magic.count).elementsEqual(MCAPFormat.magic)
    }

    private static func range(
        _ footer: MCAPFooter,
        _ start: Int,
        _ footerOffset: Int
    ) throws(MCAPProblem) -> Range<Int> {
        if let summary = Int(exactly: footer.summaryStart), summary >= start, summary <= footerOffset {
            return summary..<footerOffset
        }
        throw MCAPProblem(
            "Footer.summary_start",
            at: MCAPPlace(offset: footerOffset),
            expected: "\(start) to \(footerOffset)",
            found: "\(footer.summaryStart)"
        )
    }

    private static func verify(_ footer: MCAPFooter, _ range: Range<Int>, _ source: any MCAPSource) throws {
        guard footer.summaryCRC != 0 else { return }
        let covered = range.upperBound + MCAPFormat.footerBytes - 4
        let problem = MCAPProblem.checksum(
            "Footer.summary_crc",
            at: MCAPPlace(offset: range.upperBound),
            computed: try source.checksum(from: range.lowerBound, to: covered),
            stored: footer.summaryCRC
        )
        if let problem { throw problem }
    }

    private mutating func readRecords(_ source: any MCAPSource, _ range: Range<Int>) throws {
        var scanner = MCAPRecordScanner(source, from: range.lowerBound, to: range.upperBound)
        while let record = try scanner.next() {
            guard record.isWhole else { break }
            switch try scanner.parse(record) {
            case .schema(let schema): schemas[schema.id] = schemas[schema.id] ?? schema
            case .channel(let channel):
                if channels[channel.id] == nil { channelPlaces[channel.id] = scanner.place(record.offset) }
                channels[channel.id] = channels[channel.id] ?? channel
            case .statistics(let found): statistics = statistics ?? found
            case .chunkIndex(let index): chunkIndexes.append(index)
            case .attachmentIndex, .metadataIndex, .summaryOffset, .unknown: break
            default:
                let found = MCAPOpcode.name(record.opcode)
                let place = scanner.place(record.offset)
                throw MCAPProblem("summary section", at: place, expected: "records of a summary", found: found)
            }
        }
        if let problem = scanner.problem { throw problem }
        // Schema number 0 means that there is none.
        schemas[0] = nil
    }
}

/// Compares the chunk indexes of the summary with the chunks in the file.
struct MCAPIndexedChunk {
    let source: any MCAPSource

    /// True if the place of the message indexes holds whole records of which some are of another kind.
    ///
    /// A reader that goes from record to record reads these, too.
    func holdsOtherRecords(from start: Int, to end: Int) throws -> Bool {
        var scanner = MCAPRecordScanner(source, from: start, to: end)
        var isOther = false
        while let record = try scanner.next() {
            isOther = isOther || record.opcode != MCAPOpcode.messageIndex.rawValue
        }
        return isOther && scanner.problem == nil
    }

    /// Returns the chunk of an index, if it exists and matches the index.
    func verified(
        _ index: MCAPChunkIndex,
        from start: Int,
        to end: Int
    ) throws -> (block: MCAPMessageBlock, problem: MCAPProblem?)? {
        guard let offset = Int(exactly: index.chunkStartOffset), let length = Int(exactly: index.chunkLength),
            offset >= start, offset < end, length <= end - offset
        else { return nil }
        var scanner = MCAPRecordScanner(source, from: offset, to: offset + length)
        guard let stored = try scanner.next(), stored.opcode == MCAPOpcode.chunk.rawValue else { return nil }
        let bodyByteCount = offset + length - stored.bodyOffset
        // The length in the index counts if the chunk's own fields agree with it.
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
        var problem: MCAPProblem?
        if stored.claimedByteCount != record.claimedByteCount {
            let expected = "\(bodyByteCount), as its fields and the ChunkIndex say"
            let found = "\(stored.claimedByteCount)"
            problem = MCAPProblem("Chunk length", at: scanner.place(offset), expected: expected, found: found)
        }
        let channels = Set(index.messageIndexOffsets.map(\.channelID))
        let block = MCAPMessageBlock(
            offset: offset,
            end: record.end,
            chunk: chunk,
            startTime: chunk.messageStartTime,
            endTime: chunk.messageEndTime,
            channels: channels.isEmpty ? nil : channels
        )
        return (block, problem)
    }
}
