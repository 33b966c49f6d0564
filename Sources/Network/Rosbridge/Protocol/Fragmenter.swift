import Text

/// Splits an operation that is too large for one frame into `fragment` operations (rosbridge protocol 2, 3.2.1).
///
/// The server joins the parts in the order of arrival and identifies them by their id alone, so the id is a UUID.
package struct Fragmenter: Sendable {
    /// The largest frame, in bytes of JSON.
    package let maximumFrameLength: Int

    /// The smallest limit with which a fragment still has room for data.
    package static let smallestLimit = 256

    package init(maximumFrameLength: Int) {
        precondition(maximumFrameLength >= Fragmenter.smallestLimit, "a fragment needs room for its own keys")
        self.maximumFrameLength = maximumFrameLength
    }

    /// Splits `json` into frames within the limit, in order.
    package func fragments(of json: [UInt8], id: String) -> [[UInt8]] {
        // The keys are longest when the numbers are, which is when every part is one byte.
        let envelope = Fragmenter.head(id: id, number: json.count, total: json.count).count + 2
        let slices = Fragmenter.slices(of: json, escapedLimit: maximumFrameLength - envelope)
        return slices.enumerated().map { number, slice in
            var frame = Fragmenter.head(id: id, number: number, total: slices.count)
            frame.reserveCapacity(frame.count + slice.count + slice.count / 8 + 2)
            json[slice].withUnsafeBufferPointer { JSONAppend.string($0, to: &frame) }
            frame.append(UInt8(ascii: "}"))
            return frame
        }
    }

    /// A random (version 4) UUID (RFC 9562, 5.4).
    package static func makeID(using generator: inout some RandomNumberGenerator) -> String {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        return [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }.joined(separator: "-")
    }

    private static func head(id: String, number: Int, total: Int) -> [UInt8] {
        Array("{\"op\":\"fragment\",\"id\":\"\(id)\",\"num\":\(number),\"total\":\(total),\"data\":".utf8)
    }

    /// Cuts between characters, so that each slice is within the limit as a quoted JSON string.
    ///
    /// It also cuts inside every `"op"` except the operation's own: no slice may contain a whole object that a server
    /// could take for an operation.
    private static func slices(of json: [UInt8], escapedLimit: Int) -> [Range<Int>] {
        var slices: [Range<Int>] = []
        var start = 0
        var length = 2
        var index = 0
        while index < json.count {
            let byte = json[index]
            let count = characterLength(byte)
            let escaped = byte == 0x22 || byte == 0x5C ? 2 : byte < 0x20 || byte == 0x7F ? 6 : count
            if length + escaped > escapedLimit || isInsideNestedOperation(json, index) {
                slices.append(start..<index)
                start = index
                length = 2
            }
            length += escaped
            index += count
        }
        slices.append(start..<json.count)
        return slices
    }

    /// True if the index is after the `o` of an `"op"` other than the operation's own.
    private static func isInsideNestedOperation(_ json: [UInt8], _ index: Int) -> Bool {
        guard json[index] == UInt8(ascii: "p"), index > 3, index + 1 < json.count else { return false }
        return json[index - 1] == UInt8(ascii: "o") && json[index - 2] == UInt8(ascii: "\"")
            && json[index + 1] == UInt8(ascii: "\"")
    }

    private static func characterLength(_ lead: UInt8) -> Int {
        switch lead {
        case ..<0xC0: 1
        case ..<0xE0: 2
        case ..<0xF0: 3
        default: 4
        }
    }
}
