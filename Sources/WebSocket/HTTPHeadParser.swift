/// Collects the head of an HTTP message from bytes that arrive in any pieces, within a limit.
struct HTTPHeadParser {
    let maximumLength: Int
    /// What the first bytes must be; something that does not speak HTTP is refused at once, not after a timeout.
    let expectedPrefix: [UInt8]

    private var block: [UInt8] = []

    init(maximumLength: Int, expectedPrefix: String = "") {
        self.maximumLength = maximumLength
        self.expectedPrefix = Array(expectedPrefix.utf8)
    }

    /// Whether nothing has arrived yet.
    var isEmpty: Bool { block.isEmpty }

    /// Takes bytes from `position` on, moving it, up to the end of the head; the bytes behind it are left.
    mutating func next(in bytes: RawSpan, from position: inout Int) throws(HandshakeError) -> HTTPHead? {
        while position < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            position += 1
            block.append(byte)
            guard block.count > expectedPrefix.count || expectedPrefix[block.count - 1] == byte else {
                throw .notHTTP(String(decoding: block, as: UTF8.self))
            }
            guard block.count <= maximumLength else { throw .headTooLong(limit: maximumLength) }
            if byte == 0x0A, block.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] {
                return try HTTPHead(block: Array(block.dropLast(4)))
            }
        }
        return nil
    }
}
