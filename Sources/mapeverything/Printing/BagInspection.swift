import Bags
import Platform
import SystemPackage
import Text
import Translation

extension Report {
    /// The report of `inspect` on a bag: a page of it, and in JSON and with `--verbose` all that `ros2 bag info` and `mcap info` tell,
    /// and more.
    init(_ summary: BagSummary, path: String) {
        let bag = BagInspection(path: path, summary: summary)
        json("kind", "bag")
        add(bag.facts)
        let headers = Column<BagSummary.TopicSummary>.json("headers") { $0.headers?.json }
        json("topics", Table(bag.amounts + bag.timing + bag.offers + [headers], summary.topics).json)
        if bag.isVerbose {
            say(Table(bag.amounts, summary.topics).text)
            if summary.times != nil { say(Table(bag.timing, summary.topics.filter { $0.times != nil }).text) }
            say(bag.headers().textOfRows)
            say(Table(bag.offers, summary.topics).text)
        } else {
            say(Table(bag.brief, summary.topics).text)
            say(bag.headers(\.isOdd).textOfRows)
        }
        say(summary.frames.flatMap { bag.isVerbose || $0.isOdd ? FrameTreeText($0).text : nil })
        json("frames", summary.frames?.json)
        if bag.isVerbose {
            say(bag.files.text)
            for file in summary.files {
                say(file.container.map { ([Fact("file", file.name)] + $0.facts).text })
            }
        }
        json("files", bag.files.json)
        warn(summary.warnings)
    }
}

struct BagInspection {
    let path: String
    let summary: BagSummary
    let isVerbose = GivenOptions.isVerbose

    /// What only `--verbose` prints.
    private func detail(_ text: String?) -> String { isVerbose ? text ?? "" : "" }

    /// The head of the text, and of the JSON.
    var facts: [Fact] {
        let times = summary.times
        let messages = summary.messageCount
        let storage = summary.storageIdentifier
        let schema = summary.schemaVersion > 0 ? ", schema \(summary.schemaVersion)" : ""
        let metadata = summary.metadataVersion > 0 ? ", metadata \(summary.metadataVersion)" : ", no metadata.yaml"
        let length = times.map { Format.number(Double($0.durationNanoseconds) / 1e9, decimals: 3) + " s" }
        let custom = summary.customData.sorted { $0.key < $1.key }
        return [
            Fact("bag", path),
            Fact("verdict", summary.verdict.sentence, "verdict", summary.verdict.word.rawValue),
            .json("looked_at", summary.verdict.examined),
            Fact("storage", storage + schema + metadata, "storage", storage),
            .json("schema_version", summary.schemaVersion), .json("metadata_version", summary.metadataVersion),
            Fact("distribution", detail(summary.distribution), "ros_distro", summary.distribution),
            Fact("compression", compression ?? detail("none"), "compression_format", summary.compressionFormat),
            .json("compression_mode", summary.compressionMode), .json("compression_ratio", summary.compressionRatio),
            Fact("messages", "\(messages), \(Format.bytes(summary.bytes))", "messages", messages),
            .json("bytes", summary.bytes),
            Fact("files", "\(summary.files.count), \(Format.bytes(summary.files.reduce(0) { $0 + $1.bytes }))"),
            Fact("start", Self.utc(times?.first), "first_stamp_ns", times?.first),
            Fact("end", detail(Self.utc(times?.last)), "last_stamp_ns", times?.last),
            Fact("duration", length ?? ""),
            Fact("made by", madeByArvos ? "a server of Arvos's SDK: mapeverything convert makes a bag of it" : ""),
            Fact("made of", isVerbose ? "" : origin),
            Fact("frames", isVerbose ? "" : summary.frames.flatMap { $0.isOdd ? nil : $0.text } ?? ""),
        ] + (isVerbose ? custom.map { Fact($0.key, $0.value) } : []) + [
            .json("custom_data", JSONValue.object(custom.map { ($0.key, .string($0.value)) }))
        ]
    }

