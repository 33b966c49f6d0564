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
