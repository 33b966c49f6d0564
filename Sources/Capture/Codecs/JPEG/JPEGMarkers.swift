import Glibc
import Platform

/// Walks the marker segments of a JPEG in order and steps over entropy-coded data.
struct JPEGMarkers {
    struct Segment {
        var marker: UInt8
        /// The place of the marker's 0xFF.
        var offset: Int
        /// The bytes after the length field; empty for a marker that stands alone.
        var payload: Range<Int>
        /// The parts of the entropy-coded data before the marker, where the marker ends a scan.
        var scanBefore: ScanData?
    }

    /// The entropy-coded data of a scan, as far as it shows without decoding.
    struct ScanData {
        var byteCount = 0
        var restartCount = 0
        /// True if the restart markers count from 0 to 7 and begin again (T.81, E.1.4).
        var isInOrder = true
        /// True if nothing is between two markers.
        var hasEmptyInterval = false
    }

    private let reader: ByteReader
    private var position = 0
    private var isInScan = false
    private var isAtEnd = false

    init(_ bytes: UnsafeRawBufferPointer) {
        reader = ByteReader(bytes, .big)
    }

    /// Steps over the start-of-image marker.
    mutating func readStart() throws(CodecError) {
        guard reader.uint16(at: 0) == 0xFFD8 else {
            throw CodecError(
                .jpeg,
                at: 0,
                "expected FF D8, found \(reader.count < 2 ? "too few bytes" : "other bytes")"
            )
        }
        position = 2
    }

    /// The next segment; `nil` after the end of the image, or where the bytes end in the middle of anything.
    mutating func next() throws(CodecError) -> Segment? {
        guard !isAtEnd else { return nil }
        let scan = isInScan ? skipEntropyCodedData() : nil
        guard let first = reader.byte(at: position) else { return nil }
        guard first == 0xFF else {
            throw CodecError(.jpeg, at: position, "expected a marker, found byte \(first)")
        }
        let offset = position
        // B.1.1.2: any number of fill bytes may stand before a marker.
        while reader.byte(at: position) == 0xFF { position += 1 }
        guard let marker = reader.byte(at: position) else { return nil }
        position += 1
        isAtEnd = marker == 0xD9
        if marker == 0xD9 || marker == 0x01 || (0xD0...0xD8).contains(marker) {
            return Segment(marker: marker, offset: offset, payload: position..<position, scanBefore: scan)
        }
        guard marker != 0 else { throw CodecError(.jpeg, at: offset, "a stuffed byte outside of a scan") }
        guard let length = reader.uint16(at: position) else { return nil }
        guard length >= 2 else { throw CodecError(.jpeg, at: position, "segment length \(length)") }
        guard length <= reader.count - position else { return nil }
        let payload = position + 2..<position + length
        position += length
        isInScan = marker == 0xDA
        return Segment(marker: marker, offset: offset, payload: payload, scanBefore: scan)
    }

    /// Moves to the next marker that is neither a stuffed zero nor a restart marker.
    private mutating func skipEntropyCodedData() -> ScanData {
        isInScan = false
        var scan = ScanData()
        let start = position
        var intervalStart = position
        guard let base = reader.bytes.baseAddress else { return scan }
        while position < reader.count {
            guard let found = memchr(base + position, 0xFF, reader.count - position) else {
                position = reader.count
                break
            }
            let place = UnsafeRawPointer(found) - base
            guard let following = reader.byte(at: place + 1) else {
                position = reader.count
                break
            }
            position = place
            if following == 0 {
                position += 2
            } else if (0xD0...0xD7).contains(following) {
                if place == intervalStart { scan.hasEmptyInterval = true }
                if following != 0xD0 + UInt8(scan.restartCount & 7) { scan.isInOrder = false }
                scan.restartCount += 1
                position += 2
                intervalStart = position
            } else if following == 0xFF {
                position += 1
            } else {
                break
            }
        }
        if position == intervalStart { scan.hasEmptyInterval = true }
        scan.byteCount = position - start
        return scan
    }
}
