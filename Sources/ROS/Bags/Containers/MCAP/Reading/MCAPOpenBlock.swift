/// A block whose messages are being read.
final class MCAPOpenBlock {
    let block: MCAPMessageBlock
    private var content: MCAPChunkContent?
    private var scanner: MCAPRecordScanner?
    /// The wanted messages, ordered by log time, then by position.
    private var entries: [MCAPMessageIndexEntry] = []
    private var position = 0
    /// The number of messages by channel, wanted or not.
    private(set) var foundCounts: [UInt16: Int] = [:]

    init(_ block: MCAPMessageBlock, _ content: MCAPChunkContent) {
        self.block = block
        self.content = content
        scanner = content.scanner()
    }

    var nextEntry: MCAPMessageIndexEntry? { position < entries.count ? entries[position] : nil }

    var residentBytes: Int { content?.residentBytes ?? 0 }

    /// Finds the wanted messages.
    func collect(
        _ filter: MCAPMessageFilter,
        _ channels: [UInt16: MCAPChannel],
        _ problems: inout MCAPProblems
    ) throws {
        guard var scanner else { return }
        self.scanner = nil
        var unknown: Set<UInt16> = []
        var isSorted = true
        while let record = try scanner.nextWhole(block.expectation, &problems) {
            guard record.opcode == MCAPOpcode.message.rawValue, let message = try scanner.message(record) else {
                if block.isContent(record), case .failure(let problem) = try scanner.read(record, block.expectation) {
                    problems.add(problem)
                }
                continue
            }
            foundCounts[message.channelID, default: 0] += 1
            guard channels[message.channelID] != nil else {
                if unknown.insert(message.channelID).inserted { problems.add(Self.unknownChannel(message)) }
                continue
            }
            guard filter.includes(message) else { continue }
            let entry = MCAPMessageIndexEntry(logTime: message.logTime, offset: UInt64(record.offset))
            if let last = entries.last, entry < last { isSorted = false }
            entries.append(entry)
        }
        if !isSorted { entries.sort() }
        self.scanner = scanner
        noteTimes(&problems)
    }

    /// Notes messages earlier than their chunk's start time: they come out of order if later ones were already
    /// returned.
    private func noteTimes(_ problems: inout MCAPProblems) {
        guard let first = entries.first, first.logTime < block.startTime else { return }
        let place = MCAPPlace(offset: block.offset)
        let expected = "the earliest log time, \(first.logTime)"
        let what = "Chunk.message_start_time"
        problems.add(MCAPProblem(what, at: place, expected: expected, found: "\(block.startTime)"))
    }

    /// Compares its messages with the message indexes after it.
    ///
    /// - Returns: The number of missing messages of the wanted channels.
    func missingMessages(
        _ filter: MCAPMessageFilter,
        in source: any MCAPSource,
        _ problems: inout MCAPProblems
    ) throws -> Int {
        try block.shortfalls(foundCounts, in: source).reduce(0) { missing, shortfall in
            problems.add(shortfall.problem)
            return missing + (filter.channels?.contains(shortfall.channel) ?? true ? shortfall.count : 0)
        }
    }

    private static func unknownChannel(_ message: MCAPMessage) -> MCAPProblem {
        let found = "\(message.channelID)"
        return MCAPProblem("Message.channel_id", at: message.place, expected: "a Channel of the file", found: found)
    }

    func takeEntry() -> MCAPMessageIndexEntry {
        defer { position += 1 }
        return entries[position]
    }

    /// Reads a message's fields before its data; nil if the file has changed.
    func message(_ entry: MCAPMessageIndexEntry, from source: any MCAPSource) throws -> MCAPMessage? {
        try restore(from: source)
        scanner?.move(to: Int(entry.offset))
        guard let record = try scanner?.next(), record.opcode == MCAPOpcode.message.rawValue, record.isWhole else {
            return nil
        }
        return try scanner?.message(record)
    }

    func withData<Result>(
        of message: MCAPMessage,
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        let offset = message.place.innerOffset ?? message.place.offset
        let start = offset + MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes
        guard let result = try scanner?.withBytes(at: start, count: message.byteCount, body) else {
            return try body(UnsafeRawBufferPointer(start: nil, count: 0))
        }
        return result
    }

    /// Releases the content until one of its messages is needed.
    func release() {
        content = nil
        scanner = nil
    }

    private func restore(from source: any MCAPSource) throws {
        guard content == nil else { return }
        // Its problems were reported at the first loading.
        var ignored = MCAPProblems()
        let restored = try block.content(of: source, checksum: false, problems: &ignored)
        content = restored
        scanner = restored.scanner()
    }
}

/// The open blocks as a binary heap by their next messages.
struct MCAPOpenBlocks {
    private var heap: [MCAPOpenBlock] = []

    var first: MCAPOpenBlock? { heap.first }
    var nextTime: UInt64? { heap.first?.nextEntry?.logTime }

    mutating func insert(_ block: MCAPOpenBlock) {
        heap.append(block)
        var child = heap.count - 1
        while child > 0, precedes(heap[child], heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Restores the heap after a message was taken from the first block.
    mutating func restore() {
        guard let first = heap.first else { return }
        if first.nextEntry == nil {
            heap.swapAt(0, heap.count - 1)
            heap.removeLast()
        }
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && precedes(heap[child], heap[least]) {
                least = child
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    /// Releases the content of other blocks if all together hold too much.
    func limitMemory(keeping kept: MCAPOpenBlock) {
        guard heap.count > 1 else { return }
        var total = kept.residentBytes
        for block in heap where block !== kept {
            total += block.residentBytes
            if total > MCAPLimits.openChunkBytes {
                total -= block.residentBytes
                block.release()
            }
        }
    }

    private func precedes(_ left: MCAPOpenBlock, _ right: MCAPOpenBlock) -> Bool {
        guard let first = left.nextEntry else { return false }
        guard let second = right.nextEntry else { return true }
        return (first.logTime, left.block.offset, first.offset) < (second.logTime, right.block.offset, second.offset)
    }
}
