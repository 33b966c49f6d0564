import TestSupport

extension SeededRandomNumbers {
    /// A normally distributed number (sum of twelve uniform ones).
    mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }
}
