import Bags
import Messages
import SystemPackage

/// Rows as they were read, with the input that each came from.
struct RowBatch: Sendable {
    var rows: [BagMerger.Row] = []
    private(set) var bytes = 0

    /// Enough that handing it over costs nothing, little enough that memory stays small.
    var isFull: Bool { rows.count >= 256 || bytes >= 1 << 20 }

    mutating func append(_ row: BagMerger.Row) {
        bytes += row.row.bytes.count
        rows.append(row)
    }
}

/// What became of a batch.
struct ConvertedBatch: Sendable {
    /// In the order of the batch, with the topic numbers of the sink.
    var rows: [BagRow] = []
    /// Places of messages in the batch that could not be converted, with the reason.
    var broken: [(place: Int, reason: String)] = []
    var unknownKeys: [ConversionReport.UnknownKey] = []
    /// Messages that name another topic than the one they are filed under.
    var misfiledCount = 0
}

/// Converts batches; it has no state that outlives one, so it may run beside reading and writing.
struct BatchConverter: Sendable {
    private struct Way: Sendable {
        var converter: MessageConverter
        var sourceName: String
        var outputIndex: Int
        var isCDR: Bool

        /// Copied messages are not decoded: what has no encapsulation header of CDR is no message all the same.
        func refuseForeign(_ bytes: [UInt8]) throws(CDRError) {
            guard isCDR, bytes.count < 4 || bytes[0] != 0 else { return }
            throw CDRError(
                offset: 0,
                expected: "a representation header (4 bytes, the first of them 00)",
                found: bytes.isEmpty ? "no bytes" : "\(bytes.count) bytes that begin with \(bytes[0])"
            )
        }
    }

    /// By input and topic of the input.
    private let ways: [[Way?]]

    /// - Parameter outputIndices: the sink's topic numbers by output name.
    init(_ plan: ConversionPlan, outputIndices: [String: Int]) {
        let target = plan.options.bag.serialization
        ways = plan.routes.map { routes in
            routes.map { route in
                guard let route, !route.isSkipped, let index = outputIndices[route.output.name],
                    let source = BagOptions.Serialization(rawValue: route.source.serializationFormat)
                else { return nil }
                let converter = MessageConverter(
                    route.treatment,
                    from: source,
                    to: target,
                    outputTopic: route.output.name
                )
                return Way(
                    converter: converter,
                    sourceName: route.source.name,
                    outputIndex: index,
                    isCDR: source == .cdr
                )
            }
        }
    }

    func convert(_ batch: RowBatch) -> ConvertedBatch {
        var ways = ways
        var result = ConvertedBatch()
        result.rows.reserveCapacity(batch.rows.count)
        for (place, item) in batch.rows.enumerated() {
            guard let way = ways[item.input][item.row.topic] else { continue }
            var row = BagRow(topic: way.outputIndex, timeNanoseconds: item.row.timeNanoseconds, bytes: [])
            do {
                if case .copy = way.converter.treatment {
                    try way.refuseForeign(item.row.bytes)
                    row.bytes = item.row.bytes
                } else {
                    let named = try ways[item.input][item.row.topic]?.converter
                        .convert(item.row.bytes, into: &row.bytes)
                    if let named = named ?? nil, LegacyNames.topic(named) != LegacyNames.topic(way.sourceName) {
                        result.misfiledCount += 1
                    }
                }
                result.rows.append(row)
            } catch {
                result.broken.append((place, "\(error)"))
            }
        }
        result.unknownKeys = ways.joined().compactMap(\.?.converter).flatMap { converter in
            converter.unknown.counts.map { key in
                ConversionReport.UnknownKey(topic: converter.outputTopic, path: key.path, count: key.count)
            }
        }
        return result
    }
}
