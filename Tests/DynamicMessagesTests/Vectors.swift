import Foundation
import JSONText
import TestSupport

/// Vectors made by other implementations.
enum Vectors {
    static let areExpected = SharedData.has("vectors")

    static func load(_ name: String) throws -> JSONValue {
        let url = URL(filePath: "\(SharedData.path("vectors"))/\(name)")
        return try JSONValue.parse([UInt8](Data(contentsOf: url)))
    }
}

extension [UInt8] {
    /// Bytes from pairs of hexadecimal digits; spaces are passed over.
    init(hexadecimal text: String) {
        let digits = text.filter { $0 != " " }.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    var hexadecimalText: String { map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() }
}

/// Numbers that look random and are the same in every run (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
