import Bags
import Messages

/// Counts what becomes of each batch.
struct ConversionTally {
    private let plan: ConversionPlan
    /// What is known so far; ``finished(warnings:)`` completes it.
    var report = ConversionReport()
    /// Index into `report.topics` by output name.
    private var indices: [String: Int] = [:]
    private var unknown = UnknownKeyTally()
    private var misfiledCount = 0
    private(set) var readCount = 0

    init(_ plan: ConversionPlan) {
        self.plan = plan
        for route in plan.selectedRoutes {
            if case .skip(let reason, let messageCount) = route.treatment {
                report.skipped.append(
                    SkippedTopic(route.source, reason: reason, messageCount: messageCount)
                )
            } else if indices[route.output.name] == nil {
                indices[route.output.name] = report.topics.count
                report.topics.append(
                    ConversionReport.Topic(
                        name: route.output.name,
                        typeName: route.output.typeName,
                        treatment: route.treatmentText
                    )
                )
            }
        }
    }

    mutating func note(_ batch: RowBatch, _ converted: ConvertedBatch) {
        readCount += batch.rows.count
        var broken = converted.broken[...]
        var unfit = converted.unfit[...]
        var written = converted.rows[...]
        for (place, item) in batch.rows.enumerated() {
            guard let route = plan.routes[item.input][item.row.topic], let index = indices[route.output.name] else {
                continue
            }
            report.topics[index].read += 1
            if batch.repeated.contains(place) {
                report.repeatedCount += 1
            } else if let first = broken.first, first.place == place {
                broken.removeFirst()
                report.topics[index].broken += 1
                list(item, route, reason: first.reason)
            } else if let row = written.popFirst() {
                report.topics[index].written += 1
                report.topics[index].bytes += row.bytes.count
                report.times.include(row.timeNanoseconds)
                if let first = unfit.first, first.place == place {
                    unfit.removeFirst()
                    if report.topics[index].unfit == 0 { report.topics[index].misfit = first.reason }
                    report.topics[index].unfit += 1
                }
            }
        }
        unknown.add(converted.unknownKeys)
        misfiledCount += converted.misfiledCount
    }

    /// Notes a latched message from before the start that cannot be converted.
    mutating func noteBroken(_ item: BagMerger.Row, reason: String) {
        guard let route = plan.routes[item.input][item.row.topic], let index = indices[route.output.name] else {
            return
        }
        report.topics[index].broken += 1
        list(item, route, reason: reason)
    }

    /// Notes what of the inputs could not be read; the first places of each.
    mutating func note(missing count: Int, _ problems: [BagError]) {
        report.missingCount += count
        report.damage += problems.prefix(10).map(\.description)
        if problems.count > 10 { report.damage.append("\(problems.count - 10) more places like these") }
    }

    private mutating func list(_ item: BagMerger.Row, _ route: ConversionPlan.Route, reason: String) {
        guard report.broken.count < ConversionReport.listedBroken else { return }
        report.broken.append(
            ConversionReport.BrokenMessage(
                input: plan.readers[item.input].path,
                topic: route.source.name,
                timeNanoseconds: item.row.timeNanoseconds,
                reason: reason
            )
        )
    }

    func finished(warnings: [String]) -> ConversionReport {
        var report = report
        close(&report)
        var told: Set<String> = []
        report.damage = report.damage.filter { told.insert($0).inserted }
        report.warnings = plan.readers.flatMap(\.warnings).filter { !told.contains($0) } + warnings
        if misfiledCount > 0 {
            report.warnings.append(
                "\(misfiledCount) messages name another topic than the one they are filed under; filed they stay"
            )
        }
        report.unknownKeys = unknown.keys
        report.warnings += report.topics.filter { $0.unfit > 0 }.map { topic in
            "\(topic.name): \(topic.unfit) of \(topic.read) messages do not read as the \(topic.typeName) that is known here, "
                + "and were copied as they are: \(topic.misfit)"
        }
        return report
    }

    /// Settles the numbers: what was in the inputs is what was read, left out, or missing.
    private func close(_ report: inout ConversionReport) {
        for reader in plan.readers {
            report.inputCount += max(reader.heldCount, reader.statedCount ?? 0)
            report.missingCount += reader.unreadableCount + max(0, (reader.statedCount ?? 0) - reader.heldCount)
            report.damage = reader.differences + reader.problems.map(\.description) + report.damage
        }
        guard !report.wasInterrupted else { return }
        let rest = report.inputCount - report.readCount - report.missingCount - report.skippedCount
        if plan.isUnfiltered {
            // Every message was asked for: whatever did not come is missing.
            report.missingCount += max(0, rest)
            if rest < 0 { report.inputCount -= rest }
        } else {
            report.filteredCount = max(0, rest)
        }
    }
}
