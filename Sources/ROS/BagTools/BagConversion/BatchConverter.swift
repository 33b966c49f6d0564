import Bags
import Messages

/// Rows as they were read, with the input that each came from.
struct RowBatch: Sendable {
    var rows: [BagMerger.Row] = []
    private(set) var bytes = 0
    /// Places of rows that are copies of others, and left out.
    var repeated: Set<Int> = []

    /// Enough that handing it over costs nothing, little enough that memory stays small.
    var isFull: Bool { rows.count >= 256 || bytes >= 1 << 20 }

    mutating func append(_ row: BagMerger.Row) {
        bytes += row.row.bytes.count
        rows.append(row)
    }
}

struct ConvertedBatch: Sendable {
    /// In the order of the batch, with the topic numbers of the sink.
    var rows: [BagRow] = []
    /// Places of messages in the batch that could not be converted, with the reason.
    var broken: [(place: Int, reason: String)] = []
    /// Places of messages that were copied though their bytes are not those of the type that the topic names.
    var unfit: [(place: Int, reason: String)] = []
    var unknownKeys = UnknownKeyTally()
    /// Messages that name another topic than the one they are filed under.
    var misfiledCount = 0
}

/// Converts batches; it has no state that outlives one, so it may run beside reading and writing.
struct BatchConverter: Sendable {
    /// The converters by input and topic of the input.
    private let topics: [[TopicConverter?]]

    /// - Parameter outputIndices: the sink's topic numbers by output name.
    init(_ plan: ConversionPlan, outputIndices: [String: Int]) {
        topics = plan.routes.map { routes in
            routes.map { route in
                guard let route, !route.isSkipped, let index = outputIndices[route.output.name] else { return nil }
                return TopicConverter(route, target: plan.options.bag.serialization, outputIndex: index)
            }
        }
    }

    func convert(_ batch: RowBatch) -> ConvertedBatch {
        var topics = topics
        var result = ConvertedBatch()
        result.rows.reserveCapacity(batch.rows.count)
        for (place, item) in batch.rows.enumerated() {
            guard !batch.repeated.contains(place) else { continue }
            do {
                guard let converted = try topics[item.input][item.row.topic]?.convert(item.row) else { continue }
                result.rows.append(converted.row)
                if converted.isMisfiled { result.misfiledCount += 1 }
                if let reason = converted.misfit { result.unfit.append((place, reason)) }
            } catch {
                result.broken.append((place, "\(error)"))
            }
        }
        for topic in topics.joined().compactMap(\.self) {
            result.unknownKeys.add(topic.unknown, topic: topic.outputName)
        }
        return result
    }
}

private struct TopicConverter: Sendable {
    /// Nil where nothing describes the type: such messages are copied.
    private let decoder: RowDecoder?
    /// True if the bytes of a message are right as they are.
    private let copies: Bool
    /// True if the bag says what the type is made of.
    private let isStated: Bool
    private let sourceName: String
    private let isCDR: Bool
    private let target: BagOptions.Serialization
    private let outputIndex: Int
    /// The name that rosbridge_json output carries inside.
    let outputName: String
    /// Keys that the type does not have, collected by `convert`.
    private(set) var unknown = UnknownFields()

    init(_ route: ConversionPlan.Route, target: BagOptions.Serialization, outputIndex: Int) {
        let format = route.source.serializationFormat
        var known: ResolvedType?
        switch route.treatment {
        case .convert(let type): (known, copies, isStated) = (type, false, true)
        case .copy(let type, let stated): (known, copies, isStated) = (type, true, stated)
        case .skip: (known, copies, isStated) = (nil, true, false)
        }
        decoder = known.map { RowDecoder($0.direct, format: format) }
        sourceName = route.source.name
        isCDR = format == BagOptions.Serialization.cdr.rawValue
        self.target = target
        self.outputIndex = outputIndex
        outputName = route.output.name
    }

