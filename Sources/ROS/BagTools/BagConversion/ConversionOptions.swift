package import Bags
package import Messages

/// The options of a conversion: what it takes from its inputs and how the result is written.
package struct ConversionOptions: Sendable {
    /// The selection by the names of the inputs, after legacy names were brought up to date and before `remaps`.
    package var selection = TopicSelection()
    package var remaps: [TopicRemap] = []
    /// The span that is wanted.
    package var start: ConversionTime?
    package var end: ConversionTime?
    /// Types of topics that the inputs name wrongly, by topic.
    package var types: [String: String] = [:]
    /// Leaves out topics of a second type of the same name, instead of refusing the conversion.
    package var skipsUnknown = false
    /// Leaves out copies: messages of one topic and time with the same bytes.
    package var dropsDuplicates = false
    /// Finds the definitions of types.
    package var resolver = TypeResolver()
    /// Takes of a damaged bag what can be read, and counts what is missing, instead of refusing it.
    package var acceptsDamage = false
    /// How large compressed files may become.
    package var unpackLimit = UnpackLimit()
    package var bag: BagOptions

    package init(bag: BagOptions = BagOptions()) {
        self.bag = bag
    }
}

/// A place in time: after the first message of all inputs, or by the clock.
package enum ConversionTime: Sendable, Hashable {
    case seconds(Double)
    case nanosecondsSinceEpoch(Int64)

    /// The time in nanoseconds since 1970, where the first message is at `first`; absurd values end at the limits.
    func resolved(first: Int64) -> Int64 {
        switch self {
        case .nanosecondsSinceEpoch(let time): return time
        case .seconds(let seconds):
            let offset = Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))
            let (time, overflow) = first.addingReportingOverflow(offset)
            return overflow ? (offset < 0 ? .min : .max) : time
        }
    }
}
