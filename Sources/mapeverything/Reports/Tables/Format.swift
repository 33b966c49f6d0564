import JSONText

/// Numbers for people.
enum Format {
    static func number(_ value: Double, decimals: Int) -> String { value.text(decimals: decimals) }

    static func seconds(_ value: Double) -> String { number(value, decimals: 1) + " s" }

    static func bytes(_ count: Int) -> String {
        let value = Double(count)
        if count < 1000 { return "\(count) B" }
        if count < 1_000_000 { return number(value / 1e3, decimals: 1) + " kB" }
        if count < 1_000_000_000 { return number(value / 1e6, decimals: 1) + " MB" }
        return number(value / 1e9, decimals: 2) + " GB"
    }

    /// A line for each; empty where there is none.
    static func warnings(_ texts: [String]) -> String { texts.map { "warning: \($0)" }.joined(separator: "\n") }

    static func percent(_ share: Double) -> String { number(share * 100, decimals: 0) + " %" }

    static func share(_ part: Int, of whole: Int) -> String {
        whole == 0 ? "0" : "\(part) (\(percent(Double(part) / Double(whole))))"
    }
}
