import BagTools
import Bags
import Messages
import SystemPackage
import Text

extension Report {
    /// The report of `convert --dry-run`.
    init(_ plan: ConversionPlan) {
        let files: [Column<BagReader>] = [
            .left("input") { .string($0.path.string) }, .left("storage") { .string($0.metadata.storageIdentifier) },
            .right("files") { .count($0.files.count) },
        ]
        let routes: [Column<ConversionPlan.Route>] = [
            .json("input") { $0.input }, .left("topic", "name") { .string($0.source.name) },
            .left("as", "output_name") { .string($0.output.name) },
            .left("type", "type") { .string($0.output.typeName) },
            .left("from", "serialization_format") { .string($0.source.serializationFormat) },
            .left("what", "treatment") { .string($0.treatmentText) }, .json("left_out") { $0.isSkipped },
        ]
        say(Table(files, plan.readers).text)
        json("inputs", plan.readers.map(\.path.string))
        add(Table(routes, plan.selectedRoutes), "topics", showsHeader: true)
        warn(plan.unmatched)
        say("nothing was written")
        hasLosses = !plan.unmatched.isEmpty
    }

    /// The result of a conversion.
    ///
    /// - Parameters:
    ///   - plan: the plan, with the names that were asked for and are not in the inputs.
    ///   - skipsUnknown: true where topics of unknown types are left out knowingly.
    init(_ report: ConversionReport, _ plan: ConversionPlan, output: String, acceptsDamage: Bool, skipsUnknown: Bool) {
        json([
            "output": output, "input_messages": report.inputCount, "filtered": report.filteredCount,
            "duplicates": report.repeatedCount, "missing": report.missingCount, "of_unknown_types": report.skippedCount,
            "damage": report.damage, "carried_over": report.keptExtras.json,
            "not_carried_over": report.droppedExtras.json,
            "read": report.readCount, "written": report.writtenCount, "broken": report.brokenCount,
            "carried_latched": report.carriedLatched, "interrupted": report.wasInterrupted,
            "first_stamp_ns": report.times?.first, "last_stamp_ns": report.times?.last,
        ])
        let topics = Table(Self.topics, report.topics)
        say(topics.text)
        json("topics", topics.json)
        say(Self.losses(report))
        say(Self.summary(report, output))
        let broken = report.broken.map {
            JSONValue.of([
                "input": $0.input.string, "topic": $0.topic, "stamp_ns": $0.timeNanoseconds, "reason": $0.reason,
            ])
        }
        json("broken_messages", broken)
        let keys = report.unknownKeys.map { JSONValue.of(["topic": $0.topic, "key": $0.path, "count": $0.count]) }
        json("unknown_keys", keys)
        json("left_out", report.skipped.map(\.json))
        let isEmpty =
            report.writtenCount == 0 && report.skippedCount == 0 && !report.wasInterrupted && !report.isIncomplete
        warn(
            plan.unmatched + report.warnings
                + (isEmpty ? ["nothing was written: the input has no message of what was chosen"] : [])
        )
        hasLosses = report.lostAnything || !plan.unmatched.isEmpty
        if report.wasInterrupted {
            ending = ExitStatus.interrupted
        } else if report.isIncomplete, !acceptsDamage || report.writtenCount == 0 {
            // Nothing at all is no part that one could accept.
            ending = BagError.incomplete(plan.readers[0].path, differences: report.shortfalls)
        } else if isEmpty || report.skippedCount > 0 && !skipsUnknown && !acceptsDamage {
            ending = ExitStatus.lossy
        }
    }

    private static var topics: [Column<ConversionReport.Topic>] {
        [
            .left("topic", "name") { .string($0.name) }, .left("type", "type") { .string($0.typeName) },
            .left("what", "treatment") { .string($0.treatment) }, .right("read", "read") { .count($0.read) },
            .right("written", "written") { .count($0.written) }, .right("size", "bytes") { .bytes($0.bytes) },
            .right("broken", "broken") { .count($0.broken) }, .json("unfit") { $0.unfit },
        ]
    }

    private static func summary(_ report: ConversionReport, _ output: String) -> String {
        let carried = "latched messages of before the start are carried to it"
        let others = [
            (report.filteredCount, "left out by what was chosen"), (report.repeatedCount, "copies left out"),
            (report.skippedCount, "of unknown types"), (report.brokenCount, "broken"),
            (report.missingCount, "missing"), (report.carriedLatched, carried),
        ]
        return "\(report.writtenCount) of \(report.inputCount) messages written to \(output)"
            + others.filter { $0.0 > 0 }.map { "; \($0.0) \($0.1)" }.joined()
            + (report.wasInterrupted ? "\ninterrupted: what was written before is complete" : "")
    }

    private static func losses(_ report: ConversionReport) -> [String] {
        var lines: [String] = []
        if report.brokenCount > 0 {
            lines.append("skipped: \(report.brokenCount) messages that are not what their topic says")
            lines += report.broken.map { "    \($0)" }
            if report.brokenCount > report.broken.count {
                lines.append("    and \(report.brokenCount - report.broken.count) more")
            }
        }
        return lines + report.damage.map { "damaged: \($0)" }
            + report.droppedExtras.lines("left out, as .db3 has no place for it")
            + report.keptExtras.lines("carried over")
            + report.unknownKeys.map(\.text) + report.skipped.map(\.text)
    }
}

extension ConversionReport.Extras {
    fileprivate var json: JSONValue { .of(["attachments": attachments, "metadata_records": metadataRecords]) }

    /// The names of attachments and metadata records, the first ten of each.
    fileprivate func lines(_ what: String) -> [String] {
        [("attachments", attachments), ("metadata records", metadataRecords)].filter { !$0.1.isEmpty }
            .map { kind, names in
                let rest = names.count > 10 ? ", ..." : ""
                return "\(what): \(names.count) \(kind): \(names.prefix(10).joined(separator: ", "))\(rest)"
            }
    }
}

extension UnknownKey {
    var text: String { "left out: \(count) x key \"\(path)\" of \(topic), which its type does not have" }
}

extension SkippedTopic {
    var text: String { "left out: \(name), \(typeName)\(hasMessages ? "" : " (it has no messages)"): \(reason)" }

    var json: JSONValue {
        .of(["name": name, "type": typeName, "reason": reason, "has_messages": hasMessages, "messages": messageCount])
    }
}
