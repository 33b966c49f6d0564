/// Reads a message from XCDR1 of either byte order.
///
/// Nothing is allocated for more elements than the remaining bytes can hold. It loads numbers itself, as it checks the
/// bounds of aligned arrays at once and copies these whole.
package struct CDRDecoder: FieldVisitor {
    package typealias Failure = CDRError

    package static let headerSize = 4

    private let bytes: UnsafeRawBufferPointer
    /// The offset of the next byte, header included.
    package private(set) var offset = headerSize
    package let isBigEndian: Bool

    package init(_ bytes: UnsafeRawBufferPointer) throws(CDRError) {
        guard bytes.count >= Self.headerSize else {
            throw CDRError(offset: bytes.count, expected: "a header of 4 bytes", found: "the end")
        }
        // The last two bytes are options; CycloneDDS counts its padding there.
        guard bytes[0] == 0, bytes[1] <= 1 else {
            let found = "\(hexadecimal(bytes[0])) \(hexadecimal(bytes[1]))"
            throw CDRError(offset: 0, expected: "plain CDR (00 00 or 00 01)", found: found)
        }
        self.bytes = bytes
        isBigEndian = bytes[1] == 0
    }

    /// Refuses what has no representation header, of messages that are not decoded.
    package static func checkHeader(_ bytes: some Collection<UInt8>) throws(CDRError) {
        guard bytes.count < headerSize || bytes.first != 0 else { return }
        let found = bytes.first.map { "\(bytes.count) bytes that begin with \($0)" } ?? "no bytes"
        throw CDRError(offset: 0, expected: "a representation header (4 bytes, the first of them 00)", found: found)
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) throws(CDRError) {
        do throws(CDRError) {
            value = try P.decode(from: &self)
        } catch { throw error.inside(name.description) }
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) throws(CDRError) {
        do throws(CDRError) {
            let count = try readCount(minimumSize: P.minimumSize)
            values = try P.decode(count: count, from: &self)
        } catch { throw error.inside(name.description) }
    }

    package mutating func field<let count: Int, P: Primitive>(
        _ name: StaticString,
        _ values: inout [count of P]
    ) throws(CDRError) {
        do throws(CDRError) {
            for index in 0..<count { values[index] = try P.decode(from: &self) }
        } catch { throw error.inside(name.description) }
    }

    package mutating func field<M: Message>(_ name: StaticString, _ value: inout M) throws(CDRError) {
        do throws(CDRError) {
            try decode(&value)
        } catch { throw error.inside(name.description) }
    }

    package mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) throws(CDRError) {
        var decoded: [M] = []
        do throws(CDRError) {
            let count = try readCount(minimumSize: MinimumSizeCounter.minimumSize(of: M.self))
            decoded.reserveCapacity(count)
            for _ in 0..<count {
                var value = M()
                try decode(&value)
                decoded.append(value)
            }
        } catch { throw error.inside("\(name)[\(decoded.count)]") }
        values = decoded
    }

    package mutating func field<let count: Int, M: Message>(
        _ name: StaticString,
        _ values: inout [count of M]
    ) throws(CDRError) {
        for index in 0..<count {
            do throws(CDRError) {
                try decode(&values[index])
            } catch { throw error.inside("\(name)[\(index)]") }
        }
    }

    mutating func decode<M: Message>(_ message: inout M) throws(CDRError) {
        let start = offset
        try message.visit(&self)
        if offset == start { _ = try UInt8.decode(from: &self) }
    }

    /// Aligns, and returns the next `count` elements' bytes.
    package mutating func take(_ count: Int, elementSize: Int) throws(CDRError) -> UnsafeRawBufferPointer {
        guard count > 0 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let aligned = (offset &+ elementSize &- 1) & ~(elementSize &- 1)
        // The header is 4 bytes, so that alignment from after it differs by 4 for elements of 8.
        let start = elementSize == 8 ? ((offset &- 4 &+ 7) & ~7) &+ 4 : aligned
        guard start <= bytes.count, (bytes.count &- start) / elementSize >= count else {
            throw CDRError(
                offset: bytes.count,
                expected: "\(count * elementSize) bytes from byte \(start)",
                found: "the end"
            )
        }
        offset = start &+ count &* elementSize
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Reads a sequence's length and checks that so many elements can follow.
    package mutating func readCount(minimumSize: Int) throws(CDRError) -> Int {
        let count = Int(try UInt32.decode(from: &self))
        guard count <= (bytes.count &- offset) / minimumSize else {
            throw CDRError(
                offset: offset &- 4,
                expected: "a count of at most \((bytes.count &- offset) / minimumSize) elements",
                found: "\(count)"
            )
        }
        return count
    }

    /// The bytes that follow the next one to be read.
    package var remainingBytes: Int { max(bytes.count &- offset, 0) }

    /// Checks that nothing but padding is left: CycloneDDS fills up to 4 bytes with zeros.
    package func finish() throws(CDRError) {
        let rest = bytes[min(offset, bytes.count)...]
        guard rest.count <= 3, rest.allSatisfy({ $0 == 0 }) else {
            throw CDRError(offset: offset, expected: "the end", found: "\(rest.count) more bytes")
        }
    }

    package func error(_ expected: String, _ found: String, back: Int) -> CDRError {
        CDRError(offset: offset - back, expected: expected, found: found)
    }
}

/// Two hexadecimal digits.
package func hexadecimal(_ byte: UInt8) -> String {
    (byte < 16 ? "0" : "") + String(byte, radix: 16)
}

extension Message {
    package static func decoding(cdr bytes: UnsafeRawBufferPointer) throws(CDRError) -> Self {
        var decoder = try CDRDecoder(bytes)
        var message = Self()
        try decoder.decode(&message)
        try decoder.finish()
        return message
    }

    package static func decoding(cdr bytes: [UInt8]) throws(CDRError) -> Self {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CDRError) in
            try decoding(cdr: UnsafeRawBufferPointer(buffer))
        }
    }
}

/// A place in CDR bytes where something else was expected.
package struct CDRError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The offset in bytes from the start, header included.
    package var offset: Int
    package var expected: String
    package var found: String
    /// The field being read, such as `transforms[0].child_frame_id`; empty for the frame around the message.
    package var path = ""

    package var description: String {
        let place = path.isEmpty ? "" : "field \"\(path)\": "
        return "CDR: \(place)byte \(offset): expected \(expected), found \(found)"
    }

    package func inside(_ component: String) -> CDRError {
        var error = self
        error.path = joinPath(component, path)
        return error
    }
}

/// Joins a field's name with the path below it, where indices follow without a dot.
package func joinPath(_ component: String, _ rest: String) -> String {
    rest.isEmpty || rest.utf8.first == UInt8(ascii: "[") ? component + rest : component + "." + rest
}
