import Bags
import JSONText
import Replay
import SystemPackage

/// What `inspect` says of a bag: all that `ros2 bag info` and `mcap info` say, and what to look at before using it.
struct BagInspectionReport {
    let path: String
    let summary: BagSummary

    var text: String {
        let topics = summary.topics
        let timed = summary.times == nil ? "" : Table(timing, topics.filter { $0.times != nil }).text
        var sections = [head, Table(amounts, topics).text, timed, headers, Table(offers, topics).text]
        if let frames = summary.frames { sections.append(FrameTreeText(frames).text) }
        sections.append(files.text)
        sections += summary.files.compactMap(contents)
        sections.append(Format.warnings(summary.warnings))
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var head: String {
        var facts = [
            ("bag", path),
            (
                "storage",
                "\(summary.storageIdentifier)" + (summary.schemaVersion > 0 ? ", schema \(summary.schemaVersion)" : "")
                    + (summary.metadataVersion > 0 ? ", metadata \(summary.metadataVersion)" : ", no metadata.yaml")
            ),
            ("distribution", summary.distribution), ("compression", compression),
            ("messages", "\(summary.messageCount), \(Format.bytes(summary.bytes))"),
            ("files", "\(summary.files.count), \(Format.bytes(summary.files.reduce(0) { $0 + $1.bytes }))"),
        ]
        if let times = summary.times {
            let seconds = Double(times.durationNanoseconds) / 1e9
            facts.append(("start", CalendarText.utc(nanoseconds: times.first, fraction: true)))
            facts.append(("end", CalendarText.utc(nanoseconds: times.last, fraction: true)))
            facts.append(("duration", Format.number(seconds, decimals: 3) + " s"))
        }
        for (key, value) in summary.customData.sorted(by: { $0.key < $1.key }) { facts.append((key, value)) }
        return Self.aligned(facts)
    }

    private var compression: String {
        var texts: [String] = []
        if !summary.compressionFormat.isEmpty {
            texts.append("\(summary.compressionFormat), \(summary.compressionMode) mode")
        }
        let chunks = Set(summary.files.flatMap { $0.container?.chunks.map(\.compression) ?? [] }).subtracting([""])
        if !chunks.isEmpty { texts.append("chunks with \(chunks.sorted().joined(separator: ", "))") }
        if let ratio = summary.compressionRatio { texts.append("\(Format.number(ratio, decimals: 2)) times smaller") }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }

    /// What the headers of the messages say.
    private var headers: String {
        var table = TextTable(
            header: [
                "topic", "frame_id", "row - stamp, least", "median", "most", "no stamp", "stamp back", "unreadable",
            ],
            leftColumns: [0, 1]
        )
        for topic in summary.topics {
            guard let headers = topic.headers, headers.count + headers.unreadableCount > 0 else { continue }
            let skew = headers.skewNanoseconds
            table.add([
                topic.topic.name,
                Self.shortened(headers.frameIDs, isCut: headers.hasMoreFrameIDs),
                skew.map { seconds($0.minimum) } ?? "-", skew.map { seconds($0.median) } ?? "-",
                skew.map { seconds($0.maximum) } ?? "-", "\(headers.unstampedCount)", "\(headers.backwardCount)",
                "\(headers.unreadableCount)",
            ])
        }
        return table.isEmpty ? "" : table.text
    }

    var files: Table<BagSummary.FileSummary> {
        Table(
            [
                .left("file", "name") { .string($0.path.lastComponent?.string ?? "") },
                .left("storage", "storage") { .string($0.storageIdentifier) },
                .right("messages", "messages") { .count($0.messageCount) },
                .right("size", "bytes") { .bytes($0.bytes) },
                .right("unpacked", "unpacked_bytes") { file in
                    let isPacked = file.unpackedBytes != file.bytes
                    return Cell(isPacked ? Format.bytes(file.unpackedBytes) : "-", .integer(file.unpackedBytes))
                },
                .right("start", "first_stamp_ns") { file in
                    let start = file.times?.first
                    let text = start.map { CalendarText.utc(nanoseconds: $0, fraction: true) }
                    return Cell(text ?? "-", .integer(start))
                },
                .json("last_stamp_ns") { .integer($0.times?.last) },
                .right("duration") { .seconds(nanoseconds: $0.times?.durationNanoseconds) },
                .json("mcap") { $0.container.map(Self.json) ?? .null },
            ],
            summary.files
        )
    }

    /// What an MCAP file has besides messages.
    private func contents(of file: BagSummary.FileSummary) -> String? {
        guard let container = file.container else { return nil }
        var facts = [
            ("file", file.path.lastComponent?.string ?? ""), ("profile", container.profile),
            ("library", container.library), ("schemas", "\(container.schemaCount)"),
            ("channels", "\(container.channelCount)"), ("indexed", container.isIndexed ? "yes" : "no"),
            ("attachments", "\(container.attachments.count)"),
        ]
        for chunks in container.chunks {
            let name = chunks.compression.isEmpty ? "none" : chunks.compression
            facts.append(
                (
                    "chunks",
                    "\(chunks.chunkCount) (\(name)): \(Format.bytes(chunks.uncompressedBytes))"
                        + (chunks.compression.isEmpty ? "" : " in \(Format.bytes(chunks.compressedBytes))")
                )
            )
        }
        for attachment in container.attachments {
            facts.append(
                ("attachment", "\(attachment.name), \(attachment.mediaType), \(Format.bytes(attachment.bytes))")
            )
        }
        for record in container.metadataRecords {
            for (key, value) in record.values.sorted(by: { $0.key < $1.key }) {
                let text = value.contains("\n") ? "(\(value.utf8.count) bytes)" : value
                facts.append(("metadata", "\(record.name): \(key)=\(text)"))
            }
        }
        return Self.aligned(facts)
    }

    /// The first names of a list that may be long.
    private static func shortened(_ names: [String], isCut: Bool) -> String {
        let shown = names.prefix(4).joined(separator: " ")
        guard names.count > 4 || isCut else { return shown }
        return "\(shown) and \(isCut ? "many" : "\(names.count - 4)") more"
    }

    private func seconds(_ nanoseconds: Int64) -> String {
        Format.number(Double(nanoseconds) / 1e9, decimals: 3) + " s"
    }

    private static func aligned(_ facts: [(String, String)]) -> String {
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        return facts.filter { !$0.1.isEmpty }
            .map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
            .joined(separator: "\n")
    }
}
