/// The reason why an operation of a client was refused.
package struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    package var topic: String?
    /// The expected input, and the input that was found.
    package var problem: String

    /// Shortens both texts and replaces control characters, as they come from a client.
    package init(topic: String? = nil, _ problem: String) {
        self.topic = topic.map { Refusal.printable($0, maximumLength: 200) }
        self.problem = Refusal.printable(problem, maximumLength: 1_000)
    }

    package var description: String { topic.map { "\($0): \(problem)" } ?? problem }

    /// A client's text, cut to a length, with question marks for control characters.
    package static func printable(_ text: String, maximumLength: Int) -> String {
        let isLong = text.utf8.count > maximumLength
        let start = isLong ? text.unicodeScalars.prefix(maximumLength) : text.unicodeScalars[...]
        let isPlain = start.allSatisfy { !isControl($0) }
        guard isLong || !isPlain else { return text }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: start.map { isControl($0) ? "?" : $0 })
        return String(shown) + (isLong ? "…" : "")
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}
