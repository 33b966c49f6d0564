import Bags
import JSONText
import Replay
import SystemPackage

/// What `inspect` says of a bag.
struct BagInspectionReport {
    let path: String
    let summary: BagSummary

    var text: String {
        var sections = [head, table, files]
        if !summary.warnings.isEmpty {
            sections.append(summary.warnings.map { "warning: \($0)" }.joined(separator: "\n"))
        }
        return sections.joined(separator: "\n\n")
    }

    private var head: String {
        var facts = [
            ("bag", path),
            (
                "storage",
                "\(summary.storageIdentifier), schema \(summary.schemaVersion), metadata \(summary.metadataVersion)"
            ),
            ("distribution", summary.distribution),
            ("messages", "\(summary.messageCount), \(Format.bytes(summary.bytes))"),
        ]
        if let times = summary.times {
            let seconds = Double(times.last - times.first) / 1e9
            facts.append(("start", CalendarText.utc(nanoseconds: times.first, fraction: true)))
            facts.append(("duration", Format.number(seconds, decimals: 3) + " s"))
        }
        for (key, value) in summary.customData.sorted(by: { $0.key < $1.key }) { facts.append((key, value)) }
        let width = (facts.map(\.0.count).max() ?? 0) + 2
        return facts.filter { !$0.1.isEmpty }
            .map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
            .joined(separator: "\n")
    }

    private var table: String {
        var table = TextTable(
            header: ["topic", "type", "format", "count", "Hz", "size", "Mbit/s", "largest gap"],
            leftColumns: [0, 1, 2]
        )
        for topic in summary.topics {
            table.add([
                topic.topic.name, topic.topic.typeName, topic.topic.serializationFormat, "\(topic.messageCount)",
                Format.hertz(topic.rate), Format.bytes(topic.bytes),
                megabits(topic).map { Format.number($0, decimals: 2) } ?? "-",
                topic.largestGapNanoseconds.map { Format.number(Double($0) / 1e9, decimals: 3) + " s" } ?? "-",
            ])
        }
        return table.text
    }

    private var files: String {
        var table = TextTable(header: ["file", "messages", "size"], leftColumns: [0])
        for file in summary.files {
            table.add([file.path.lastComponent?.string ?? "", "\(file.messageCount)", Format.bytes(file.bytes)])
        }
        return table.text
    }

    private func megabits(_ topic: BagSummary.TopicSummary) -> Double? {
        topic.rate.map { $0 * Double(topic.bytes) / Double(max(1, topic.messageCount)) * 8 / 1e6 }
    }

    var json: JSONValue {
        [
            "kind": .string("bag"), "storage": .string(summary.storageIdentifier),
            "schema_version": .integer(Int64(summary.schemaVersion)),
            "metadata_version": .integer(Int64(summary.metadataVersion)),
            "ros_distro": .string(summary.distribution), "messages": .integer(Int64(summary.messageCount)),
            "bytes": .integer(Int64(summary.bytes)),
            "first_stamp_ns": summary.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": summary.times.map { .integer($0.last) } ?? .null,
            "custom_data": .object(
                JSONObject(
                    summary.customData.sorted { $0.key < $1.key }
                        .map { JSONObject.Member(key: $0.key, value: .string($0.value)) }
                )
            ),
            "topics": .array(summary.topics.map(topic)),
            "files": .array(
                summary.files.map {
                    [
                        "name": .string($0.path.lastComponent?.string ?? ""),
                        "messages": .integer(Int64($0.messageCount)), "bytes": .integer(Int64($0.bytes)),
                    ]
                }
            ),
            "warnings": .array(summary.warnings.map { .string($0) }),
        ]
    }

    private func topic(_ topic: BagSummary.TopicSummary) -> JSONValue {
        [
            "name": .string(topic.topic.name), "type": .string(topic.topic.typeName),
            "serialization_format": .string(topic.topic.serializationFormat),
            "count": .integer(Int64(topic.messageCount)), "rate_hz": topic.rate.map { .number($0) } ?? .null,
            "bytes": .integer(Int64(topic.bytes)),
            "largest_gap_s": topic.largestGapNanoseconds.map { .number(Double($0) / 1e9) } ?? .null,
        ]
    }
}
