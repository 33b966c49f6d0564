/// A part of a recording or a bag is asked for in which nothing of it lies.
package struct EmptySpanError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The word for what holds it, such as `bag`.
    package let whole: String
    private let held: String
    private let asked: String

    /// - Parameters:
    ///   - held: The first and the last time of all, in nanoseconds of any clock.
    ///   - start: Where the part begins; nil for the start.
    ///   - end: Where it ends; nil for the end.
    package init(of whole: String, held: (first: Int64, last: Int64), start: Int64?, end: Int64?) {
        func text(_ time: Int64) -> String {
            let (offset, overflow) = time.subtractingReportingOverflow(held.first)
            return "\((Double(overflow ? (time < held.first ? .min : .max) : offset) / 1e6).rounded() / 1000) s"
        }
        self.whole = whole
        self.held = "0.0 s to \(text(held.last))"
        asked = "\(start.map(text) ?? "the start") to \(end.map(text) ?? "the end")"
    }

    package var description: String { "span: expected a part of the \(whole), which holds \(held), found \(asked)" }
}
