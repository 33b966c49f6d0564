/// The kinds of records that may follow damage.
enum MCAPExpectation {
    /// Records of a file, including those of an uncompressed chunk whose header is lost.
    case file
    /// Records of a file after compressed bytes, in which byte patterns of whole messages may occur.
    case outsideChunks
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

/// A Chunk record, with the length that agrees with the following records.
struct MCAPChunkExtent {
    var chunk: MCAPChunk
    var availableBytes: Int
    /// True if the content can be read as a chunk; if not, the scanner continues inside it.
    var isReadable = true
    var problem: MCAPProblem?
}

/// Recovery after damage: searches for the next records if a length does not lead to one.
///
/// An offset counts as the beginning of a record if its length fits, its fields parse, and the same holds for the
/// record after it. Every byte is scanned once, and the number of closer examinations is limited, so that no file takes
/// long.
extension MCAPRecordScanner {
    /// The next complete record, or nil at the end.
    ///
    /// - Parameter problems: Collects the problems of skipped parts and of the end.
    mutating func nextWhole(_ expectation: MCAPExpectation, _ problems: inout MCAPProblems) throws -> MCAPRawRecord? {
        while let record = try next() {
            guard let damage = try skipDamage(record, expectation) else { return record }
            // Damage that no record follows is reported as the problem of the end.
            if damage != problem { problems.add(damage) }
        }
        problems.add(problem)
        return nil
    }

    /// Moves past a record if it is truncated, a hole, or of a kind that is not allowed here.
    ///
    /// - Returns: The problem; nil for a complete record of an allowed kind.
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

    /// Parses the fields of a complete record, or returns the problem.
    ///
    /// If no record follows at its end either, moves to the next records. They may follow its fields: then it is its
    /// length that is wrong, which `lengthProblem` says.
    mutating func read(
        _ record: MCAPRawRecord,
        _ expectation: MCAPExpectation
    ) throws -> Result<MCAPRecord, MCAPProblem> {
        lengthProblem = nil
        do throws(any Error) {
            let (fields, byteCount) = try parseFields(record)
            lengthProblem = try correctLength(of: record, fieldBytes: byteCount, expectation)
            return .success(fields)
        } catch let problem as MCAPProblem {
            if try !isEndOrRecord(at: record.end, expectation) {
                try recover(from: record.offset + 1, expectation)
            }
            return .failure(problem)
        }
    }

    /// Moves behind the fields of a record if records follow there and none follows at the end that its length says.
    ///
    /// Bytes behind the last field are allowed, in records of a later version of the format.
    private mutating func correctLength(
        of record: MCAPRawRecord,
        fieldBytes: Int,
        _ expectation: MCAPExpectation
    ) throws -> MCAPProblem? {
        let end = record.bodyOffset + fieldBytes
        switch MCAPOpcode(rawValue: record.opcode) {
        case .header, .messageIndex, .metadata: break
        // Outside of chunks their lengths decide where a run of messages ends.
        case .schema, .channel: if expectation != .inChunk { return nil }
        default: return nil
        }
        guard fieldBytes < record.bodyByteCount, try !isEndOrRecord(at: record.end, expectation),
            try isRecord(at: end, expectation), try isEndOrRecord(behind: end, expectation)
        else { return nil }
        move(to: end)
        return MCAPProblem(
            "\(MCAPOpcode.name(record.opcode)) length",
            at: place(record.offset),
            expected: "\(fieldBytes), that of its fields",
            found: "\(record.claimedByteCount)"
        )
    }

    /// Moves to the first records at or after `start`; to the end if there are none.
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

    /// True if a record begins at an offset, or the records end there.
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
            // Bytes after the last field are allowed.
            return !length.overflow && length.partialValue <= claimed ? header + record.bodyByteCount : nil
        default:
            // Larger records are rare, and parsing every candidate would take long.
            if record.bodyByteCount <= Self.parsedBytes, (try? parse(record)) == nil { return nil }
            return header + record.bodyByteCount
        }
    }

    /// The next offset whose nine bytes may be a record's opcode and length.
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

    /// Reads a Chunk record; nil if its header cannot be read, after moving to the next records.
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

    /// Reads a Chunk record whose own length or content length may be wrong.
    ///
    /// Continues after the content if one of the two lengths leads to a record, otherwise inside the chunk: the records
    /// of an uncompressed chunk are then read as records of the file.
    ///
    /// - Throws: Errors of the source, and the problem of a header field that does not fit in the file.
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
