extension MCAPRecordScanner {
    /// The record of a chunk whose length is damaged, with the length that its own fields give; nil for a sound one.
    ///
    /// A chunk says its length twice, and what lies behind it tells which is right: a record begins there. Goes on after
    /// the record that it gives.
    mutating func mended(_ record: MCAPRawRecord) throws -> (record: MCAPRawRecord, problem: MCAPProblem)? {
        guard record.opcode == MCAPOpcode.chunk.rawValue else { return nil }
        let after = (position, problem)
        let available = scanEnd - record.bodyOffset
        guard available > 0 else { return nil }
        let longest = MCAPRawRecord(
            opcode: record.opcode,
            offset: record.offset,
            bodyByteCount: available,
            claimedByteCount: UInt64(available)
        )
        guard case .chunk(let chunk)? = try? parse(longest), MCAPCompression(fieldText: chunk.compression) != nil,
            let byteCount = Int(exactly: chunk.recordsByteCount), byteCount <= scanEnd - chunk.recordsOffset
        else { return nil }
        let derivedEnd = chunk.recordsOffset + byteCount
        guard derivedEnd != record.end || !record.isWhole else { return nil }
        if record.isWhole, try isRecord(at: record.end) {
            restore(after)
            return nil
        }
        guard try isRecord(at: derivedEnd) else {
            restore(after)
            return nil
        }
        let length = derivedEnd - record.bodyOffset
        move(to: derivedEnd)
        return (
            MCAPRawRecord(
                opcode: record.opcode,
                offset: record.offset,
                bodyByteCount: length,
                claimedByteCount: UInt64(length)
            ),
            MCAPProblem(
                "Chunk length",
                at: place(record.offset),
                expected: "\(length), which its fields and what follows it give",
                found: "\(record.claimedByteCount)"
            )
        )
    }

    /// Whether a record of the data section may begin at an offset, or nothing more comes.
    private mutating func isRecord(at offset: Int) throws -> Bool {
        guard offset < scanEnd else { return offset == scanEnd }
        move(to: offset)
        guard let record = try next(), record.isWhole, let opcode = MCAPOpcode(rawValue: record.opcode) else {
            return false
        }
        switch opcode {
        case .schema, .channel, .message, .chunk, .messageIndex, .attachment, .metadata, .dataEnd: return true
        case .header, .footer, .chunkIndex, .attachmentIndex, .statistics, .metadataIndex, .summaryOffset: return false
        }
    }
}