    /// True if all messages are Arvos's own JSON and frames.
    private var madeByArvos: Bool {
        !summary.topics.isEmpty
            && summary.topics.allSatisfy { $0.topic.name.hasPrefix("/arvos/") && $0.topic.serializationFormat != "cdr" }
    }

    private static func utc(_ nanoseconds: Int64?) -> String {
        nanoseconds.map { CalendarText.utc(nanoseconds: $0, fraction: true) } ?? ""
    }

    /// The session that the bag was made of, as its provenance says.
    private var origin: String {
        func value(_ key: String) -> String? { summary.customData["mapeverything.\(key)"] }
        guard let session = value("session") else { return "" }
        return session + (value("profile").map { ", profile \($0)" } ?? "")
            + (value("version").map { " (mapeverything \($0))" } ?? "")
    }

    /// Nil for none.
    private var compression: String? {
        var texts: [String] = []
        if !summary.compressionFormat.isEmpty {
            texts.append("\(summary.compressionFormat), \(summary.compressionMode) mode")
        }
        let chunks = Set(summary.files.flatMap { $0.container?.chunks.map(\.compression) ?? [] }).subtracting([""])
        if !chunks.isEmpty { texts.append("chunks with \(chunks.sorted().joined(separator: ", "))") }
        if let ratio = summary.compressionRatio { texts.append("\(Format.number(ratio, decimals: 2)) times smaller") }
        return texts.isEmpty ? nil : texts.joined(separator: ", ")
    }

    /// The headers of the messages, by topic, of the topics that are wanted.
    func headers(
        _ isWanted: (BagSummary.Headers) -> Bool = { _ in true }
    ) -> Table<(name: String, headers: BagSummary.Headers)> {
        func seconds(_ nanoseconds: Int64?) -> Cell { .seconds(nanoseconds: nanoseconds) }
        return Table(
            [
                .left("topic") { .string($0.name) },
                .left("frame_id") { Cell(Self.shortened($0.headers.frameIDs, isCut: $0.headers.hasMoreFrameIDs)) },
                .right("row - stamp, least") { seconds($0.headers.skewNanoseconds?.minimum) },
                .right("median") { seconds($0.headers.skewNanoseconds?.median) },
                .right("most") { seconds($0.headers.skewNanoseconds?.maximum) },
                .right("no stamp") { .count($0.headers.unstampedCount) },
                .right("stamp back") { .count($0.headers.backwardCount) },
                .right("unreadable") { .count($0.headers.unreadableCount) },
            ],
            summary.topics.compactMap { topic in topic.headers.map { (topic.topic.name, $0) } }
                .filter { $0.1.count + $0.1.unreadableCount > 0 && isWanted($0.1) }
        )
    }

    var files: Table<BagSummary.FileSummary> {
        Table(
            [
                .left("file", "name") { .string($0.name) },
                .left("storage", "storage") { .string($0.storageIdentifier) },
                .right("messages", "messages") { .count($0.messageCount) },
                .right("size", "bytes") { .bytes($0.bytes) },
                .right("unpacked", "unpacked_bytes") { file in
                    let isPacked = file.unpackedBytes != file.bytes
                    return Cell(isPacked ? Format.bytes(file.unpackedBytes) : "-", .integer(file.unpackedBytes))
                },
                .right("start", "first_stamp_ns") { file in
                    let start = file.times?.first
                    return Cell(start == nil ? "-" : Self.utc(start), .integer(start))
                },
                .json("last_stamp_ns") { $0.times?.last },
                .right("duration") { .seconds(nanoseconds: $0.times?.durationNanoseconds) },
                .json("mcap") { $0.container.map { JSONValue.object($0.facts.members) } },
            ],
            summary.files
        )
    }

    /// The first names of a list that may be long.
    private static func shortened(_ names: [String], isCut: Bool) -> String {
        let shown = names.prefix(4).joined(separator: " ")
        guard names.count > 4 || isCut else { return shown }
        return "\(shown) and \(isCut ? "many" : "\(names.count - 4)") more"
    }
}

extension BagSummary.FileSummary {
    fileprivate var name: String { path.lastComponent?.string ?? "" }
}
