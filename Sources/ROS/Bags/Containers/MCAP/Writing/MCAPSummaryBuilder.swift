import Platform

/// Collects the summary of the records written so far.
///
/// Records are encoded as they come, so that an ending is a concatenation.
struct MCAPSummaryBuilder {
    private var schemas: [UInt8] = []
    private var channels: [UInt8] = []
    private var chunkIndexes: [UInt8] = []
    private var attachmentIndexes: [UInt8] = []
    private var metadataIndexes: [UInt8] = []
    private var statistics = MCAPStatistics()
    /// The index is the channel's number minus one.
    private var countByChannel: [UInt64] = []

    /// Adds the schemas and channels that are now in the file.
    mutating func add(_ declared: [MCAPDeclarations.Encoded]) {
        for declaration in declared {
            if declaration.isChannel {
                channels += declaration.record
                statistics.channelCount += 1
                while countByChannel.count < Int(declaration.id) { countByChannel.append(0) }
            } else {
                schemas += declaration.record
                statistics.schemaCount += 1
            }
        }
    }

    mutating func add(_ index: MCAPChunkIndex, _ messageIndexes: [MCAPMessageIndex]) {
        chunkIndexes.append(index)
        let isFirst = statistics.messageCount == 0
        statistics.chunkCount += 1
        let start = isFirst ? index.messageStartTime : min(index.messageStartTime, statistics.messageStartTime)
        statistics.messageStartTime = start
        statistics.messageEndTime = max(index.messageEndTime, statistics.messageEndTime)
        for messages in messageIndexes {
            let count = UInt64(messages.entries.count)
            statistics.messageCount += count
            countByChannel[Int(messages.channelID) - 1] += count
        }
    }

    mutating func add(_ index: MCAPMetadataIndex) {
        metadataIndexes.append(index)
        statistics.metadataCount += 1
    }

    mutating func add(_ index: MCAPAttachmentIndex) {
        attachmentIndexes.append(index)
        statistics.attachmentCount += 1
    }

    /// The size of ``ending(after:dataSectionCRC:)``, with `channelCount` more channels.
    func endingByteCount(addingChannels channelCount: Int) -> Int {
        let groups = schemas.count + channels.count + chunkIndexes.count + attachmentIndexes.count
        let statisticsBytes = 59 + 10 * (Int(statistics.channelCount) + channelCount)
        let offsets = 6 * (MCAPFormat.recordHeaderBytes + 17)
        return MCAPFormat.dataEndBytes + groups + metadataIndexes.count + statisticsBytes + offsets
            + MCAPFormat.footerBytes + MCAPFormat.magic.count
    }

    /// Encodes everything from DataEnd to the closing magic, for a data section of so many bytes.
    func ending(after dataBytes: Int, dataSectionCRC: UInt32) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(endingByteCount(addingChannels: 0))
        bytes.append(MCAPDataEnd(dataSectionCRC: dataSectionCRC))
        let summaryStart = bytes.count
        var offsets: [MCAPSummaryOffset] = []
        for (opcode, group) in groups() where !group.isEmpty {
            let offset = MCAPSummaryOffset(
                groupOpcode: opcode.rawValue,
                groupStart: UInt64(dataBytes + bytes.count),
                groupLength: UInt64(group.count)
            )
            offsets.append(offset)
            bytes += group
        }
        let offsetStart = bytes.count
        for offset in offsets { bytes.append(offset) }
        appendFooter(to: &bytes, summaryStart, offsetStart, dataBytes)
        return bytes + MCAPFormat.magic
    }

    private func groups() -> [(MCAPOpcode, [UInt8])] {
        var counted = statistics
        counted.channelMessageCounts = countByChannel.enumerated().compactMap { slot, count in
            guard count > 0 else { return nil }
            return MCAPChannelNumber(channelID: UInt16(truncatingIfNeeded: slot + 1), value: count)
        }
        return [
            (.schema, schemas), (.channel, channels), (.statistics, counted.encoded()), (.chunkIndex, chunkIndexes),
            (.attachmentIndex, attachmentIndexes), (.metadataIndex, metadataIndexes),
        ]
    }

    /// The CRC covers the summary from its first byte to the footer's second offset.
    private func appendFooter(to bytes: inout [UInt8], _ summaryStart: Int, _ offsetStart: Int, _ dataBytes: Int) {
        let starts = (UInt64(dataBytes + summaryStart), UInt64(dataBytes + offsetStart))
        bytes.append(MCAPFooter(summaryStart: starts.0, summaryOffsetStart: starts.1))
        let checksumOffset = bytes.count - 4
        let checksum = bytes.withUnsafeBytes {
            CRC32.checksum(UnsafeRawBufferPointer(rebasing: $0[summaryStart..<checksumOffset]))
        }
        bytes.replaceInteger(at: checksumOffset, with: checksum)
    }
}
