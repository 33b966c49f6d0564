import Bags
import DynamicMessages
import ROS

/// What latched topics said last before the start of a cut, so that the cut plays alone.
///
/// Without it a bag that is cut after its beginning has no static transforms.
struct CarriedLatched {
    /// By input, topic and time, as they stand in the inputs.
    private(set) var rows: [MergedRows.Row] = []

    /// Reads the latched topics of the inputs up to the start.
    init(_ plan: ConversionPlan, before start: Int64) throws(BagError) {
        guard start > .min else { return }
        for (input, reader) in plan.readers.enumerated() {
            let latched = plan.routes[input].indices.filter { index in
                guard let route = plan.routes[input][index], !route.treatment.isSkip else { return false }
                return route.source.isLatched || route.output.name == "/tf_static"
            }
            guard !latched.isEmpty else { continue }
            let names = Set(latched.compactMap { plan.routes[input][$0]?.source.name })
            let cursor = try reader.rows(BagQuery(topics: names, last: start - 1))
            var last: [Int: [BagRow]] = [:]
            while let row = try cursor.next() {
                guard let route = plan.routes[input][row.topic] else { continue }
                // Static transforms add up over messages, each child frame for itself: all of the last ones count.
                if route.output.typeName == "tf2_msgs/msg/TFMessage" {
                    last[row.topic] = TransformRows.adding(row, to: last[row.topic] ?? [], route.source)
                } else {
                    last[row.topic] = [row]
                }
            }
            for topic in last.keys.sorted() {
                rows += (last[topic] ?? []).map { MergedRows.Row(input: input, row: $0) }
            }
        }
    }
}

/// The messages of a topic of static transforms that still say something.
private enum TransformRows {
    /// The rows with one more; those whose child frames it all repeats fall away.
    static func adding(_ row: BagRow, to rows: [BagRow], _ topic: BagTopic) -> [BagRow] {
        let new = children(row, topic)
        return rows.filter { !children($0, topic).isSubset(of: new) } + [row]
    }

    private static func children(_ row: BagRow, _ topic: BagTopic) -> Set<String> {
        var decoder = BagDecoder(topics: [topic])
        var row = row
        row.topic = 0
        guard let message = (try? decoder.decode(row))?.message as? TFMessage else { return [] }
        return Set(message.transforms.map(\.childFrameID))
    }
}
