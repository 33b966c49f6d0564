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

/// The content of a file as its opening finds it.
extension MCAPFile {
    /// Counts the messages of a block, and adds its schemas and channels.
    mutating func explore(_ block: MCAPMessageBlock, of source: any MCAPSource) throws {
        let content = try block.content(of: source, checksum: false, problems: &problems)
        var scanner = content.scanner()
        var counts = MCAPBlockCounts()
        while let record = try scanner.nextWhole(block.expectation, &problems) {
            if record.opcode == MCAPOpcode.message.rawValue, let message = try scanner.message(record) {
                counts.note(message)
                if channelsByID[message.channelID] == nil, unknownPlaces[message.channelID] == nil {
                    unknownPlaces[message.channelID] = message.place
                }
            } else if block.isContent(record) {
                problems.add(try take(record, of: block, &scanner))
                problems.add(scanner.lengthProblem)
            }
        }
        let found = counts.countByChannel.mapValues { Int(clamping: $0) }
        for shortfall in try block.shortfalls(found, in: source) { problems.add(shortfall.problem) }
        var explored = block
        explored.channels = Set(counts.countByChannel.keys)
        (explored.startTime, explored.endTime) = (counts.startTime, counts.endTime)
        for (channel, count) in counts.countByChannel { scanned.countByChannel[channel, default: 0] += count }
        // A chunk without messages is counted, but never opened.
        blocks.append(explored)
    }

    /// Adds the schemas and channels of a block without looking at its messages.
    mutating func learn(_ block: MCAPMessageBlock, of source: any MCAPSource) throws {
        // Problems of the block are reported when its messages are read.
        var ignored = MCAPProblems()
        var scanner = try block.content(of: source, checksum: false, problems: &ignored).scanner()
        while let record = try scanner.nextWhole(block.expectation, &ignored) {
            guard record.opcode != MCAPOpcode.message.rawValue, block.isContent(record) else { continue }
            _ = try take(record, of: block, &scanner)
        }
    }

    /// Adds a schema or a channel; returns the problem of a record that cannot be read.
    private mutating func take(
        _ record: MCAPRawRecord,
        of block: MCAPMessageBlock,
        _ scanner: inout MCAPRecordScanner
    ) throws -> MCAPProblem? {
        switch try scanner.read(record, block.expectation) {
        case .success(.schema(let schema)): take(schema, scanner.place(record.offset))
        case .success(.channel(let channel)): take(channel, scanner.place(record.offset))
        case .success: break
        case .failure(let problem): return problem
        }
        return nil
    }

    private mutating func take(_ schema: MCAPSchema, _ place: MCAPPlace) {
        let known = schemas.updateValue(schemas[schema.id] ?? schema, forKey: schema.id)
        if schema.id == 0 {
            schemas[0] = nil
            problems.add(MCAPProblem("Schema.id", at: place, expected: "1 or more", found: "0"))
        } else if let known, known != schema {
            let expected = "the same Schema for the same id"
            problems.add(MCAPProblem("Schema.id", at: place, expected: expected, found: "another one for \(schema.id)"))
        }
    }

    private mutating func take(_ channel: MCAPChannel, _ place: MCAPPlace) {
        let known = channelsByID.updateValue(channelsByID[channel.id] ?? channel, forKey: channel.id)
        if known == nil { channelPlaces[channel.id] = place }
        if let known, known != channel {
            let expected = "the same Channel for the same id"
            let found = "another one for \(channel.id)"
            problems.add(MCAPProblem("Channel.id", at: place, expected: expected, found: found))
        }
    }

    /// Notes channels without a schema and messages without a channel.
    mutating func checkReferences() {
        for channel in channels
        where channel.schemaID != 0 && schemas[channel.schemaID] == nil {
            let found = "\(channel.schemaID) of channel \(channel.id)"
            let place = channelPlaces[channel.id] ?? MCAPPlace(offset: 0)
            problems.add(MCAPProblem("Channel.schema_id", at: place, expected: "a Schema of the file", found: found))
        }
        for id in scanned.countByChannel.keys.sorted() where channelsByID[id] == nil {
            let count = scanned.countByChannel.removeValue(forKey: id) ?? 0
            let found = "\(id), in \(count) messages"
            let place = unknownPlaces[id] ?? MCAPPlace(offset: 0)
            problems.add(MCAPProblem("Message.channel_id", at: place, expected: "a Channel of the file", found: found))
        }
    }
}
