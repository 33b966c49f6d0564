/// Collects the heads of HTTP messages from pieces of any size, within one limit for all heads together.
struct HTTPHeadParser {
    let maximumLength: Int
    /// The required first bytes: a peer that does not speak HTTP is refused at once, not after a timeout.
    let expectedPrefix: [UInt8]

    private var block: [UInt8] = []
    private var length = 0

    init(maximumLength: Int, expectedPrefix: String = "") {
        self.maximumLength = maximumLength
        self.expectedPrefix = Array(expectedPrefix.utf8)
    }

    /// Takes bytes from `position` on, up to the end of the head, and advances `position`.
    mutating func next(in bytes: RawSpan, from position: inout Int) throws(HandshakeError) -> HTTPHead? {
        while position < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            position += 1
            block.append(byte)
            length += 1
            guard block.count > expectedPrefix.count || expectedPrefix[block.count - 1] == byte else {
                throw .notHTTP(String(decoding: block, as: UTF8.self))
            }
            guard length <= maximumLength else { throw .headTooLong(limit: maximumLength) }
            if byte == 0x0A, block.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] {
                defer { block = [] }
                return try HTTPHead(block: block.dropLast(4))
            }
        }
        return nil
    }
}
