import Glibc
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

/// How the blocks of a scan make up the rows of the smaller image.
struct ScanLayout {
    /// One component; plain memory, so that copies cost nothing.
    struct Component {
        /// Blocks of one unit of the scan.
        var blocksAcross: Int
        var blocksDown: Int
        /// True if each block gives 2 x 2 samples instead of one, because it stands for twice as many pixels.
        var isDoubled: Bool
        /// Where the component's row of samples starts in the buffer of all of them.
        var start: Int
        /// Samples of one row.
        var stride: Int
        /// In zigzag order.
        var quantisation: UnsafePointer<Int>
        var dc: HuffmanTable.View
        var ac: HuffmanTable.View

        /// Samples of one unit of the scan.
        var samplesAcross: Int { isDoubled ? 2 * blocksAcross : blocksAcross }
        var samplesDown: Int { isDoubled ? 2 * blocksDown : blocksDown }
    }

    let components: [Component]
    let unitsPerRow: Int
    let unitRows: Int
    let restartInterval: Int
    /// The number of samples of one row of units, of all components.
    let sampleCount: Int

    var unitCount: Int { unitsPerRow * unitRows }

    /// `nil` where a table is missing; `quantisation` has room for 64 values of each of three components.
    init?(_ scan: BaselineScan, tables: [HuffmanTable?], quantisation: UnsafeMutablePointer<Int>) {
        // A.2.2: a scan of one component has units of one block, with any sampling factors.
        let isGrey = scan.components.count == 1
        let across = isGrey ? 1 : scan.components[0].horizontal
        let down = isGrey ? 1 : scan.components[0].vertical
        unitsPerRow = (scan.width + 8 * across - 1) / (8 * across)
        unitRows = (scan.height + 8 * down - 1) / (8 * down)
        restartInterval = scan.restartInterval
        var components: [Component] = []
        var start = 0
        for (index, component) in scan.components.enumerated() {
            guard let dc = tables[component.dcTable], let ac = tables[component.acTable] else { return nil }
            let values = quantisation + 64 * index
            for (place, value) in scan.quantisation[component.quantisation].enumerated() { values[place] = Int(value) }
            var entry = Component(
                blocksAcross: index == 0 ? across : 1,
                blocksDown: index == 0 ? down : 1,
                isDoubled: index > 0 && across == 2 && down == 2,
                start: start,
                stride: 0,
                quantisation: UnsafePointer(values),
                dc: dc.view,
                ac: ac.view
            )
            entry.stride = unitsPerRow * entry.samplesAcross
            start += entry.stride * entry.samplesDown
            components.append(entry)
        }
        self.components = components
        sampleCount = start
    }
}

/// The entropy-coded data of a scan without its stuffed zeros, in one buffer that is used again.
struct EntropySegments {
    /// The number of bytes that may be read beyond the end of the data: one unit of the scan cannot be longer.
    static let padding = 4096

    private(set) var bytes: [UInt8] = []
    /// Where each restart interval ends in `bytes`.
    private(set) var ends: [Int] = []

    /// Copies the data from `start` to the end of the image; false where markers are out of order, or anything else
    /// than the end of the image follows.
    mutating func load(_ source: UnsafeRawBufferPointer, from start: Int) -> Bool {
        let needed = source.count - start + EntropySegments.padding
        if bytes.count < needed { bytes = [UInt8](repeating: 0, count: needed) }
        var newEnds: [Int] = []
        let count = bytes.withUnsafeMutableBytes { output in
            EntropySegments.copy(source, from: start, to: output, ends: &newEnds)
        }
        ends = newEnds
        guard let count else { return false }
        for place in count..<(count + EntropySegments.padding) { bytes[place] = 0 }
        return true
    }

    private static func copy(
        _ source: UnsafeRawBufferPointer,
        from start: Int,
        to output: UnsafeMutableRawBufferPointer,
        ends: inout [Int]
    ) -> Int? {
        guard let input = source.baseAddress, let target = output.baseAddress else { return nil }
        var place = start
        var count = 0
        while place < source.count {
            guard let found = memchr(input + place, 0xFF, source.count - place) else { return nil }
            let marker = UnsafeRawPointer(found) - input
            guard marker + 1 < source.count else { return nil }
            let length = marker - place
            memcpy(target + count, input + place, length)
            count += length
            switch source[marker + 1] {
            case 0:
                output[count] = 0xFF
                count += 1
            case 0xD0...0xD7:
                guard source[marker + 1] == 0xD0 + UInt8(ends.count & 7) else { return nil }
                ends.append(count)
            case 0xD9:
                ends.append(count)
                return count
            default:
                return nil
            }
            place = marker + 2
        }
        return nil
    }
}
