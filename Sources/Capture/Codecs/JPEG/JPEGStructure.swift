import Platform

/// Checks that the parts of a JPEG are all there and fit together, as far as its markers tell (ITU-T T.81, annex B).
///
/// Says only what makes every decoder refuse the image; what passes may still be damaged inside of its coded data.
struct JPEGStructure {
    /// The first thing that is wrong.
    private(set) var problem: CodecError?

    private struct Component {
        var identifier: UInt8
        var horizontal: Int
        var vertical: Int
        var table: Int
    }

    /// The least that the coded data of a scan has to hold.
    private struct Scan {
        var offset: Int
        var restarts: Int
        var leastBytes: Int
        /// Arithmetic coding leaves out zeros at the end, so that an interval may be empty.
        var isHuffmanCoded: Bool
    }

    private let bytes: UnsafeRawBufferPointer
    private var frameMarker: UInt8 = 0
    private var size = (width: 0, height: 0)
    private var components: [Component] = []
    private var definedTables: Set<Int> = []
    private var restartInterval = 0
    private var scan: Scan?
    private var hasScan = false

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    mutating func add(_ segment: JPEGMarkers.Segment) {
        guard problem == nil else { return }
        if let scan, let data = segment.scanBefore { judge(data, scan) }
        let payload = ByteReader(UnsafeRawBufferPointer(rebasing: bytes[segment.payload]), .big)
        switch segment.marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: readFrame(payload, segment.marker)
        case 0xDB: readTables(payload)
        case 0xDD: restartInterval = payload.uint16(at: 0) ?? 0
        case 0xDA: beginScan(payload, at: segment.offset)
        case 0xD9:
            if !hasScan { refuse(at: segment.offset, "expected a scan, found the end of the image") }
        case 0x02...0xBF, 0xC8, 0xDE, 0xDF, 0xF0...0xFD:
            refuse(
                at: segment.offset,
                "expected a marker of T.81, found the reserved FF \(hexadecimal(segment.marker))"
            )
        default: break
        }
    }

    private mutating func refuse(at offset: Int, _ reason: String) {
        if problem == nil { problem = CodecError(.jpeg, at: offset, reason) }
    }

    /// B.2.2; that the lengths fit was checked before.
    private mutating func readFrame(_ payload: ByteReader, _ marker: UInt8) {
        frameMarker = marker
        size = (payload.uint16(at: 3) ?? 0, payload.uint16(at: 1) ?? 0)
        components = (0..<Int(payload.byte(at: 5) ?? 0)).map { index in
            let factors = payload.byte(at: 7 + 3 * index) ?? 0
            return Component(
                identifier: payload.byte(at: 6 + 3 * index) ?? 0,
                horizontal: max(1, Int(factors >> 4)),
                vertical: max(1, Int(factors & 15)),
                table: Int(payload.byte(at: 8 + 3 * index) ?? 0)
            )
        }
    }

    /// B.2.4.1: tables of 64 values, of a byte or two each.
    private mutating func readTables(_ payload: ByteReader) {
        var place = 0
        while let head = payload.byte(at: place) {
            definedTables.insert(Int(head & 15))
            place += 1 + (head >> 4 == 0 ? 64 : 128)
        }
    }

    /// B.2.3: which components of the frame the scan codes.
    private mutating func beginScan(_ payload: ByteReader, at offset: Int) {
        hasScan = true
        guard !components.isEmpty else { return refuse(at: offset, "expected a frame header before the first scan") }
        let count = Int(payload.byte(at: 0) ?? 0)
        guard (1...4).contains(count), payload.count == 4 + 2 * count else {
            return refuse(at: offset, "scan header of \(count) components does not fit its \(payload.count) bytes")
        }
        var coded: [Component] = []
        for index in 0..<count {
            let identifier = payload.byte(at: 1 + 2 * index) ?? 0
            guard let component = components.first(where: { $0.identifier == identifier }) else {
                return refuse(at: offset, "scan of component \(identifier), which the frame does not have")
            }
            coded.append(component)
        }
        let isLossless = [0xC3, 0xC7, 0xCB, 0xCF].contains(frameMarker)
        if !isLossless, let missing = coded.first(where: { !definedTables.contains($0.table) }) {
            return refuse(at: offset, "quantisation table \(missing.table) is not defined")
        }
        scan = isLossless ? nil : expectation(of: coded, at: offset)
    }

    private func expectation(of coded: [Component], at offset: Int) -> Scan {
        let units = unitCount(of: coded)
        let blocks = coded.count == 1 ? units : units * coded.reduce(0) { $0 + $1.horizontal * $1.vertical }
        let isHuffmanCoded = frameMarker < 0xC8
        // F.1.2: sequential coding has at least a bit for the first coefficient of a block and one for its end.
        let isSequential = frameMarker == 0xC0 || frameMarker == 0xC1
        return Scan(
            offset: offset,
            restarts: restartInterval > 0 ? (units + restartInterval - 1) / restartInterval - 1 : 0,
            leastBytes: isSequential ? (2 * blocks + 7) / 8 : 1,
            isHuffmanCoded: isHuffmanCoded
        )
    }

    /// A.2: interleaved units of all components, or blocks of one.
    private func unitCount(of coded: [Component]) -> Int {
        let across = components.map(\.horizontal).max() ?? 1
        let down = components.map(\.vertical).max() ?? 1
        guard coded.count == 1, let component = coded.first else {
            return ceiling(size.width, 8 * across) * ceiling(size.height, 8 * down)
        }
        let width = ceiling(size.width * component.horizontal, across)
        let height = ceiling(size.height * component.vertical, down)
        return ceiling(width, 8) * ceiling(height, 8)
    }

    private mutating func judge(_ data: JPEGMarkers.ScanData, _ scan: Scan) {
        self.scan = nil
        guard scan.isHuffmanCoded else { return }
        if data.byteCount < scan.leastBytes {
            refuse(at: scan.offset, "expected at least \(scan.leastBytes) bytes of coded data, found \(data.byteCount)")
        } else if data.restartCount < scan.restarts {
            refuse(at: scan.offset, "expected \(scan.restarts) restart markers, found \(data.restartCount)")
        } else if data.restartCount == scan.restarts, !data.isInOrder {
            refuse(at: scan.offset, "restart markers out of order")
        } else if data.restartCount == scan.restarts, data.hasEmptyInterval {
            refuse(at: scan.offset, "nothing between two restart markers")
        }
    }
}

private func ceiling(_ value: Int, _ divisor: Int) -> Int { (value + divisor - 1) / divisor }

private func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return digits.utf8.count == 1 ? "0" + digits : digits
}
