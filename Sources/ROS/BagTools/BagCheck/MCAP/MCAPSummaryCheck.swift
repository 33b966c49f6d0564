import Bags

/// Holds the summary of a file to its data section.
struct MCAPSummaryCheck {
    private struct Group {
        var opcode: UInt8
        var start: UInt64
        var end: UInt64
    }

    private let reporter: MCAPReporter
    private var groups: [Group] = []
    private(set) var chunkIndexes: [(place: MCAPPlace, index: MCAPChunkIndex)] = []
    private var offsets: [(place: MCAPPlace, record: MCAPSummaryOffset)] = []
    private(set) var statistics: (place: MCAPPlace, record: MCAPStatistics)?

    init(_ reporter: MCAPReporter) {
        self.reporter = reporter
    }

    var hasChunkIndexes: Bool { !chunkIndexes.isEmpty }
    var hasOffsets: Bool { !offsets.isEmpty }

    /// Takes a record between DataEnd and Footer.
    mutating func note(_ item: MCAPItem, _ directory: MCAPDirectoryCheck) {
        let start = UInt64(item.place.offset)
        let end = start &+ item.byteCount
        if let last = groups.last, last.opcode == item.opcode {
            groups[groups.count - 1].end = end
        } else {
            groups.append(Group(opcode: item.opcode, start: start, end: end))
        }
        switch item.record {
        case .chunkIndex(let index)?:
            if chunkIndexes.contains(where: { $0.index.chunkStartOffset == index.chunkStartOffset }) {
                let expected = "one ChunkIndex of the chunk at \(index.chunkStartOffset)"
                reporter.at(item.place).add(.error, .mcapChunkIndex, expected, "another")
            }
            chunkIndexes.append((item.place, index))
        case .summaryOffset(let offset)?: offsets.append((item.place, offset))
        case .statistics(let record)?:
            if statistics != nil {
                reporter.at(item.place).add(.error, .mcapStatistics, "one Statistics record", "another")
            }
            statistics = (item.place, record)
            for pair in record.channelMessageCounts where directory.summaryChannels[pair.channelID] == nil {
                let expected = "counts of channels in the summary before it"
                reporter.at(item.place).add(.warning, .mcapStatistics, expected, "one of channel \(pair.channelID)")
            }
        default: break
        }
    }

    /// Holds the groups to what Footer and SummaryOffset say of them.
    func check(_ footer: MCAPFooter, at place: MCAPPlace) {
        let summary = groups.filter { $0.opcode != MCAPOpcode.summaryOffset.rawValue }
        if Set(summary.map(\.opcode)).count != summary.count {
            reporter.at(place).add(.error, .mcapSummary, "the records of the summary grouped by kind", "a kind twice")
        }
        let offsetStart = groups.first { $0.opcode == MCAPOpcode.summaryOffset.rawValue }?.start ?? 0
        // A summary of nothing but offsets begins with them.
        let first = summary.first?.start ?? (footer.summaryStart == 0 ? 0 : offsetStart)
        if footer.summaryStart != first {
            reporter.at(place).add(.error, .mcapFooter, "summary_start \(first)", "\(footer.summaryStart)")
        }
        // A section without records may be said to begin where it ends.
        let isEmptySection = offsetStart == 0 && footer.summaryOffsetStart == UInt64(clamping: place.offset)
        if footer.summaryOffsetStart != offsetStart, !isEmptySection {
            reporter.at(place)
                .add(.error, .mcapFooter, "summary_offset_start \(offsetStart)", "\(footer.summaryOffsetStart)")
        }
        for (place, offset) in offsets {
            let group = summary.first { $0.opcode == offset.groupOpcode }
            let length = group.map { $0.end - $0.start } ?? 0
            // Python's writer names kinds of which there are none, with no bytes.
            if group == nil, offset.groupLength == 0 { continue }
            guard group?.start != offset.groupStart || length != offset.groupLength else { continue }
            let name = MCAPOpcode.name(offset.groupOpcode)
            let expected = group.map { "the group of \(name) at \($0.start), \(length) bytes" } ?? "a group of \(name)"
            let found = "one at \(offset.groupStart), \(offset.groupLength) bytes"
            reporter.at(place).add(.error, .mcapSummaryOffset, expected, found)
        }
    }

    /// Holds each ChunkIndex to its chunk.
    func check(_ chunks: MCAPChunkCheck, _ directory: MCAPDirectoryCheck) {
        for (place, index) in chunkIndexes {
            guard let offset = Int(exactly: index.chunkStartOffset), let fact = chunks.facts[offset] else {
                let expected = "a ChunkIndex that points to a chunk"
                reporter.at(place).add(.error, .mcapChunkIndex, expected, "one to \(index.chunkStartOffset)")
                continue
            }
            compare(index, fact, place)
            directory.checkRepeated(fact.channelIDs.sorted(), chunkAt: offset)
        }
        let missing = chunks.facts.count - Set(chunkIndexes.map(\.index.chunkStartOffset)).count
        if hasChunkIndexes, missing > 0 {
            reporter.at().add(.error, .mcapChunkIndex, "a ChunkIndex of each chunk", "\(missing) chunks without")
        }
    }

    private func compare(_ index: MCAPChunkIndex, _ fact: MCAPChunkCheck.Facts, _ place: MCAPPlace) {
        let chunk = fact.chunk
        func compare<Value: Equatable>(_ field: String, _ expected: Value, _ found: Value) {
            guard expected != found else { return }
            reporter.at(place).add(.error, .mcapChunkIndex, "\(field) \(expected), as in the chunk", "\(found)")
        }
        compare("message_start_time", chunk.messageStartTime, index.messageStartTime)
        compare("message_end_time", chunk.messageEndTime, index.messageEndTime)
        compare("compression", chunk.compression, index.compression)
        compare("compressed_size", chunk.recordsByteCount, index.compressedSize)
        compare("uncompressed_size", chunk.uncompressedSize, index.uncompressedSize)
        compare("chunk_length", fact.byteCount, index.chunkLength)
        guard !index.messageIndexOffsets.isEmpty else {
            if !fact.channelIDs.isEmpty {
                reporter.at(place).add(foreign: .note, .mcapNoIndex, "message indexes of the chunk", "none")
            }
            return
        }
        let claimed = Dictionary(index.messageIndexOffsets.map { ($0.channelID, $0.value) }) { first, _ in first }
        if claimed.count != index.messageIndexOffsets.count {
            reporter.at(place).add(.error, .mcapChunkIndex, "each channel of message_index_offsets once", "one twice")
        }
        if claimed != fact.indexOffsets {
            reporter.at(place).add(.error, .mcapChunkIndex, "message_index_offsets of the records", "others")
        }
        if Set(claimed.keys) != fact.channelIDs {
            let expected = fact.channelIDs.sorted().map { "\($0)" }.joined(separator: ", ")
            let found = claimed.keys.sorted().map { "\($0)" }.joined(separator: ", ")
            reporter.at(place).add(.error, .mcapChunkIndex, "message indexes of the channels \(expected)", found)
        }
    }
}
