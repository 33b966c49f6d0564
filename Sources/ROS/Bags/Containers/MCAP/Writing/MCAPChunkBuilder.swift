import Platform

/// Builds a chunk: reserved space for its header, followed by the records.
struct MCAPChunkBuilder {
    /// Opcode, length, two times, size, CRC, an empty string and a length: the header of a chunk without compression.
    static let headerBytes = MCAPFormat.recordHeaderBytes + 8 + 8 + 8 + 4 + 4 + 8

    /// The space for the header, and the uncompressed records.
    private(set) var bytes: [UInt8] = []
    /// The messages by channel; the index is the channel's number minus one.
    private var entriesByChannel: [[MCAPMessageIndexEntry]] = []
    private var isSortedByChannel: [Bool] = []
    /// The channels with messages, in the order of their first messages.
    private var usedChannels: [UInt16] = []
    private(set) var startTime = UInt64.max
    private(set) var endTime = UInt64.min
    private(set) var messageCount = 0

    private let expectedBytes: Int

    init(expectedBytes: Int) {
        self.expectedBytes = expectedBytes
        begin()
    }

    /// The size of the uncompressed records.
    var contentByteCount: Int { bytes.count - Self.headerBytes }

    /// The size of the chunk's message indexes.
    var indexByteCount: Int {
        usedChannels.count * (MCAPFormat.recordHeaderBytes + 6) + 16 * messageCount
    }

    var usedChannelCount: Int { usedChannels.count }

    mutating func append(record: [UInt8]) {
        bytes.append(contentsOf: record)
    }

    /// Appends a message, copying its data once.
    mutating func append(
        channel: UInt16,
        sequence: UInt32,
        logTime: UInt64,
        publishTime: UInt64,
        data: UnsafeRawBufferPointer
    ) {
        note(channel, MCAPMessageIndexEntry(logTime: logTime, offset: UInt64(contentByteCount)))
        let bodyBytes = MCAPFormat.messageHeaderBytes + data.count
        let headBytes = MCAPFormat.recordHeaderBytes + MCAPFormat.messageHeaderBytes
        withUnsafeTemporaryAllocation(byteCount: headBytes, alignment: 8) { head in
            head.storeBytes(of: MCAPOpcode.message.rawValue, toByteOffset: 0, as: UInt8.self)
            head.storeBytes(of: UInt64(bodyBytes).littleEndian, toByteOffset: 1, as: UInt64.self)
            head.storeBytes(of: channel.littleEndian, toByteOffset: 9, as: UInt16.self)
            head.storeBytes(of: sequence.littleEndian, toByteOffset: 11, as: UInt32.self)
            head.storeBytes(of: logTime.littleEndian, toByteOffset: 15, as: UInt64.self)
            head.storeBytes(of: publishTime.littleEndian, toByteOffset: 23, as: UInt64.self)
            bytes.append(contentsOf: head)
        }
        bytes.append(contentsOf: data)
    }

    private mutating func note(_ channel: UInt16, _ entry: MCAPMessageIndexEntry) {
        let slot = Int(channel) - 1
        while entriesByChannel.count <= slot {
            entriesByChannel.append([])
            isSortedByChannel.append(true)
        }
        if let last = entriesByChannel[slot].last {
            if entry.logTime < last.logTime { isSortedByChannel[slot] = false }
        } else {
            usedChannels.append(channel)
        }
        entriesByChannel[slot].append(entry)
        startTime = min(startTime, entry.logTime)
        endTime = max(endTime, entry.logTime)
        messageCount += 1
    }

    /// The message indexes by channel number, each ordered by log time.
    func indexes() -> [MCAPMessageIndex] {
        usedChannels.sorted().map { channel in
            let slot = Int(channel) - 1
            let entries = isSortedByChannel[slot] ? entriesByChannel[slot] : entriesByChannel[slot].sorted()
            return MCAPMessageIndex(channelID: channel, entries: entries)
        }
    }

    /// The checksum of the uncompressed records.
    func contentChecksum() -> UInt32 {
        bytes.withUnsafeBytes { CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[Self.headerBytes...])) }
    }

    /// The bytes that precede the records in the file: ``headerBytes`` where they are not compressed.
    func header(_ compression: MCAPCompression, _ checksum: UInt32, recordsByteCount: Int) -> [UInt8] {
        let chunk = MCAPChunk(
            messageStartTime: startTime,
            messageEndTime: endTime,
            uncompressedSize: UInt64(contentByteCount),
            uncompressedCRC: checksum,
            compression: compression.fieldText,
            recordsByteCount: UInt64(recordsByteCount)
        )
        return chunk.encoded(followedBy: recordsByteCount)
    }

    /// Calls `body` with the uncompressed records.
    func withContent<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try bytes.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[Self.headerBytes...])) }
    }

    /// Writes a header of ``headerBytes`` in place and swaps the whole record with `other`, the next buffer.
    mutating func finish(header: [UInt8], swappingWith other: inout [UInt8]) {
        bytes.replaceSubrange(..<Self.headerBytes, with: header)
        swap(&bytes, &other)
    }

    /// Resets the builder and keeps its memory.
    mutating func reset() {
        for channel in usedChannels { entriesByChannel[Int(channel) - 1].removeAll(keepingCapacity: true) }
        for channel in usedChannels { isSortedByChannel[Int(channel) - 1] = true }
        usedChannels.removeAll(keepingCapacity: true)
        (startTime, endTime, messageCount) = (.max, .min, 0)
        begin()
    }

    private mutating func begin() {
        bytes.removeAll(keepingCapacity: true)
        bytes.reserveCapacity(Self.headerBytes + expectedBytes)
        bytes.append(contentsOf: repeatElement(0, count: Self.headerBytes))
    }
}
