import Text

/// Base64 with the standard alphabet and padding (RFC 4648, clause 4), the way rosbridge takes `uint8[]`.
package enum Base64 {
    /// Appends the bytes in base64, between quotes.
    ///
    /// Twelve bits at a time through a table of pairs: the fastest that needs neither byte shuffles nor C.
    static func appendQuoted(_ input: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
        let size = (input.count + 2) / 3 * 4 + 2
        // The slack keeps what follows a large field from moving it once more.
        bytes.append(size: size + 512) { output in
            output[0] = UInt8(ascii: "\"")
            encode(input, into: UnsafeMutableRawBufferPointer(rebasing: output[1..<size]))
            output[size - 1] = UInt8(ascii: "\"")
            return size
        }
    }

    package static func encode(_ input: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: (input.count + 2) / 3 * 4) { buffer, count in
            input.withUnsafeBytes { encode($0, into: UnsafeMutableRawBufferPointer(buffer)) }
            count = (input.count + 2) / 3 * 4
        }
    }

    /// Writes into memory of at least four bytes for every three begun.
    package static func text(_ input: [UInt8]) -> String { String(decoding: encode(input), as: UTF8.self) }

    private static func encode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= (input.count + 2) / 3 * 4, "base64 needs more room")
        Tables.pairs.withUnsafeBufferPointer { pairs in
            var source = 0
            var target = 0
            // Six bytes a turn, read as eight: so the last two are left to the tail.
            while input.count &- source >= 8 {
                let word = UInt64(bigEndian: input.loadUnaligned(fromByteOffset: source, as: UInt64.self))
                let first = UInt64(pairs[Int(word &>> 52)])
                let second = UInt64(pairs[Int(word &>> 40 & 0xFFF)])
                let third = UInt64(pairs[Int(word &>> 28 & 0xFFF)])
                let fourth = UInt64(pairs[Int(word &>> 16 & 0xFFF)])
                let text = first | second &<< 16 | third &<< 32 | fourth &<< 48
                output.storeBytes(of: text.littleEndian, toByteOffset: target, as: UInt64.self)
                source &+= 6
                target &+= 8
            }
            while source < input.count {
                let second = source &+ 1 < input.count ? input[source &+ 1] : 0
                let third = source &+ 2 < input.count ? input[source &+ 2] : 0
                let high = pairs[Int(input[source]) &<< 4 | Int(second &>> 4)]
                let low = pairs[Int(second & 15) &<< 8 | Int(third)]
                output.storeBytes(of: high, toByteOffset: target, as: UInt16.self)
                output.storeBytes(of: low, toByteOffset: target &+ 2, as: UInt16.self)
                if source &+ 2 >= input.count { output[target &+ 3] = UInt8(ascii: "=") }
                if source &+ 1 >= input.count { output[target &+ 2] = UInt8(ascii: "=") }
                source &+= 3
                target &+= 4
            }
        }
    }

    /// The bytes that base64 stands for, or `nil` if it is not exactly what ``encode(_:)`` would write.
    package static func decode(_ input: UnsafeRawBufferPointer) -> [UInt8]? {
        guard input.count % 4 == 0 else { return nil }
        guard input.count > 0 else { return [] }
        let padding =
            input[input.count - 1] != UInt8(ascii: "=") ? 0 : input[input.count - 2] != UInt8(ascii: "=") ? 1 : 2
        let size = input.count / 4 * 3 - padding
        var isValid = true
        // One byte more than the result, as groups are stored as four bytes.
        let decoded = [UInt8](unsafeUninitializedCapacity: size + 1) { buffer, count in
            isValid = decode(input, padding: padding, into: UnsafeMutableRawBufferPointer(buffer))
            count = isValid ? size : 0
        }
        return isValid ? decoded : nil
    }

    private static func decode(
        _ input: UnsafeRawBufferPointer,
        padding: Int,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        Tables.values.withUnsafeBufferPointer { values in
            let whole = padding == 0 ? input.count : input.count &- 4
            var source = 0
            var target = 0
            var invalid: UInt32 = 0
            while source < whole {
                let group =
                    values[Int(input[source])] &<< 18 | values[Int(input[source &+ 1])] &<< 12
                    | values[Int(input[source &+ 2])] &<< 6 | values[Int(input[source &+ 3])]
                invalid |= group
                output.storeBytes(of: (group &<< 8).bigEndian, toByteOffset: target, as: UInt32.self)
                source &+= 4
                target &+= 3
            }
            guard invalid >> 24 == 0 else { return false }
            return padding == 0
                || decodeLast(input, padding: padding, values: values, into: output, at: target)
        }
    }

    /// Decodes the padded group at the end, whose unused bits must be zero.
    private static func decodeLast(
        _ input: UnsafeRawBufferPointer,
        padding: Int,
        values: UnsafeBufferPointer<UInt32>,
        into output: UnsafeMutableRawBufferPointer,
        at target: Int
    ) -> Bool {
        let last = input.count - 4
        let third = padding == 1 ? values[Int(input[last + 2])] : 0
        let group = values[Int(input[last])] << 18 | values[Int(input[last + 1])] << 12 | third << 6
        guard group >> 24 == 0, group & (padding == 1 ? 0xFF : 0xFFFF) == 0 else { return false }
        output[target] = UInt8(truncatingIfNeeded: group >> 16)
        if padding == 1 { output[target + 1] = UInt8(truncatingIfNeeded: group >> 8) }
        return true
    }
}

/// Tables made once, at first use.
private enum Tables {
    static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// Two characters for every twelve bits, the first in the low byte.
    static let pairs: [UInt16] = (0..<4096).map {
        (UInt16(alphabet[$0 >> 6]) | UInt16(alphabet[$0 & 63]) << 8).littleEndian
    }

    /// Six bits for every character, and a bit that survives every shift where a byte is none.
    static let values: [UInt32] = (0..<256).map { byte in
        alphabet.firstIndex(of: UInt8(byte)).map(UInt32.init) ?? 0xFF00_0000 | 0x00FF_FFC0
    }
}
