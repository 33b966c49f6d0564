/// The kinds of records that may follow damage.
enum MCAPExpectation {
    /// Records of a file, of which those of an uncompressed chunk may have lost the chunk around them.
    case file
    /// Records of a file behind compressed bytes, which may hold copies of whole messages.
    case outsideChunks
    /// Records of a chunk.
    case inChunk

    func includes(_ opcode: UInt8) -> Bool {
        guard let opcode = MCAPOpcode(rawValue: opcode) else { return false }
        let isContent = opcode == .schema || opcode == .channel || opcode == .message
        switch self {
        case .file: return true
        case .outsideChunks: return !isContent
        case .inChunk: return isContent
        }
    }
}

/// The record of a chunk as far as its two lengths agree with what follows.
struct MCAPChunkExtent {
    var chunk: MCAPChunk
    /// How much of `records` is there.
    var availableBytes: Int
    /// Whether the content can be read through the chunk; if not, the scanner goes on in it.
    var isReadable = true
    var problem: MCAPProblem?
}

/// Going on behind damage: the next records are looked for where the lengths lead nowhere.
///
/// A place counts as the beginning of a record if its length fits, its fields parse, and the same holds for the record
/// behind it. Every byte is looked at once, and the number of closer looks is limited, so that no file takes long.
extension MCAPRecordScanner {
    /// The next record that is there as a whole, or nil at the end.
    ///
    /// - Parameter problems: Takes what is wrong with what was passed over, and with the end.
    mutating func nextWhole(_ expectation: MCAPExpectation, _ problems: inout MCAPProblems) throws -> MCAPRawRecord? {
        while let record = try next() {
            guard let damage = try skipDamage(record, expectation) else { return record }
            // Damage that nothing follows is the problem of the end.
            if damage != problem { problems.add(damage) }
        }
        problems.add(problem)
        return nil
    }

    /// Goes on behind a record that is cut, a hole, or of a kind that may not stand here.
    ///
    /// - Returns: What is wrong with it; nil for a record that is whole and may stand here.
    mutating func skipDamage(_ record: MCAPRawRecord, _ expectation: MCAPExpectation) throws -> MCAPProblem? {
        let damage: MCAPProblem
        if !record.isWhole, let problem {
            damage = problem
        } else if record.opcode == 0 {
            damage = Self.hole(at: place(record.offset))
        } else if expectation == .inChunk, MCAPOpcode(rawValue: record.opcode) != nil,
            !expectation.includes(record.opcode)
        {
            let found = MCAPOpcode.name(record.opcode)
            let place = place(record.offset)
            damage = MCAPProblem("record", at: place, expected: "Schema, Channel or Message", found: found)
        } else {
            return nil
        }
        try recover(from: record.offset + 1, expectation)
        return damage
    }

    /// The fields of a whole record, or what is wrong with them.
    ///
    /// Where its end is not that of a record either, goes on at the next records.
    mutating func read(
        _ record: MCAPRawRecord,
        _ expectation: MCAPExpectation
    ) throws -> Result<MCAPRecord, MCAPProblem> {
        do throws(any Error) {
            return .success(try parse(record))
        } catch let problem as MCAPProblem {
            if try !isEndOrRecord(at: record.end, expectation) {
                try recover(from: record.offset + 1, expectation)
            }
            return .failure(problem)
        }
    }

    /// Moves to the first records at `start` or behind it; to the end where there are none.
    private mutating func recover(from start: Int, _ expectation: MCAPExpectation) throws {
        let found = problem
        var offset = max(0, start)
        while let candidate = try candidate(from: offset, expectation), takeCloserLook() {
            if try isRecord(at: candidate, expectation), try isEndOrRecord(behind: candidate, expectation) {
                return move(to: candidate)
            }
            offset = candidate + 1
        }
        move(to: scanEnd)
        stop(found)
    }

    /// Whether a record begins at an offset, or the records end there.
    private mutating func isEndOrRecord(at offset: Int, _ expectation: MCAPExpectation) throws -> Bool {
        try offset == scanEnd || isRecord(at: offset, expectation)
    }

    private mutating func isEndOrRecord(behind offset: Int, _ expectation: MCAPExpectation) throws -> Bool {
        guard let length = try plausibleLength(at: offset, expectation) else { return false }
        return try isEndOrRecord(at: offset + length, expectation)
    }

    private mutating func isRecord(at offset: Int, _ expectation: MCAPExpectation) throws -> Bool {
        try plausibleLength(at: offset, expectation) != nil
    }