    /// A row as it goes into the output.
    struct Converted {
        var row: BagRow
        /// True if it names another topic than the one it is filed under.
        var isMisfiled = false
        /// Why it is not of the type that was taken for its topic's.
        var misfit: String?
    }

    mutating func convert(_ row: BagRow) throws -> Converted {
        var output = BagRow(topic: outputIndex, timeNanoseconds: row.timeNanoseconds, bytes: [])
        guard let decoder else {
            try refuseForeign(row.bytes)
            output.bytes = row.bytes
            return Converted(row: output)
        }
        guard !copies else {
            try refuseForeign(row.bytes)
            output.bytes = row.bytes
            do {
                // Whatever keys a message in JSON has, it keeps them.
                _ = try decoder.decode(row.bytes)
                return Converted(row: output)
            } catch {
                guard !isStated else { throw error }
                return Converted(row: output, misfit: "\(error)")
            }
        }
        let (message, named) = try decoder.decode(row.bytes, unknown: &unknown)
        try target.append(message, topic: outputName, to: &output.bytes)
        let isMisfiled = named.map { LegacyNames.topic($0) != LegacyNames.topic(sourceName) } ?? false
        return Converted(row: output, isMisfiled: isMisfiled)
    }

    /// Messages of an unknown type are not decoded: what has no encapsulation header of CDR is none all the same.
    private func refuseForeign(_ bytes: [UInt8]) throws(CDRError) {
        if isCDR { try CDRDecoder.checkHeader(bytes) }
    }
}

/// Sets the time inside messages that are filed under another one: latched ones that are repeated or carried.
struct HeaderRestamper: Sendable {
    /// The decoders by output topic, for latched ones whose type is known.
    private let decoders: [String: RowDecoder]
    private let serialization: BagOptions.Serialization

    init(_ plan: ConversionPlan) {
        serialization = plan.options.bag.serialization
        var decoders: [String: RowDecoder] = [:]
        for route in plan.selectedRoutes where route.isLatched && !route.isSkipped {
            guard decoders[route.output.name] == nil,
                let type = HeaderRestamper.type(of: route, plan.options.resolver)
            else { continue }
            decoders[route.output.name] = RowDecoder(type.direct, format: route.output.serializationFormat)
        }
        self.decoders = decoders
    }

    /// The type of a route's output: where messages are copied, it was not needed so far.
    private static func type(of route: ConversionPlan.Route, _ types: TypeResolver) -> ResolvedType? {
        if case .convert(let type) = route.treatment { return type }
        return try? types.resolve(TypeClaim(route.output))
    }

    /// The message with the time in its header, or nil where it is not understood.
    func callAsFunction(_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]? {
        guard let message = try? decoders[topic.name]?.decode(bytes) else { return nil }
        var output: [UInt8] = []
        do {
            try serialization.append(message.stamped(nanoseconds: timeNanoseconds), topic: topic.name, to: &output)
        } catch { return nil }
        return output
    }
}

/// How the messages of one topic get from one form to the other.
enum TopicConversion: Sendable {
    /// The bytes are right as they are, if they are those of a message of this type; nil where nothing describes it.
    ///
    /// A type that the bag does not state may be of another release: what does not fit it is counted, and copied all the same.
    case copy(ResolvedType?, isStated: Bool)
    /// Each message is read, and written in the other form.
    case convert(ResolvedType)
    /// Nothing can be done with them, of which there are so many.
    case skip(reason: String, messageCount: Int)

    var text: String {
        switch self {
        case .copy: "copied"
        case .convert(let type): type.compiled == nil ? "converted by its definition" : "converted"
        case .skip(let reason, _): "left out: \(reason)"
        }
    }

    /// Why its messages are left out; empty where they are not.
    var reason: String { if case .skip(let reason, _) = self { reason } else { "" } }

    /// How many messages are left out.
    var skippedCount: Int { if case .skip(_, let messageCount) = self { messageCount } else { 0 } }

    var isSkip: Bool { if case .skip = self { true } else { false } }
}
