/// Compresses the messages that a connection sends, with the negotiated parameters.
struct OutgoingCompression {
    let agreement: DeflateAgreement
    private let minimumLength: Int
    private let level: Int
    /// Created on first use: many connections never send a compressed message.
    private var deflater: ZlibDeflater?

    init(_ options: DeflateOptions, _ agreement: DeflateAgreement) {
        self.agreement = agreement
        minimumLength = options.minimumLength
        level = options.level
    }

    /// Returns the compressed payload, or `nil` if it should be sent uncompressed (RFC 7692, 6).
    mutating func compressed(_ payload: [UInt8]) -> [UInt8]? {
        guard payload.count >= minimumLength else { return nil }
        // RFC 7692, 7.2.3.6: the compressed form of an empty message, which needs no compressor.
        guard !payload.isEmpty else { return [0] }
        if deflater == nil { deflater = ZlibDeflater(level: level, windowBits: agreement.windowBits) }
        guard let deflater else { return nil }
        let compressed = payload.withUnsafeBytes { deflater.deflate($0) }
        guard let compressed, compressed.count < payload.count else {
            // The message is sent uncompressed, so the other end's window will not contain it.
            deflater.reset()
            return nil
        }
        if !agreement.keepsContext { deflater.reset() }
        return compressed
    }
}

/// Decompresses the messages that a connection receives, with the negotiated parameters.
struct IncomingCompression {
    /// The size of one decompression step; the message limit is checked after each.
    private static let pieceLength = 32 << 10
    /// The trailing bytes that the sender removed (RFC 7692, 7.2.2).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let agreement: DeflateAgreement
    /// Created on first use.
    private var inflater: ZlibInflater?
    private var piece: [UInt8] = []
    private var isBetweenBlocks = true

    init(_ agreement: DeflateAgreement) { self.agreement = agreement }

    /// Decompresses a part of a message into its body, which throws when the limit is exceeded.
    mutating func inflate(_ bytes: UnsafeRawBufferPointer, into body: inout MessageBody) throws(ProtocolViolation) {
        if inflater == nil {
            inflater = ZlibInflater()
            piece = [UInt8](repeating: 0, count: Self.pieceLength)
        }
        guard let inflater else { throw .decompressionUnavailable }
        var rest = bytes
        while true {
            // One byte above the limit is enough to detect a message that is too long.
            let capacity = min(piece.count, max(body.room, 0) + 1)
            let step = try piece.withUnsafeMutableBufferPointer { (buffer) throws(ProtocolViolation) in
                let output = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[..<capacity]))
                let step = inflater.inflate(rest, into: output)
                try body.append(UnsafeRawBufferPointer(rebasing: output[..<step.produced]))
                return step
            }
            isBetweenBlocks = step.isBetweenBlocks
            guard !step.isDamaged else { throw .damagedCompression }
            rest = UnsafeRawBufferPointer(rebasing: rest[step.consumed...])
            // The decompressor may still hold output for which there was no room.
            guard step.produced == capacity || !rest.isEmpty else { return }
            guard step.produced > 0 || step.consumed > 0 else { return }
        }
    }

    /// Ends a message: decompresses the removed tail, after which no block may be open.
    mutating func finish(_ body: inout MessageBody) throws(ProtocolViolation) {
        try Self.tail.withUnsafeBufferPointer { (tail) throws(ProtocolViolation) in
            try inflate(UnsafeRawBufferPointer(tail), into: &body)
        }
        guard isBetweenBlocks else { throw .damagedCompression }
        if !agreement.peerKeepsContext { inflater?.reset() }
    }
}
