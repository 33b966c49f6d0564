import Bags

/// The count of what the rewriting of an .mcap file saved, and of what it could not take of the old file.
struct MCAPRewritingTally {
    private struct Chunk {
        var offset: Int
        var isDamaged: Bool
        var hasWrongChecksum: Bool
        var savedCount = 0
        /// The number of messages in the message indexes behind it.
        var indexedCount = 0
    }

    private(set) var messageCount = 0
    private(set) var messageBytes = 0
    /// Messages whose channel nothing in the file describes, or whose data are cut.
    var strayCount = 0
    /// Messages that the indexes of damaged chunks list and that are not there.
    private(set) var missingCount = 0
    /// The size of what was passed over in front of the summary.
    private(set) var lostBytes = 0
    /// Records in front of the summary that could not be read.
    private(set) var unreadCount = 0
    /// The parts that were kept although something says that they are wrong.
    var doubts: [String] = []
    /// The first of them.
    private(set) var problems: [MCAPProblem] = []
    /// True if something in front of the summary is damaged, or the file is cut there.
    private(set) var isDamaged = false
    private var hasDataEnd = false
    private var chunk: Chunk?
    /// Where a record outside of chunks begins that could not be read.
    private var damageStart: Int?

    private static let keptProblems = 20

    /// Takes an item of the walk, before its content is taken.
    mutating func note(_ item: MCAPItem, fileBytes: Int) {
        if !hasDataEnd, !item.problems.isEmpty { isDamaged = true }
        problems += item.problems.prefix(max(0, Self.keptProblems - problems.count))
        let isGone = item.record == nil && !hasDataEnd && !isIndexAlone(item)
        if isGone { unreadCount += 1 }
        guard item.place.innerOffset == nil else {
            if !item.problems.isEmpty { chunk?.isDamaged = true }
            return
        }
        let offset = item.place.offset
        if let start = damageStart { lostBytes += max(0, offset - start) }
        damageStart = isGone ? offset : nil
        switch item.record {
        case .messageIndex(let index)?: chunk?.indexedCount += index.entries.count
        case .chunk?:
            finishChunk(before: offset)
            chunk = Chunk(
                offset: offset,
                isDamaged: !item.problems.isEmpty,
                hasWrongChecksum: item.problems.contains { $0.what == "Chunk.uncompressed_crc" }
            )
        case .dataEnd?: hasDataEnd = true
        default: break
        }
        if case .chunk? = item.record { return }
        if case .messageIndex? = item.record { return }
        finishChunk(before: offset)
    }

    /// True if what cannot be read is the index of a chunk whose messages were all read: no message is lost with it.
    private func isIndexAlone(_ item: MCAPItem) -> Bool {
        guard let chunk, !chunk.isDamaged, MCAPOpcode(rawValue: item.opcode) == .messageIndex else { return false }
        // Head, channel, length, and a time and an offset of each message: more is no index of this chunk.
        return item.byteCount <= UInt64(9 + 2 + 4 + 16 * chunk.savedCount)
    }

    /// Takes a message that no bag can hold.
    mutating func noteUnusable(_ problem: MCAPProblem) {
        strayCount += 1
        if problems.count < Self.keptProblems { problems.append(problem) }
    }

    mutating func noteSaved(_ byteCount: Int) {
        messageCount += 1
        messageBytes += byteCount
        chunk?.savedCount += 1
    }

    mutating func finish(fileBytes: Int) {
        if let start = damageStart { lostBytes += max(0, fileBytes - start) }
        finishChunk(before: fileBytes)
        if !hasDataEnd { isDamaged = true }
    }

    private mutating func finishChunk(before end: Int) {
        guard let chunk else { return }
        self.chunk = nil
        guard chunk.isDamaged else { return }
        missingCount += max(0, chunk.indexedCount - chunk.savedCount)
        if chunk.savedCount == 0 {
            lostBytes += end - chunk.offset
        } else if chunk.hasWrongChecksum {
            doubts.append(
                "kept \(chunk.savedCount) messages of the chunk at offset \(chunk.offset), whose CRC-32 is wrong: "
                    + "at least one byte of them is"
            )
        }
    }
}
