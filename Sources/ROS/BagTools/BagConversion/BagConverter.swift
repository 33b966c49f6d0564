import Bags
import Messages
package import Platform
package import SystemPackage

/// Writes what a plan takes from its inputs into a new bag.
///
/// A batch is converted while the one behind it is read and the one before it is written, so at most three batches of about
/// a mebibyte (or one message each) are in memory, whatever the size of the bags. A message that cannot be converted is counted and
/// named; the others go on.
package struct BagConverter {
    private let plan: ConversionPlan
    private let output: FilePath
    private let sink: BagSink
    private let restamp: HeaderRestamper

    /// - Parameter output: the directory to be; it must be none of the inputs.
    package init(_ plan: ConversionPlan, output: FilePath) {
        (self.plan, self.output) = (plan, output)
        let restamp = HeaderRestamper(plan)
        self.restamp = restamp
        sink = BagSink(output, options: plan.options.bag) { restamp($0, $1, $2) }
    }

    /// Converts; a cancelled task ends it early, with a bag that is valid and holds what was written until then.
    ///
    /// - Parameter progress: is told after each batch how many messages were read.
    package func run(progress: ProgressHandler = { _ in }) async throws -> ConversionReport {
        // What is replaced is removed before the first message is read.
        let places = plan.readers.map { Place($0.path.string) }
        guard !places.contains(where: { $0.holds(output) || $0.isInside(output) }) else {
            throw BagError.cannotCreate(output, reason: "the bag that is to be converted")
        }
        try await sink.open()
        var outputIndices: [String: Int] = [:]
        for topic in plan.outputTopics { outputIndices[topic.name] = try await sink.add(topic) }
        var tally = ConversionTally(plan)
        do {
            try await copy(BatchConverter(plan, outputIndices: outputIndices), &tally, progress)
            try await copyExtras(&tally)
            try SystemFault.check()
        } catch {
            // After an interruption what was written until here is a sound bag.
            if !(error is CancellationError) { await sink.giveUp() }
            _ = try? await sink.finish()
            throw error
        }
        let warnings = try await sink.finish().warnings
        return tally.finished(warnings: warnings)
    }

    private func copy(
        _ converter: BatchConverter,
        _ tally: inout ConversionTally,
        _ progress: ProgressHandler
    ) async throws {
        let (start, end) = try plan.span()
        guard start <= end else { return }
        let carried = try LatchedBeforeStart(plan, before: start)
        var rows = try BagMerger(plan.readers) { plan.query($0, start, end) }
        let total = plan.messageCount
        var copies = RepeatedRows<String>()
        var batch = marked(try rows.nextBatch(), &copies)
        tally.note(missing: 0, carried.problems)
        if let time = batch.rows.first?.row.timeNanoseconds {
            try await write(carried, at: time, converter, &tally)
        }
        func note(_ last: (batch: RowBatch, converted: ConvertedBatch)) {
            tally.note(last.batch, last.converted)
            progress(WorkProgress("converting", tally.readCount, of: total, .messages))
        }
        var ready: (batch: RowBatch, converted: ConvertedBatch)?
        while !batch.rows.isEmpty {
            let current = batch
            let last = ready
            async let converting = converter.convert(current)
            async let writing: Void = sink.write(contentsOf: last?.converted.rows ?? [])
            batch = marked(try rows.nextBatch(), &copies)
            try await writing
            if let last { note(last) }
            ready = (current, await converting)
            if Task.isCancelled {
                tally.report.wasInterrupted = true
                break
            }
        }
        if let ready {
            try await sink.write(contentsOf: ready.converted.rows)
            note(ready)
        }
        for (problems, missing) in zip(rows.problems, rows.missingCounts) { tally.note(missing: missing, problems) }
    }

    /// The batch with the places of copies, where they are to be left out.
    private func marked(_ batch: RowBatch, _ copies: inout RepeatedRows<String>) -> RowBatch {
        guard plan.options.dropsDuplicates else { return batch }
        var batch = batch
        for (place, item) in batch.rows.enumerated() {
            guard let route = plan.routes[item.input][item.row.topic] else { continue }
            let isRepeated = item.row.bytes.withUnsafeBytes { bytes in
                copies.isRepeated(topic: route.output.name, timeNanoseconds: item.row.timeNanoseconds, bytes: bytes) {
                    route.isLatched ? nil : try? RowDecoder(route.source).decode(item.row.bytes).headerStampNanoseconds
                }
            }
            if isRepeated { batch.repeated.insert(place) }
        }
        return batch
    }

    /// Carries attachments and metadata records to .mcap; for .db3 they are counted.
    private func copyExtras(_ tally: inout ConversionTally) async throws {
        let hasPlace = plan.options.bag.storage == .mcap
        var seen: [MCAPContents.MetadataRecord: Int] = [:]
        for file in plan.readers.flatMap(\.storageFiles) {
            // rosbag2's own records are written anew. What several files repeat counts as often as in the file that has most.
            var ofFile: [MCAPContents.MetadataRecord: Int] = [:]
            let records = (file.container?.metadataRecords ?? [])
                .filter { record in
                    ofFile[record, default: 0] += 1
                    return !["rosbag2", "mapeverything"].contains(record.name)
                        && ofFile[record] ?? 0 > seen[record] ?? 0
                }
            seen.merge(ofFile) { max($0, $1) }
            for record in records where hasPlace { try await sink.writeExtra(.metadata(record)) }
            let names = (file.container?.attachments ?? []).map(\.name)
            guard hasPlace else {
                tally.report.droppedExtras.metadataRecords += records.map(\.name)
                tally.report.droppedExtras.attachments += names
                continue
            }
            tally.report.keptExtras.metadataRecords += records.map(\.name)
            try await copyAttachments(of: file, &tally)
        }
    }

    private func copyAttachments(of file: BagFile, _ tally: inout ConversionTally) async throws {
        for index in 0..<(file.container?.attachments.count ?? 0) {
            let (attachment, problem) = try file.attachment(at: index)
            if let problem { tally.note(missing: 0, [problem]) }
            guard let attachment else {
                tally.report.droppedExtras.attachments.append(file.container?.attachments[index].name ?? "")
                continue
            }
            try await sink.writeExtra(.attachment(attachment))
            tally.report.keptExtras.attachments.append(attachment.name)
        }
    }

    /// Writes latched messages of before the start with the time of the first message.
    private func write(
        _ carried: LatchedBeforeStart,
        at time: Int64,
        _ converter: BatchConverter,
        _ tally: inout ConversionTally
    ) async throws {
        for item in carried.rows {
            var batch = RowBatch()
            batch.append(item)
            let converted = converter.convert(batch)
            if let broken = converted.broken.first { tally.noteBroken(item, reason: broken.reason) }
            guard var row = converted.rows.first, let topic = plan.routes[item.input][item.row.topic]?.output
            else { continue }
            row.timeNanoseconds = time
            if let stamped = restamp(topic, row.bytes, time) { row.bytes = stamped }
            try await sink.write(row)
            tally.report.carriedLatched += 1
        }
    }
}

