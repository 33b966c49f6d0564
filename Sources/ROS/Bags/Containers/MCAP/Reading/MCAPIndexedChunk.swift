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
