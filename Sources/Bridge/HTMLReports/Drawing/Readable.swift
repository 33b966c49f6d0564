import Text

/// Numbers in the units that people read.
package enum Readable {
    /// Such as 19.8 s, 12.3 min, 5.2 h, 6.0 days.
    package static func duration(_ seconds: Double) -> String {
        let length = abs(seconds)
        if length < 120 { return seconds.text(decimals: length < 1 ? 3 : 1) + " s" }
        if length < 7200 { return (seconds / 60).text(decimals: 1) + " min" }
        if length < 172_800 { return (seconds / 3600).text(decimals: 1) + " h" }
        return (seconds / 86_400).text(decimals: 1) + " days"
    }

    /// Such as 12 B, 4.5 kB, 30.4 MB, 1.20 GB.
    package static func bytes(_ count: Int) -> String {
        let value = Double(count)
        if count < 1000 { return "\(count) B" }
        if count < 1_000_000 { return (value / 1e3).text(decimals: 1) + " kB" }
        if count < 1_000_000_000 { return (value / 1e6).text(decimals: 1) + " MB" }
        return (value / 1e9).text(decimals: 2) + " GB"
    }

    /// Whole numbers in groups of three: 1,234,567.
    package static func count(_ value: Int) -> String {
        let digits = String(value.magnitude)
        let grouped = digits.enumerated().map { place, digit in
            (digits.count - place) % 3 == 0 && place > 0 ? ",\(digit)" : "\(digit)"
        }
        return (value < 0 ? "-" : "") + grouped.joined()
    }
}
