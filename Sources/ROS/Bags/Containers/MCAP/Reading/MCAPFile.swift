package import SystemPackage

/// The content of an MCAP file, without its messages.
///
/// Opening reads the summary and the records between the chunks; without a sound summary, the whole file. A damaged or
/// truncated file is opened as far as it is sound, and `problems` lists the rest.
package struct MCAPFile: Sendable {
    package private(set) var source: any MCAPSource
    package internal(set) var header: MCAPHeader?
    package internal(set) var footer: MCAPFooter?
    /// True if the file has a sound summary.
    package internal(set) var hasSummary = false
    /// The schemas by number.
    package internal(set) var schemas: [UInt16: MCAPSchema] = [:]
    package internal(set) var channelsByID: [UInt16: MCAPChannel] = [:]
    /// From the summary.
    package internal(set) var statistics: MCAPStatistics?
    /// From the summary, in its order.
    package internal(set) var chunkIndexes: [MCAPChunkIndex] = []
    /// In file order.
    package internal(set) var metadata: [(place: MCAPPlace, record: MCAPMetadata)] = []
    /// In file order.
    package internal(set) var attachments: [(place: MCAPPlace, record: MCAPAttachment)] = []
    package internal(set) var problems = MCAPProblems()
    /// The number of problems of the summary alone, which the data section replaces.
    var summaryProblemCount = 0
    /// The offset and the fields of DataEnd.
    package internal(set) var dataEnd: (place: MCAPPlace, record: MCAPDataEnd)?
    /// In file order.
    var blocks: [MCAPMessageBlock] = []
    /// The message counts of the blocks that the opening has read.
    var scanned = MCAPBlockCounts()
    /// True if the opening has read all messages.
    var isScanned = true
    var channelPlaces: [UInt16: MCAPPlace] = [:]
    /// The first message of each channel that was unknown at that point.
    var unknownPlaces: [UInt16: MCAPPlace] = [:]

    /// Opens a file on disk.
    ///
    /// - Throws: ``FileError``; ``MCAPProblem`` if it does not begin as an MCAP file does.
    package init(opening path: FilePath) throws {
        try self.init(MCAPFileSource(opening: path))
    }

    /// - Throws: Errors of the source; ``MCAPProblem`` if it does not begin as an MCAP file does.
    package init(_ source: any MCAPSource) throws {
        self.source = source
        let start = try source.read(at: 0, count: MCAPFormat.magic.count)
        guard MagicNumber.begins(start, with: MCAPFormat.magic) else {
            let found = start.isEmpty ? "an empty file" : "\(start.count) other bytes"
            throw MCAPProblem.magic(at: 0, found: found)
        }
        var indexer = MCAPFileIndexer(self, hasDamagedMagic: start != MCAPFormat.magic)
        self = try indexer.run()
    }

    /// The first problems of the data section, because of which messages may be missing.
    package var dataProblems: ArraySlice<MCAPProblem> { problems.list.dropFirst(summaryProblemCount) }

    /// True if the opening has counted the messages itself.
    package var isCounted: Bool { isScanned }

    /// The chunks in file order, without their records.
    package var chunks: [MCAPChunk] { blocks.compactMap(\.chunk) }

    /// The channels in the order of their numbers.
    package var channels: [MCAPChannel] { channelsByID.values.sorted { $0.id < $1.id } }

    /// The schema of a channel, if it has one and the file contains it.
    package func schema(of channel: MCAPChannel) -> MCAPSchema? { schemas[channel.schemaID] }

    /// The number of messages of each channel that has any: from Statistics, or counted if these lack it.
    package var messageCounts: [UInt16: UInt64]? {
        if isScanned { return scanned.countByChannel }
        guard let statistics else { return nil }
        let counts = statistics.channelMessageCounts
        if counts.isEmpty, statistics.messageCount > 0 { return nil }
        return Dictionary(counts.map { ($0.channelID, $0.value) }) { first, _ in first }.filter { $0.value > 0 }
    }

    /// The earliest and the latest log time in nanoseconds; nil without messages.
    package var timeRange: ClosedRange<UInt64>? {
        var (start, end) = (UInt64.max, UInt64.min)
        for block in blocks where block.startTime <= block.endTime {
            (start, end) = (min(start, block.startTime), max(end, block.endTime))
        }
        return start <= end ? start...end : nil
    }

    /// The number of chunks by compression ("", "lz4", "zstd" or another name).
    package var chunkCounts: [String: Int] {
        var counts: [String: Int] = [:]
        for block in blocks {
            if let chunk = block.chunk { counts[chunk.compression, default: 0] += 1 }
        }
        return counts
    }

    /// Checks the CRC of the data section, which reads the whole file.
    package func dataSectionProblem() throws -> MCAPProblem? {
        guard let dataEnd, dataEnd.record.dataSectionCRC != 0 else { return nil }
        return MCAPProblem.checksum(
            "DataEnd.data_section_crc",
            at: dataEnd.place,
            computed: try source.checksum(from: 0, to: dataEnd.place.offset),
            stored: dataEnd.record.dataSectionCRC
        )
    }

    /// Checks the CRC of an attachment, which reads all of it.
    package func problem(of attachment: MCAPAttachment, at place: MCAPPlace) throws -> MCAPProblem? {
        guard let size = Int(exactly: attachment.dataByteCount) else { return nil }
        let (end, overflow) = attachment.dataOffset.addingReportingOverflow(size)
        guard attachment.crc != 0, !overflow else { return nil }
        return MCAPProblem.checksum(
            "Attachment.crc",
            at: place,
            computed: try source.checksum(from: place.offset + MCAPFormat.recordHeaderBytes, to: end),
            stored: attachment.crc
        )
    }

    /// Reads the data of an attachment: at most `count` bytes from `offset` on.
    package func data(of attachment: MCAPAttachment, from offset: Int = 0, count: Int = .max) throws -> [UInt8] {
        let size = Int(clamping: attachment.dataByteCount)
        guard offset >= 0, offset < size else { return [] }
        let start = attachment.dataOffset.addingReportingOverflow(offset)
        guard !start.overflow else { return [] }
        return try source.read(at: start.partialValue, count: min(count, size - offset, source.size))
    }
}
