import Foundation

/// The frames' own times as frames.jsonl has them, read without the code under test.
enum FrameTimes {
    /// Nanoseconds on the session's clock, by line.
    static func of(_ session: String) throws -> [Int64] {
        let text = try String(contentsOfFile: session + "/frames.jsonl", encoding: .utf8)
        return try text.split(separator: "\n").map { line in
            guard let key = line.firstRange(of: "\"timestamp\":") else { throw CocoaError(.coderValueNotFound) }
            let number = line[key.upperBound...].prefix { $0.isNumber || $0 == "." }
            let parts = number.split(separator: ".")
            let fraction = parts.count > 1 ? parts[1].prefix(9) : ""
            let padded = fraction + String(repeating: "0", count: 9 - fraction.count)
            guard let seconds = Int64(parts[0]), let nanoseconds = Int64(padded) else {
                throw CocoaError(.coderInvalidValue)
            }
            return seconds * 1_000_000_000 + nanoseconds
        }
    }
}
