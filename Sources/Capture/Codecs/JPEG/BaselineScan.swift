import Platform

/// The tables and the one interleaved scan of a plain baseline JPEG (ITU-T T.81, annexes B and F).
struct BaselineScan {
    struct Component {
        var identifier: UInt8
        var horizontal: Int
        var vertical: Int
        var quantisation: Int
        var dcTable = 0
        var acTable = 0
    }

    private(set) var width = 0
    private(set) var height = 0
    private(set) var components: [Component] = []
    /// The tables by number: 64 values in zigzag order.
    private(set) var quantisation: [[UInt16]] = Array(repeating: [], count: 4)
    /// The definitions of DC tables 0 to 3, then of AC tables 0 to 3: 16 counts and the symbols.
    private(set) var huffman: [[UInt8]] = Array(repeating: [], count: 8)
    private(set) var restartInterval = 0
    /// Where the entropy-coded data starts.
    private(set) var dataStart = 0
    private var isJFIF = false
    private var adobeTransform: UInt8?

    /// Reads up to the start of the scan; `nil` for anything that is not plain, which libjpeg-turbo decodes.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var markers = JPEGMarkers(bytes)
        guard (try? markers.readStart()) != nil else { return nil }
        let reader = ByteReader(bytes, .big)
        while let segment = try? markers.next() {
            let payload = UnsafeRawBufferPointer(rebasing: bytes[segment.payload])
            switch segment.marker {
            case 0xC0:
                guard components.isEmpty, readFrame(ByteReader(payload, .big)) else { return nil }
            case 0xC4:
                guard readHuffmanTables(payload) else { return nil }
            case 0xDB:
                guard readQuantisation(payload) else { return nil }
            case 0xDD:
                guard let interval = ByteReader(payload, .big).uint16(at: 0) else { return nil }
                restartInterval = interval
            case 0xE0:
                isJFIF = isJFIF || payload.count >= 14 && payload.starts(with: [0x4A, 0x46, 0x49, 0x46, 0])
            case 0xEE:
                if payload.starts(with: [0x41, 0x64, 0x6F, 0x62, 0x65]), payload.count >= 12 {
                    adobeTransform = payload[11]
                }
            case 0xDA:
                guard readScan(ByteReader(payload, .big)), hasPlainColours else { return nil }
                dataStart = segment.payload.upperBound
                return
            case 0xE1...0xED, 0xEF, 0xFE:
                break
            default:
                return nil
            }
            guard reader.count > segment.payload.upperBound else { return nil }
        }
        return nil
    }

    private mutating func readFrame(_ reader: ByteReader) -> Bool {
        guard reader.byte(at: 0) == 8, let height = reader.uint16(at: 1), let width = reader.uint16(at: 3),
            let count = reader.byte(at: 5), reader.count == 6 + 3 * Int(count), width > 0, height > 0
        else { return false }
        self.width = width
        self.height = height
        for index in 0..<Int(count) {
            guard let identifier = reader.byte(at: 6 + 3 * index), let factors = reader.byte(at: 7 + 3 * index),
                let table = reader.byte(at: 8 + 3 * index), table < 4
            else { return false }
            components.append(
                Component(
                    identifier: identifier,
                    horizontal: Int(factors >> 4),
                    vertical: Int(factors & 15),
                    quantisation: Int(table)
                )
            )
        }
        return hasPlainSampling
    }

    /// Grey, or three components with the colour sampled as often as the light, half as often along a row, or in both.
    private var hasPlainSampling: Bool {
        if components.count == 1 { return true }
        guard components.count == 3 else { return false }
        let (h, v) = (components[0].horizontal, components[0].vertical)
        let isColourOnce = components[1...].allSatisfy { $0.horizontal == 1 && $0.vertical == 1 }
        return isColourOnce && ((h, v) == (1, 1) || (h, v) == (2, 1) || (h, v) == (2, 2))
    }

    /// YCbCr, as JFIF, Adobe's marker or the usual identifiers say; anything else is left to libjpeg-turbo.
    private var hasPlainColours: Bool {
        if components.count == 1 { return adobeTransform == nil }
        if isJFIF || adobeTransform == 1 { return true }
        return adobeTransform == nil && components.map { $0.identifier } == [1, 2, 3]
    }

    private mutating func readQuantisation(_ payload: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < payload.count {
            // Eight bits a value, and one of four tables.
            guard payload[place] < 4, payload.count - place >= 65 else { return false }
            let values = payload[(place + 1)..<(place + 65)].map { UInt16($0) }
            guard !values.contains(0) else { return false }
            quantisation[Int(payload[place])] = values
            place += 65
        }
        return true
    }

    private mutating func readHuffmanTables(_ payload: UnsafeRawBufferPointer) -> Bool {
        var place = 0
        while place < payload.count {
            guard payload.count - place >= 17 else { return false }
            let kind = Int(payload[place] >> 4)
            let number = Int(payload[place] & 15)
            let count = payload[(place + 1)..<(place + 17)].reduce(0) { $0 + Int($1) }
            guard kind < 2, number < 4, count <= 256, payload.count - place - 17 >= count else { return false }
            huffman[4 * kind + number] = Array(payload[(place + 1)..<(place + 17 + count)])
            place += 17 + count
        }
        return true
    }

    /// B.2.3: all components in the frame's order, the full spectrum, no successive approximation.
    private mutating func readScan(_ reader: ByteReader) -> Bool {
        guard !components.isEmpty, reader.count == 4 + 2 * components.count,
            reader.byte(at: 0) == UInt8(components.count)
        else { return false }
        for index in components.indices {
            guard reader.byte(at: 1 + 2 * index) == components[index].identifier,
                let tables = reader.byte(at: 2 + 2 * index), tables >> 4 < 4, tables & 15 < 4,
                quantisation[components[index].quantisation].count == 64
            else { return false }
            components[index].dcTable = Int(tables >> 4)
            components[index].acTable = 4 + Int(tables & 15)
        }
        let end = 1 + 2 * components.count
        return reader.byte(at: end) == 0 && reader.byte(at: end + 1) == 63 && reader.byte(at: end + 2) == 0
    }
}
