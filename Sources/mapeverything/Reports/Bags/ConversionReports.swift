import BagConversion
import Bags
import JSONText
import SystemPackage

/// What `convert --dry-run` says.
struct ConversionPlanReport {
    let plan: ConversionPlan

    private var routes: Table<ConversionPlan.Route> {
        Table(
            [
                .json("input") { .integer($0.input) }, .left("topic", "name") { .string($0.source.name) },
                .left("as", "output_name") { .string($0.output.name) },
                .left("type", "type") { .string($0.output.typeName) },
                .left("from", "serialization_format") { .string($0.source.serializationFormat) },
                .left("what", "treatment") { .string($0.treatmentText) }, .json("left_out") { .bool($0.isSkipped) },
            ],
            plan.selectedRoutes
        )
    }

    var text: String {
        let files = Table(
            [
                .left("input") { .string($0.path.string) }, .left("storage") { .string($0.metadata.storageIdentifier) },
                .right("files") { .count($0.files.count) },
            ],
            plan.readers
        )
        return [files.text, routes.text, Format.warnings(plan.unmatched), "nothing was written"]
            .filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    var json: JSONValue {
        [
            "inputs": .array(plan.readers.map { .string($0.path.string) }),
            "topics": routes.json,
            "warnings": .strings(plan.unmatched),
        ]
    }
}

/// What a conversion did: printed, written to --report, and the exit status.
struct ConversionOutcome {
    let report: ConversionReport
    /// What was asked for by name and is not in the inputs.
    let unmatched: [String]
    /// What an error names.
    let input: FilePath
    let output: String
    let acceptsDamage: Bool
    /// Whether topics of unknown types are left out knowingly.
    let skipsUnknown: Bool

    func finish(json: Bool, file: String?, strict: Bool) throws {
        try ReportFile.write(jsonValue, to: file)
        Terminal.print(json ? jsonValue.text(style: .pretty) : text)
        if report.wasInterrupted { throw ExitStatus.interrupted }
        // Nothing at all is no part that one could accept.
        if report.isIncomplete, !acceptsDamage || report.writtenCount == 0 {
            throw BagError.incomplete(input, differences: report.shortfalls)
        }
        if report.skippedCount > 0, !skipsUnknown, !acceptsDamage { throw ExitStatus.lossy }
        if strict, report.lostAnything || !unmatched.isEmpty { throw ExitStatus.lossy }
    }

    private var warnings: [String] { unmatched + report.warnings }

    private var text: String {
        var sections = [topics.text]
        if !losses.isEmpty { sections.append(losses.joined(separator: "\n")) }
        var line = "\(report.writtenCount) of \(report.inputCount) messages written to \(output)"
        if report.filteredCount > 0 { line += "; \(report.filteredCount) left out by what was chosen" }
        if report.repeatedCount > 0 { line += "; \(report.repeatedCount) copies left out" }
        if report.skippedCount > 0 { line += "; \(report.skippedCount) of unknown types" }
        if report.brokenCount > 0 { line += "; \(report.brokenCount) broken" }
        if report.missingCount > 0 { line += "; \(report.missingCount) missing" }
        if report.carriedLatched > 0 {
            line += "; \(report.carriedLatched) latched messages of before the start are carried to it"
        }
        if report.wasInterrupted { line += "\ninterrupted: what was written before is complete" }
        sections.append(line)
        if !warnings.isEmpty { sections.append(Format.warnings(warnings)) }
        return sections.joined(separator: "\n\n")
    }

    private var topics: Table<ConversionReport.Topic> {
        Table(
            [
                .left("topic", "name") { .string($0.name) }, .left("type", "type") { .string($0.typeName) },
                .left("what", "treatment") { .string($0.treatment) }, .right("read", "read") { .count($0.read) },
                .right("written", "written") { .count($0.written) }, .right("size", "bytes") { .bytes($0.bytes) },
                .right("broken", "broken") { .count($0.broken) },
            ],
            report.topics
        )
    }

    private var losses: [String] {
        var lines: [String] = []
        if report.brokenCount > 0 {
            lines.append("skipped: \(report.brokenCount) messages that are not what their topic says")
            lines += report.broken.map { "    \($0)" }
            if report.brokenCount > report.broken.count {
                lines.append("    and \(report.brokenCount - report.broken.count) more")
            }
        }
        lines += report.damage.map { "damaged: \($0)" }
        lines += Self.lines("left out, as .db3 has no place for it", report.unenclosed)
        lines += Self.lines("carried over", report.enclosed)
        for key in report.unknownKeys {
            lines.append("left out: \(key.count) x key \"\(key.path)\" of \(key.topic), which its type does not have")
        }
        for topic in report.skipped {
            let messages = topic.hasMessages ? "" : " (it has no messages)"
            lines.append("left out: \(topic.name), \(topic.typeName)\(messages): \(topic.reason)")
        }
        return lines
    }

    /// The names of attachments and metadata records, the first ten of each.
    private static func lines(_ what: String, _ enclosed: ConversionReport.Enclosed) -> [String] {
        [("attachments", enclosed.attachments), ("metadata records", enclosed.metadataRecords)]
            .filter { !$0.1.isEmpty }
            .map { kind, names in
                let rest = names.count > 10 ? ", ..." : ""
                return "\(what): \(names.count) \(kind): \(names.prefix(10).joined(separator: ", "))\(rest)"
            }
    }

    private static func json(_ enclosed: ConversionReport.Enclosed) -> JSONValue {
        [
            "attachments": .strings(enclosed.attachments),
            "metadata_records": .strings(enclosed.metadataRecords),
        ]
    }

    private var jsonValue: JSONValue {
        [
            "output": .string(output), "input_messages": .integer(report.inputCount),
            "filtered": .integer(report.filteredCount), "duplicates": .integer(report.repeatedCount),
            "missing": .integer(report.missingCount),
            "of_unknown_types": .integer(report.skippedCount),
            "damage": .strings(report.damage), "carried_over": Self.json(report.enclosed),
            "not_carried_over": Self.json(report.unenclosed), "read": .integer(report.readCount),
            "written": .integer(report.writtenCount), "broken": .integer(report.brokenCount),
            "carried_latched": .integer(report.carriedLatched), "interrupted": .bool(report.wasInterrupted),
            "first_stamp_ns": report.times.map { .integer($0.first) } ?? .null,
            "last_stamp_ns": report.times.map { .integer($0.last) } ?? .null,
            "topics": topics.json,
            "broken_messages": .array(
                report.broken.map {
                    [
                        "input": .string($0.input.string), "topic": .string($0.topic),
                        "stamp_ns": .integer($0.timeNanoseconds), "reason": .string($0.reason),
                    ]
                }
            ),
            "unknown_keys": .array(
                report.unknownKeys.map {
                    ["topic": .string($0.topic), "key": .string($0.path), "count": .integer($0.count)]
                }
            ),
            "left_out": .array(
                report.skipped.map {
                    [
                        "name": .string($0.name), "type": .string($0.typeName), "reason": .string($0.reason),
                        "has_messages": .bool($0.hasMessages), "messages": .integer($0.messageCount),
                    ]
                }
            ),
            "warnings": .strings(warnings),
        ]
    }
}