    /// The size of the record at an offset with its header; nil if there cannot be one.
    private mutating func plausibleLength(at offset: Int, _ expectation: MCAPExpectation) throws -> Int? {
        let header = MCAPFormat.recordHeaderBytes
        guard offset >= 0, offset < scanEnd, let (opcode, claimed) = try head(at: offset), expectation.includes(opcode),
            claimed <= UInt64(max(0, scanEnd - offset - header))
        else { return nil }
        let record = MCAPRawRecord(
            opcode: opcode,
            offset: offset,
            bodyByteCount: Int(claimed),
            claimedByteCount: claimed
        )
        switch MCAPOpcode(rawValue: opcode) {
        case .message:
            return record.bodyByteCount >= MCAPFormat.messageHeaderBytes ? header + record.bodyByteCount : nil
        case .chunk:
            guard case .chunk(let chunk)? = try? parse(record) else { return nil }
            let length = UInt64(chunk.recordsOffset - record.bodyOffset).addingReportingOverflow(chunk.recordsByteCount)
            // Bytes behind the last field are allowed.
            return !length.overflow && length.partialValue <= claimed ? header + record.bodyByteCount : nil
        default:
            // Larger ones are rare, and parsing each place that may be one would take long.
            if record.bodyByteCount <= Self.parsedBytes, (try? parse(record)) == nil { return nil }
            return header + record.bodyByteCount
        }
    }

    /// The next place whose first nine bytes may be those of a record.
    private mutating func candidate(from start: Int, _ expectation: MCAPExpectation) throws -> Int? {
        var offset = start
        let header = MCAPFormat.recordHeaderBytes
        while offset <= scanEnd - header {
            let count = min(Self.parsedBytes, scanEnd - offset)
            let found: Int? = try withBytes(at: offset, count: count) { bytes in
                guard bytes.count >= header else { return bytes.count }
                // No record has 2^40 bytes: the upper bytes of its length are zero.
                return (0...bytes.count - header).first { index in
                    expectation.includes(bytes[index]) && bytes[index + 6] == 0 && bytes[index + 7] == 0
                        && bytes[index + 8] == 0
                }
            }
            if let found { return found < count ? offset + found : nil }
            offset += count - header + 1
        }
        return nil
    }

    private static var parsedBytes: Int { 1 << 16 }
}

extension MCAPRecordScanner {
    /// Reads the record of a chunk; nil if its header cannot be read: then goes on at the next records behind that.
    ///
    /// - Parameter problems: Takes what is wrong with the record.
    mutating func chunkExtent(
        _ record: MCAPRawRecord,
        problems: inout [MCAPProblem]
    ) throws -> MCAPChunkExtent? {
        if !record.isWhole, let problem { problems.append(problem) }
        do throws(any Error) {
            let extent = try chunkExtent(record)
            if problems.isEmpty, let problem = extent.problem { problems.append(problem) }
            return extent
        } catch let problem as MCAPProblem {
            problems.append(problem)
            try recover(from: record.offset + 1, .file)
            return nil
        }
    }

    /// Reads the record of a chunk, whose own length and that of its content can each be wrong.
    ///
    /// Goes on behind the content where one of the two lengths leads to a record, and else in the chunk: the records of
    /// an uncompressed one are met as if they had none around them.
    ///
    /// - Throws: Errors of the source, and the field of a chunk's header that does not fit in the file.
    private mutating func chunkExtent(_ record: MCAPRawRecord) throws -> MCAPChunkExtent {
        // The header is read whatever length the record claims.
        let whole = MCAPRawRecord(
            opcode: record.opcode,
            offset: record.offset,
            bodyByteCount: max(0, scanEnd - record.bodyOffset),
            claimedByteCount: record.claimedByteCount
        )
        guard case .chunk(let chunk) = try parse(whole) else {
            throw MCAPProblem("Chunk", at: place(record.offset), expected: "its fields", found: "others")
        }
        let prefix = chunk.recordsOffset - record.bodyOffset
        let implied = UInt64(prefix).addingReportingOverflow(chunk.recordsByteCount)
        let available = scanEnd - chunk.recordsOffset
        if !implied.overflow, implied.partialValue == record.claimedByteCount {
            return MCAPChunkExtent(chunk: chunk, availableBytes: max(0, record.end - chunk.recordsOffset))
        }
        let expected = implied.overflow ? "another" : "\(implied.partialValue), that of its fields"
        let found = "\(record.claimedByteCount)"
        let problem = MCAPProblem("Chunk length", at: place(record.offset), expected: expected, found: found)
        if let count = Int(exactly: chunk.recordsByteCount), count <= available,
            try isEndOrRecord(at: chunk.recordsOffset + count, .file)
        {
            move(to: chunk.recordsOffset + count)
            return MCAPChunkExtent(chunk: chunk, availableBytes: count, problem: problem)
        }
        if record.isWhole, record.end >= chunk.recordsOffset, try isEndOrRecord(at: record.end, .file) {
            move(to: record.end)
            return MCAPChunkExtent(chunk: chunk, availableBytes: record.end - chunk.recordsOffset)
        }
        let isCompressed = MCAPCompression(fieldText: chunk.compression) != MCAPCompression.none
        try recover(from: chunk.recordsOffset, isCompressed ? .outsideChunks : .file)
        return MCAPChunkExtent(
            chunk: chunk,
            availableBytes: isCompressed ? min(available, MCAPLimits.wholeChunkBytes) : 0,
            isReadable: isCompressed,
            problem: problem
        )
    }
}
