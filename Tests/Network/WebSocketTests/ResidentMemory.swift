import Foundation
import Testing

/// What the system says about this process's memory.
enum ResidentMemory {
    /// Makes what is resident now the largest amount so far, and returns it.
    static func resetPeak() throws -> Int {
        try "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .ascii)
        return try peakKilobytes()
    }

    /// The largest amount so far.
    static func peakKilobytes() throws -> Int {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
        return try #require(Int(line.split(separator: " ").dropFirst().first ?? ""))
    }
}
