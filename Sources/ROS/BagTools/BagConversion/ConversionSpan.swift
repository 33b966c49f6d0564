import Bags
import Platform

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

extension ConversionPlan {
    /// The first and the last time that are wanted.
    func span() throws -> (start: Int64, end: Int64) {
        guard options.hasSpan else { return (.min, .max) }
        let first = try readers.compactMap(firstTime).min() ?? 0
        let start = options.start?.resolved(first: first)
        let end = options.end?.resolved(first: first) ?? .max
        guard let length = options.durationSeconds else { return (start ?? .min, end) }
        return (start ?? first, min(end, ConversionTime.seconds(length).resolved(first: start ?? first)))
    }

    /// The time of the first message; one or a few that lie a year or more before the next are of a clock that was not set.
    private func firstTime(of reader: BagReader) throws -> Int64? {
        let rows = try reader.rowsPassingDamage()
        let times = try (0..<8).compactMap { _ in try rows.next()?.timeNanoseconds }
        let jump = times.indices.dropFirst().last {
            times[$0].subtractingReportingOverflow(times[$0 - 1]).partialValue > FarTimesCheck.farNanoseconds
        }
        return jump.map { times[$0] } ?? times.first
    }

    /// True if there is no message of what is wanted in the span that is wanted.
    ///
    /// - Throws: an `EmptySpanError` where the span lies outside of all inputs.
    package func hasEmptySpan() throws -> Bool {
        guard options.hasSpan else { return false }
        let (start, end) = try span()
        if let first = try readers.compactMap(firstTime).min(), let last = readers.compactMap(\.times?.last).max() {
            guard start <= min(end, last), end >= first else {
                let bounds = (options.start == nil ? nil : start, end == .max ? nil : end)
                throw EmptySpanError(of: "bag", held: (first, last), start: bounds.0, end: bounds.1)
            }
        }
        guard start <= end else { return true }
        return try readers.indices.allSatisfy { input in
            try readers[input].rowsPassingDamage(query(input, start, end)).next() == nil
        }
    }

    /// The rows of an input that are wanted.
    func query(_ input: Int, _ start: Int64, _ end: Int64) -> BagQuery {
        let wanted = routes[input].compactMap { $0?.isSkipped == false ? $0?.source.name : nil }
        return BagQuery(topics: Set(wanted), first: start, last: end)
    }
}
