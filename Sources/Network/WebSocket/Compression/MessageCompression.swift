/// Compresses what a connection sends, as was agreed.
struct OutgoingCompression {
    let agreement: DeflateAgreement
    private let minimumLength: Int
    private let codec: any DeflateCodec
    /// Made for the first message that is compressed: many ends never send one.
    private var deflater: (any MessageDeflater)?

    init(_ options: DeflateOptions, _ agreement: DeflateAgreement) {
        self.agreement = agreement
        minimumLength = options.minimumLength
        codec = options.codec
    }

    /// Returns the compressed form of a payload, or `nil` if it is to be sent as it is (RFC 7692, 6).
    mutating func compressed(_ payload: [UInt8]) -> [UInt8]? {
        guard payload.count >= minimumLength else { return nil }
        // RFC 7692, 7.2.3.6: the compressed form of nothing, which needs no compressor.
        guard !payload.isEmpty else { return [0] }
        if deflater == nil { deflater = codec.makeDeflater(windowBits: agreement.windowBits) }
        guard let deflater else { return nil }
        let compressed = payload.withUnsafeBytes { deflater.deflate($0) }
        guard let compressed, compressed.count < payload.count else {
            // The other end will not see this message in its window.
            deflater.reset()
            return nil
        }
        if !agreement.keepsContext { deflater.reset() }
        return compressed
    }
}

/// Decompresses what a connection receives, as was agreed.
struct IncomingCompression {
    /// Bytes that are decompressed before they are looked at: no message grows by more at a time.
    private static let pieceLength = 32 << 10
    /// What the sender has left out (RFC 7692, 7.2.2).
    private static let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]

    private let agreement: DeflateAgreement
    private let codec: any DeflateCodec
    /// Made for the first message that is compressed.
    private var inflater: (any MessageInflater)?
    private var piece: [UInt8] = []
    private var isBetweenBlocks = true

    init(_ options: DeflateOptions, _ agreement: DeflateAgreement) {
        self.agreement = agreement
        codec = options.codec
    }

    /// Decompresses bytes of a message into its body, which says when it is too much.
    mutating func inflate(_ bytes: UnsafeRawBufferPointer, into body: inout MessageBody) throws(ProtocolViolation) {
        if inflater == nil {
            inflater = codec.makeInflater()
            piece = [UInt8](repeating: 0, count: Self.pieceLength)
        }
        guard let inflater else { throw .decompressionUnavailable }
        var rest = bytes
        while true {
            // One byte too many shows that there is too much.
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
            // Output may be held back as long as there was no room for it.
            guard step.produced == capacity || !rest.isEmpty else { return }
            guard step.produced > 0 || step.consumed > 0 else { return }
        }
    }

    /// Ends a message: decompresses the tail that was not sent, behind which no block may be open.
    mutating func finish(_ body: inout MessageBody) throws(ProtocolViolation) {
        try Self.tail.withUnsafeBufferPointer { (tail) throws(ProtocolViolation) in
            try inflate(UnsafeRawBufferPointer(tail), into: &body)
        }
        guard isBetweenBlocks else { throw .damagedCompression }
        if !agreement.peerKeepsContext { inflater?.reset() }
    }
}
