import Glibc
import Messages

/// Holds a message's bytes to what encoding the decoded message gives.
enum CDRComparison {
    struct Oddity {
        var severity: BagFinding.Severity
        var kind: BagFindingKind
        var expected: String
        var found: String
    }

    /// - Parameter encodedAgain: little-endian CDR with its header.
    static func oddities(of bytes: UnsafeRawBufferPointer, encodedAgain: [UInt8]) -> [Oddity] {
        // The decoder has seen that there are four bytes.
        var oddities: [Oddity] = []
        guard bytes[1] == 1 else {
            oddities.append(
                Oddity(severity: .note, kind: .messageByteOrder, expected: "little-endian CDR", found: "big-endian CDR")
            )
            return oddities + options(of: bytes, paddingBytes: nil)
        }
        let paddingBytes = bytes.count - encodedAgain.count
        oddities += options(of: bytes, paddingBytes: paddingBytes)
        return oddities + body(of: bytes, encodedAgain)
    }

    /// True if the bodies are the same, padding at the end apart.
    static func isEqual(_ bytes: UnsafeRawBufferPointer, _ encodedAgain: [UInt8]) -> Bool {
        bytes.count >= encodedAgain.count
            && firstDifference(bytes, encodedAgain, from: headerBytes, to: encodedAgain.count) == nil
    }

    private static let headerBytes = 4

    /// The first place where the two differ; both must reach to `end`.
    private static func firstDifference(
        _ bytes: UnsafeRawBufferPointer,
        _ encodedAgain: [UInt8],
        from start: Int,
        to end: Int
    ) -> Int? {
        encodedAgain.withUnsafeBytes { again in
            guard start < end, let left = bytes.baseAddress, let right = again.baseAddress,
                memcmp(left + start, right + start, end - start) != 0
            else { return nil }
            return (start..<end).first { bytes[$0] != again[$0] }
        }
    }

    /// The last two bytes of the header: zero, or in their lowest bits how much padding follows the message.
    private static func options(of bytes: UnsafeRawBufferPointer, paddingBytes: Int?) -> [Oddity] {
        guard bytes[2] != 0 || bytes[3] != 0 else { return [] }
        let saysPadding = bytes[2] == 0 && paddingBytes.map { Int(bytes[3]) == $0 } ?? false
        return [
            Oddity(
                severity: saysPadding ? .note : .warning,
                kind: .messageHeader,
                expected: "a CDR header that ends in 00 00",
                found: "\(hexadecimal(bytes[2])) \(hexadecimal(bytes[3]))"
            )
        ]
    }

    private static func body(of bytes: UnsafeRawBufferPointer, _ encodedAgain: [UInt8]) -> [Oddity] {
        // The header was looked at apart.
        let start = headerBytes
        let common = min(bytes.count, encodedAgain.count)
        guard common >= start else { return [] }
        let difference = firstDifference(bytes, encodedAgain, from: start, to: common)
        // The decoder lets at most three zero bytes follow, as CycloneDDS writes them.
        if difference == nil, bytes.count >= encodedAgain.count { return [] }
        let place = difference ?? common
        if bytes.count >= encodedAgain.count, let difference,
            (difference..<common).allSatisfy({ bytes[$0] == encodedAgain[$0] || encodedAgain[$0] == 0 })
        {
            let count = (difference..<common).count { bytes[$0] != encodedAgain[$0] }
            return [
                Oddity(
                    severity: .note,
                    kind: .messagePadding,
                    expected: "zeros between the fields",
                    found: "\(count) other bytes, the first 0x\(hexadecimal(bytes[place])) at byte \(place)"
                )
            ]
        }
        return [
            Oddity(
                severity: .warning,
                kind: .messageReencode,
                expected: "the bytes that encoding the message gives (\(encodedAgain.count))",
                found: "others from byte \(place) of \(bytes.count) on"
            )
        ]
    }
}
