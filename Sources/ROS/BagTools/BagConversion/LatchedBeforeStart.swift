import Bags
import Messages

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
            let cursor = try reader.rows(
                BagQuery(topics: Set(latched), last: start - 1),
                tolerating: reader.tolerance.union(.damage)
            )
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
