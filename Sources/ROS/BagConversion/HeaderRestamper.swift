import Bags
import DynamicMessages
import JSONText
import Messages

/// Sets the time inside messages that are filed under another one: latched ones that are repeated or carried.
struct HeaderRestamper: Sendable {
    /// By output topic, for latched ones.
    private let treatments: [String: TopicConversion]
    private let serialization: BagOptions.Serialization

    init(_ plan: ConversionPlan) {
        var treatments: [String: TopicConversion] = [:]
        for route in plan.selectedRoutes where route.isLatched && !route.isSkipped {
            guard treatments[route.output.name] == nil else { continue }
            treatments[route.output.name] = HeaderRestamper.decoding(route, plan.options.resolver)
        }
        self.treatments = treatments
        serialization = plan.options.bag.serialization
    }

    /// How messages of the output are decoded: one that is copied is for this alone, by what is known of its type.
    private static func decoding(_ route: ConversionPlan.Route, _ types: TypeResolver) -> TopicConversion {
        guard case .copy = route.treatment else { return route.treatment }
        return (try? types.resolve(TypeClaim(route.output))).map(TopicConversion.init) ?? .copy
    }

    /// The message with the time in its header, or nil where it has none or is not understood.
    func callAsFunction(_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]? {
        switch treatments[topic.name] {
        case .compiled(let type): try? compiled(type, topic, bytes, timeNanoseconds)
        case .described(let schema): try? described(schema, topic, bytes, timeNanoseconds)
        case .copy, .skip, nil: nil
        }
    }

    private func compiled<M: Message>(
        _ type: M.Type,
        _ topic: BagTopic,
        _ bytes: [UInt8],
        _ time: Int64
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        switch serialization {
        case .cdr:
            try M.decoding(cdr: bytes).stamped(nanoseconds: time).appendCDR(to: &output)
        case .rosbridgeJSON:
            var unknown = UnknownFields()
            let (message, _) = try RosbridgeRow.read(bytes, keys: M.jsonKeys) {
                try M.decoding(json: &$0, unknown: &unknown)
            }
            let stamped = message.stamped(nanoseconds: time)
            try RosbridgeEnvelope.appendPublish(topic: topic.name, message: stamped, to: &output)
        }
        return output
    }

    private func described(
        _ schema: MessageSchema,
        _ topic: BagTopic,
        _ bytes: [UInt8],
        _ time: Int64
    ) throws -> [UInt8] {
        var output: [UInt8] = []
        switch serialization {
        case .cdr:
            var value = try schema.decode(cdr: bytes)
            _ = value.setHeaderStamps(nanoseconds: time)
            try schema.appendCDR(value, to: &output)
        case .rosbridgeJSON:
            var unknown = UnknownFields()
            var (value, _) = try RosbridgeRow.read(bytes, keys: schema.jsonKeys) {
                try schema.decode(json: &$0, unknown: &unknown)
            }
            _ = value.setHeaderStamps(nanoseconds: time)
            try RosbridgeEnvelope.appendPublish(topic: topic.name, to: &output) {
                try schema.appendJSON(value, to: &$0)
            }
        }
        return output
    }
}
