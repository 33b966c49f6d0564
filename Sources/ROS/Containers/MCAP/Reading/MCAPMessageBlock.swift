/// A part of the file that holds messages: a chunk, or a run of records outside of chunks.
struct MCAPMessageBlock: Sendable {
    /// Where the chunk's record or the run begins.
    var offset: Int
    /// Where it ends, or where the file does.
    var end: Int
    /// nil for a run.
    var chunk: MCAPChunk?
    var startTime: UInt64
    var endTime: UInt64
    /// The channels that it has messages of, if that is known.
    var channels: Set<UInt16>?

    /// The records that may follow damage in it.
    var expectation: MCAPExpectation { chunk == nil ? .file : .inChunk }

    /// Whether a record in it is a part of it; between those of a run there may be others.
    func isContent(_ record: MCAPRawRecord) -> Bool {
        chunk != nil || MCAPExpectation.inChunk.includes(record.opcode)
    }

    /// - Parameter problems: Takes what is wrong with the content.
    func content(
        of source: any MCAPSource,
        checksum: Bool,
        problems: inout MCAPProblems
    ) throws -> MCAPChunkContent {
        guard let chunk else { return MCAPChunkContent(source, from: offset, to: end) }
        return try MCAPChunkContent(
            chunk,
            at: offset,
            availableBytes: end - chunk.recordsOffset,
            in: source,
            checksum: checksum,
            problems: &problems
        )
    }
}

extension MCAPMessageBlock {
    /// How many messages of each channel the MessageIndex records after a chunk list; none without such records.
    func indexedCounts(in source: any MCAPSource) throws -> [UInt16: Int] {
        var counts: [UInt16: Int] = [:]
        var offset = end
        // The opcode and the length of the record, the channel, and the length of the entries, no more: what lies
        // behind them need not be read.
        let headBytes = MCAPFormat.recordHeaderBytes + 6
        while offset <= source.size - headBytes {
            let head = try source.read(at: offset, count: headBytes)
            guard head.count == headBytes, head[0] == MCAPOpcode.messageIndex.rawValue else { break }
            let (length, channel, bytes) = head.withUnsafeBytes { head in
                (
                    UInt64(littleEndian: head.loadUnaligned(fromByteOffset: 1, as: UInt64.self)),
                    UInt16(littleEndian: head.loadUnaligned(fromByteOffset: 9, as: UInt16.self)),
                    UInt32(littleEndian: head.loadUnaligned(fromByteOffset: 11, as: UInt32.self))
                )
            }
            // The entries have 16 bytes each; more than fit in the record are none, and no record ends behind the file.
            guard length >= 6, UInt64(bytes) <= length - 6,
                length <= UInt64(source.size - offset - MCAPFormat.recordHeaderBytes)
            else { break }
            counts[channel, default: 0] += Int(bytes) / 16
            offset += MCAPFormat.recordHeaderBytes + Int(length)
        }
        return counts
    }
}

extension MCAPMessageBlock {
    /// Of which channels a chunk has fewer messages than the message indexes after it say.
    ///
    /// - Parameter found: How many messages of each channel are in it.
    func shortfalls(
        _ found: [UInt16: Int],
        in source: any MCAPSource
    ) throws -> [(channel: UInt16, count: Int, problem: MCAPProblem)] {
        guard chunk != nil else { return [] }
        return try indexedCounts(in: source).sorted { $0.key < $1.key }.compactMap { channel, indexed in
            let found = found[channel] ?? 0
            guard found < indexed else { return nil }
            let problem = MCAPProblem(
                "Chunk.records",
                at: MCAPPlace(offset: offset),
                expected: "\(indexed) messages of channel \(channel), as its MessageIndex says",
                found: "\(found)"
            )
            return (channel, indexed - found, problem)
        }
    }
}

/// What a scan learns about a block.
struct MCAPBlockCounts {
    var startTime = UInt64.max
    var endTime = UInt64.min
    var countByChannel: [UInt16: UInt64] = [:]

    mutating func note(_ message: MCAPMessage) {
        startTime = min(startTime, message.logTime)
        endTime = max(endTime, message.logTime)
        countByChannel[message.channelID, default: 0] += 1
    }
}
