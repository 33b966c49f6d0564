import Platform

/// A part of the file that holds messages: a chunk, or a run of records outside of chunks.
struct MCAPMessageBlock: Sendable {
    /// The offset at which the chunk's record or the run begins.
    var offset: Int
    /// The offset at which it ends, or at which the file does.
    var end: Int
    /// nil for a run.
    var chunk: MCAPChunk?
    var startTime: UInt64
    var endTime: UInt64
    var channels: Set<UInt16>?

    /// The kinds of records that may follow damage in it.
    var expectation: MCAPExpectation { chunk == nil ? .file : .inChunk }

    /// True if a record belongs to it; a run may have other records in between.
    func isContent(_ record: MCAPRawRecord) -> Bool {
        chunk != nil || MCAPExpectation.inChunk.includes(record.opcode)
    }

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

    /// Counts the messages by channel that the MessageIndex records after a chunk list; empty without such records.
    func indexedCounts(in source: any MCAPSource) throws -> [UInt16: Int] {
        var counts: [UInt16: Int] = [:]
        var offset = end
        // Only opcode, record length, channel and the length of the entries: the entries need not be read.
        let headBytes = MCAPFormat.recordHeaderBytes + 6
        while offset <= source.size - headBytes {
            let head = try source.read(at: offset, count: headBytes)
            let (opcode, length, channel, bytes) = head.withUnsafeBytes { bytes in
                let reader = ByteReader(bytes)
                let channel: UInt16? = reader.integer(at: 9)
                return (reader.byte(at: 0), reader.uint64(at: 1), channel, reader.uint32(at: 11))
            }
            // Entries have 16 bytes each; those beyond the end of the record or of the file do not count.
            guard opcode == MCAPOpcode.messageIndex.rawValue, let length, let channel, let bytes, length >= 6,
                bytes <= length - 6,
                length <= UInt64(source.size - offset - MCAPFormat.recordHeaderBytes)
            else { break }
            counts[channel, default: 0] += bytes / 16
            offset += MCAPFormat.recordHeaderBytes + Int(length)
        }
        return counts
    }

    /// Finds the channels of which a chunk has fewer messages than the message indexes after it list.
    ///
    /// - Parameter found: The number of messages in it, by channel.
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

/// The result of scanning a block.
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