/// The last messages of latched topics before the start of a cut, so that the cut plays alone.
///
/// Without it a bag that is cut after its beginning has no static transforms.
struct LatchedBeforeStart {
    /// The rows by input, topic and time, as they stand in the inputs.
    private(set) var rows: [BagMerger.Row] = []
    /// Why some could not be read.
    private(set) var problems: [BagError] = []

    /// Reads the latched topics of the inputs up to the start.
    init(_ plan: ConversionPlan, before start: Int64) throws(BagError) {
        guard start > .min else { return }
        for (input, reader) in plan.readers.enumerated() {
            let latched = plan.routes[input].compactMap { route in
                route.flatMap { $0.isLatched && !$0.isSkipped ? $0.source.name : nil }
            }
            guard !latched.isEmpty else { continue }
            let cursor = try reader.rowsPassingDamage(BagQuery(topics: Set(latched), last: start - 1))
            var last: [Int: [LatchedRow]] = [:]
            while let row = try cursor.next() {
                guard let route = plan.routes[input][row.topic] else { continue }
                let new = LatchedRow(row, of: route)
                // Static transforms add up over messages, each child frame for itself: all of the last ones count.
                let others = (last[row.topic] ?? []).filter { !new.replaces($0) }
                last[row.topic] = others + [new]
            }
            for topic in last.keys.sorted() {
                rows += (last[topic] ?? []).map { BagMerger.Row(input: input, row: $0.row) }
            }
            problems += cursor.problems
        }
    }
}

/// A message of a latched topic, with the frames that it places where it holds transforms.
private struct LatchedRow {
    let row: BagRow
    /// Nil for messages that are no transforms.
    private let children: Set<String>?

    init(_ row: BagRow, of route: ConversionPlan.Route) {
        self.row = row
        children = route.output.typeName == TFMessage.typeName ? LatchedRow.children(row, route.source) : nil
    }

    /// True if nothing of an older message of the topic holds beside this one.
    func replaces(_ older: LatchedRow) -> Bool {
        guard let children, let others = older.children else { return true }
        return others.isSubset(of: children)
    }

    private static func children(_ row: BagRow, _ topic: BagTopic) -> Set<String> {
        let decoder = RowDecoder(TFMessage.kind, format: topic.serializationFormat)
        guard let message = (try? decoder.decode(row.bytes)) as? TFMessage else { return [] }
        return message.childFrameIDs
    }
}
