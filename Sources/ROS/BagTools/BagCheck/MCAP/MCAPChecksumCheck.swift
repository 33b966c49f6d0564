import Bags

/// Checks the CRCs over whole sections of a file, and tells where there are none.
struct MCAPChecksumCheck {
    let dataEnd: (place: MCAPPlace, record: MCAPDataEnd)?
    let footer: (place: MCAPPlace, record: MCAPFooter)?
    let chunks: MCAPChunkCheck
    let reporter: MCAPReporter

    /// rosbag2's own writer leaves out the CRCs of chunks.
    func run(_ source: MCAPFileSource) throws {
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
