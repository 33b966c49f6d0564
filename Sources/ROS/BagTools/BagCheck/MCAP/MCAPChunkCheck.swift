import Bags

/// The chunks of a file, each with the indexes that follow it.
struct MCAPChunkCheck {
    /// The facts that the summary is compared with later.
    struct Facts {
        var chunk: MCAPChunk
        /// The size of the whole record.
        var byteCount: UInt64
        var channelIDs: Set<UInt16> = []
        /// The offset of the MessageIndex of each channel.
        var indexOffsets: [UInt16: UInt64] = [:]
    }

    private let reporter: MCAPReporter
    private(set) var facts: [Int: Facts] = [:]
    private(set) var chunksWithoutCRC = 0
    /// The chunk that the walk is in or just behind.
    private var current: Int?
    private var isOpen = false
    private var firstTime = UInt64.max
    private var lastTime = UInt64.min
    /// The messages of the chunk at hand by channel, as its MessageIndex records should have them.
    private var entries: [UInt16: [MCAPMessageIndexEntry]] = [:]

    init(_ reporter: MCAPReporter) {
        self.reporter = reporter
    }

    mutating func begin(_ chunk: MCAPChunk, at place: MCAPPlace, byteCount: UInt64) {
        finish()
        current = place.offset
        isOpen = true
        (firstTime, lastTime) = (.max, .min)
        entries.removeAll(keepingCapacity: true)
        facts[place.offset] = Facts(chunk: chunk, byteCount: byteCount)
        if chunk.uncompressedCRC == 0 { chunksWithoutCRC += 1 }
    }

    mutating func note(_ message: MCAPMessage) {
        guard isOpen, let inner = message.place.innerOffset else { return }
        firstTime = min(firstTime, message.logTime)
        lastTime = max(lastTime, message.logTime)
        let entry = MCAPMessageIndexEntry(logTime: message.logTime, offset: UInt64(inner))
        entries[message.channelID, default: []].append(entry)
    }

    /// The record behind the chunk's content has been reached.
    mutating func finish() {
        guard isOpen, let current, var fact = facts[current] else { return }
        isOpen = false
        fact.channelIDs = Set(entries.keys)
        facts[current] = fact
        let chunk = fact.chunk
        let isEmpty = entries.isEmpty
        let times = isEmpty ? (0, 0) : (firstTime, lastTime)
        guard (chunk.messageStartTime, chunk.messageEndTime) != times else { return }
        let expected =
            isEmpty ? "no times of an empty chunk" : "times of \(firstTime) to \(lastTime), as the messages"
        let found = "\(chunk.messageStartTime) to \(chunk.messageEndTime)"
        reporter.at(MCAPPlace(offset: current)).add(.error, .mcapChunkTimes, expected, found)
    }

    mutating func note(_ index: MCAPMessageIndex, at place: MCAPPlace) {
        finish()
        guard let current else {
            reporter.at(place).add(.error, .mcapMessageIndex, "a Chunk before each MessageIndex", "none")
            return
        }
        facts[current]?.indexOffsets[index.channelID] = UInt64(place.offset)
        // The format asks for no order of the entries.
        if index.entries.sorted() != (entries[index.channelID] ?? []).sorted() {
            let count = entries[index.channelID]?.count ?? 0
            let expected = "the \(count) messages of channel \(index.channelID) in the chunk at \(current)"
            let found = "\(index.entries.count) entries, not all of them these"
            reporter.at(place).add(.error, .mcapMessageIndex, expected, found)
        }
    }
}

/// Checks the CRCs over whole sections of a file, and tells where there are none.
struct MCAPChecksumCheck {
    let dataEnd: (place: MCAPPlace, record: MCAPDataEnd)?
    let footer: (place: MCAPPlace, record: MCAPFooter)?
    let chunks: MCAPChunkCheck
    let reporter: MCAPReporter

    /// rosbag2's own writer leaves out the CRCs of chunks.
    func run(_ source: any MCAPSource) throws {
        if let dataEnd {
            if dataEnd.record.dataSectionCRC != 0 {
                let computed = try source.checksum(from: 0, to: dataEnd.place.offset)
                compare(computed, dataEnd.record.dataSectionCRC, .mcapDataCRC, "data_section_crc", dataEnd.place)
            }
        }
        if let footer, footer.record.summaryCRC != 0, let start = Int(exactly: footer.record.summaryStart), start > 0 {
            // Through the footer's two offsets.
            let end = footer.place.offset + MCAPFormat.recordHeaderBytes + 16
            let computed = try source.checksum(from: start, to: end)
            compare(computed, footer.record.summaryCRC, .mcapSummaryCRC, "summary_crc", footer.place)
        }
        let severity = reporter.context.findings.severity(foreign: .note)
        if chunks.chunksWithoutCRC > 0 {
            let found = "none in \(chunks.chunksWithoutCRC) of \(chunks.facts.count)"
            reporter.at().add(severity, .mcapNoCRC, "a CRC of each chunk", found)
        }
        if let footer, footer.record.summaryStart != 0, footer.record.summaryCRC == 0 {
            reporter.at(footer.place).add(severity, .mcapNoCRC, "a CRC of the summary", "none")
        }
    }

    private func compare(
        _ computed: UInt32,
        _ stored: UInt32,
        _ kind: BagFindingKind,
        _ field: String,
        _ place: MCAPPlace
    ) {
        guard computed != stored else { return }
        let expected = "\(field) 0x\(String(computed, radix: 16)), the CRC-32"
        reporter.at(place).add(.error, kind, expected, "0x\(String(stored, radix: 16))")
    }
}
