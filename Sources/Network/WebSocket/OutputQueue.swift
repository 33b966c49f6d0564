/// A queue of bytes that wait to be sent.
///
/// Payloads are kept without a copy and masked piece by piece while they are taken.
struct OutputQueue: Sendable {
    private enum Segment: Sendable {
        case plain([UInt8])
        case masked([UInt8], MaskingKey)

        var bytes: [UInt8] {
            switch self {
            case .plain(let bytes), .masked(let bytes, _): bytes
            }
        }
    }

    private var segments: [Segment] = []
    private var firstIndex = 0
    /// How much of the first segment has been taken.
    private var offset = 0
    private(set) var byteCount = 0
    private var takenByteCount = 0

    /// The position of the next byte, counted from the first one ever queued.
    var endPosition: Int { takenByteCount &+ byteCount }

    /// True if the bytes up to a position are taken.
    func isTaken(upTo position: Int) -> Bool { takenByteCount >= position }

    mutating func append(_ bytes: [UInt8], maskingKey: MaskingKey? = nil) {
        guard !bytes.isEmpty else { return }
        byteCount += bytes.count
        segments.append(maskingKey.map { .masked(bytes, $0) } ?? .plain(bytes))
    }

    mutating func append(_ header: FrameHeader, payload: [UInt8]) {
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        append(bytes)
        append(payload, maskingKey: header.maskingKey)
    }

    /// Appends an unmasked frame whose payload is in two parts, of which the first is small.
    mutating func append(_ header: FrameHeader, head: [UInt8], body: [UInt8]) {
        var bytes: [UInt8] = []
        header.append(to: &bytes)
        append(bytes + head)
        append(body)
    }

    /// Moves as many bytes as fit into `destination` and returns their number.
    mutating func take(into destination: UnsafeMutableRawBufferPointer) -> Int {
        var written = 0
        while written < destination.count, firstIndex < segments.count {
            written += takeFromFirst(into: UnsafeMutableRawBufferPointer(rebasing: destination[written...]))
        }
        byteCount -= written
        takenByteCount &+= written
        return written
    }

    private mutating func takeFromFirst(into destination: UnsafeMutableRawBufferPointer) -> Int {
        let segment = segments[firstIndex]
        let count = min(destination.count, segment.bytes.count - offset)
        segment.bytes.withUnsafeBytes { bytes in
            let piece = UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
            switch segment {
            case .plain: destination.copyMemory(from: piece)
            case .masked(_, let key): key.mask(piece, into: destination, offset: offset)
            }
        }
        offset += count
        if offset == segment.bytes.count { removeFirst() }
        return count
    }

    private mutating func removeFirst() {
        // Releases the payload at once, so that the sender can use its memory again.
        segments[firstIndex] = .plain([])
        firstIndex += 1
        offset = 0
        if firstIndex == segments.count {
            segments.removeAll(keepingCapacity: true)
            firstIndex = 0
        }
    }
}

/// Counts the unsent pongs of a client, so that a server that pings without reading cannot make them pile up.
///
/// A client keeps reading even with unsent output, because confirmations may arrive; a server stops reading instead. A
/// ping need not be answered while earlier pongs are unsent (RFC 6455, 5.5.3).
struct WaitingPongs: Sendable {
    private static let limit = 256

    private var count = 0
    /// The output position at which the last pong ends.
    private var lastPosition = 0

    mutating func mayAdd(to output: OutputQueue) -> Bool {
        if output.isTaken(upTo: lastPosition) { count = 0 }
        return count < WaitingPongs.limit
    }

    mutating func noteAdded(to output: OutputQueue) {
        count += 1
        lastPosition = output.endPosition
    }
}
