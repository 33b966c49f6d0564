import Bags
import Messages

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
