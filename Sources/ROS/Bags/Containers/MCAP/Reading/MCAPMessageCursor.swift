/// The selection of messages to read.
package struct MCAPMessageFilter: Hashable, Sendable {
    /// The wanted channels; nil for all.
    package var channels: Set<UInt16>?
    /// The earliest log time in nanoseconds.
    package var startTime: UInt64
    /// The latest log time in nanoseconds, included.
    package var endTime: UInt64

    package init(channels: Set<UInt16>? = nil, startTime: UInt64 = .min, endTime: UInt64 = .max) {
        self.channels = channels
        self.startTime = startTime
        self.endTime = endTime
    }

    func includes(_ message: MCAPMessage) -> Bool {
        message.logTime >= startTime && message.logTime <= endTime && channels?.contains(message.channelID) ?? true
    }

    /// True if a block may contain such messages.
    func mayInclude(_ block: MCAPMessageBlock) -> Bool {
        guard block.startTime <= endTime, block.endTime >= startTime else { return false }
        guard let channels, let inBlock = block.channels else { return true }
        return !channels.isDisjoint(with: inBlock)
    }
}

/// Reads the messages of a file in the order of log time; those with equal times in file order.
///
/// A chunk is loaded when its first message may be next, and released after its last one. So only overlapping chunks
/// are in memory, up to a limit; a chunk released because of the limit is loaded again.
package final class MCAPMessageCursor {
    private let file: MCAPFile
    private let filter: MCAPMessageFilter
    private let verifiesChecksums: Bool
    /// The blocks that are not open yet, the latest first.
    private var waiting: [MCAPMessageBlock]
    /// A binary heap of open blocks, the one with the next message first.
    private var open = MCAPOpenBlocks()
    private var current: (block: MCAPOpenBlock, message: MCAPMessage)?
    /// The problems in the chunks read so far, without those that the opening has found.
    package private(set) var problems: MCAPProblems
    /// The number of messages of wanted channels, at any time, that message indexes list and the chunks read so far
    /// lack.
    package private(set) var missingCount = 0

    init(_ file: MCAPFile, _ filter: MCAPMessageFilter, verifiesChecksums: Bool) {
        self.file = file
        self.filter = filter
        self.verifiesChecksums = verifiesChecksums
        problems = MCAPProblems(excluding: file.problems.list)
        waiting = file.blocks.filter(filter.mayInclude).sorted { left, right in
            (left.startTime, left.offset) > (right.startTime, right.offset)
        }
    }

    /// The next message without its data, or nil at the end.
    ///
    /// - Throws: Errors of the source. Damage is noted in `problems`, and its messages are left out.
    package func next() throws -> MCAPMessage? {
        current = nil
        while true {
            while let block = waiting.last, open.nextTime.map({ block.startTime <= $0 }) ?? true {
                waiting.removeLast()
                try openBlock(block)
            }
            guard let block = open.first else { return nil }
            let entry = block.takeEntry()
            open.restore()
            guard let message = try block.message(entry, from: file.source) else { continue }
            open.limitMemory(keeping: block)
            current = (block, message)
            return message
        }
    }

    /// Calls `body` with the data of the message that `next` returned last, without a copy if they are in memory.
    package func withData<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard let (block, message) = current else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return try block.withData(of: message, body)
    }

    private func openBlock(_ block: MCAPMessageBlock) throws {
        let content = try block.content(of: file.source, checksum: verifiesChecksums, problems: &problems)
        let opened = MCAPOpenBlock(block, content)
        try opened.collect(filter, file.channelsByID, &problems)
        missingCount += try opened.missingMessages(filter, in: file.source, &problems)
        if opened.nextEntry != nil { open.insert(opened) }
    }
}

extension MCAPFile {
    /// Reads messages in the order of log time.
    ///
    /// - Parameter verifiesChecksums: Checks the CRC of each chunk that is read.
    package func messages(
        _ filter: MCAPMessageFilter = MCAPMessageFilter(),
        verifiesChecksums: Bool = false
    ) -> MCAPMessageCursor {
        MCAPMessageCursor(self, filter, verifiesChecksums: verifiesChecksums)
    }
}
