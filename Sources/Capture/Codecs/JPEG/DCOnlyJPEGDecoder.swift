import Recording

/// Decodes plain baseline JPEGs at an eighth of their size, faster than libjpeg-turbo and with the same result.
///
/// Only the first coefficient of a luma block counts: the others are stepped over, several symbols at a time.
/// Anything else is refused and left to libjpeg-turbo.
final class DCOnlyJPEGDecoder {
    private var segments = EntropySegments()
    /// The tables, by the index in `BaselineScan.huffman`; kept, because a session's images mostly share them.
    private var tables: [HuffmanTable?] = Array(repeating: nil, count: 8)
    /// The samples of one row of units, component by component.
    private var samples: [UInt8] = []
    private let quantisation = UnsafeMutablePointer<Int>.allocate(capacity: 3 * 64)
    private let block = UnsafeMutablePointer<Int32>.allocate(capacity: 64)

    init() {
        quantisation.initialize(repeating: 0, count: 3 * 64)
        block.initialize(repeating: 0, count: 64)
    }

    deinit {
        quantisation.deallocate()
        block.deallocate()
    }

    /// Fills an image, using its storage again; false where it cannot, and then the image's content means nothing.
    ///
    /// `accepts` is asked about the size before anything is allocated.
    func decode(
        _ bytes: UnsafeRawBufferPointer,
        into image: inout RGBImage,
        accepts: (_ width: Int, _ height: Int) -> Bool
    ) -> Bool {
        guard let scan = BaselineScan(bytes), accepts(scan.width, scan.height), prepareTables(scan),
            let layout = ScanLayout(scan, tables: tables, quantisation: quantisation),
            segments.load(bytes, from: scan.dataStart)
        else { return false }
        image.resize(width: (scan.width + 7) / 8, height: (scan.height + 7) / 8)
        if samples.count < layout.sampleCount { samples = [UInt8](repeating: 0, count: layout.sampleCount) }
        return segments.bytes.withUnsafeBytes { data in
            samples.withUnsafeMutableBufferPointer { samples in
                image.pixels.withUnsafeMutableBufferPointer { pixels in
                    guard let start = data.baseAddress, let samples = samples.baseAddress else { return false }
                    let output = ColourRow(layout, width: image.width, height: image.height, pixels: pixels)
                    return decodeUnits(layout, start, samples, output)
                }
            }
        }
    }

    private func prepareTables(_ scan: BaselineScan) -> Bool {
        for component in scan.components {
            for number in [component.dcTable, component.acTable]
            where tables[number]?.definition != scan.huffman[number] {
                // F.1.2.1.1: a first coefficient has at most 11 bits.
                if number < 4, scan.huffman[number].dropFirst(16).contains(where: { $0 > 11 }) { return false }
                tables[number] = HuffmanTable(definition: scan.huffman[number])
                if tables[number] == nil { return false }
            }
        }
        return true
    }

    private func decodeUnits(
        _ layout: ScanLayout,
        _ start: UnsafeRawPointer,
        _ samples: UnsafeMutablePointer<UInt8>,
        _ output: ColourRow
    ) -> Bool {
        let interval = layout.restartInterval > 0 ? layout.restartInterval : layout.unitCount
        let ends = segments.ends
        guard ends.count == (layout.unitCount + interval - 1) / interval else { return false }
        // A damaged image may have been left in the middle of a block.
        block.update(repeating: 0, count: 64)
        var decoder = BlockDecoder(BitSource(start), block: block)
        var segment = 0
        var untilRestart = interval
        for row in 0..<layout.unitRows {
            var column = 0
            while column < layout.unitsPerRow {
                if untilRestart == 0 {
                    guard isAtEnd(decoder.source, start, ends[segment]) else { return false }
                    decoder.restart(BitSource(start + ends[segment]))
                    segment += 1
                    untilRestart = interval
                }
                let count = min(untilRestart, layout.unitsPerRow - column)
                let isSound = decoder.decode(
                    layout,
                    columns: column..<column + count,
                    from: start,
                    bitLimit: 8 * ends[segment],
                    into: samples
                )
                guard isSound else { return false }
                column += count
                untilRestart -= count
            }
            output.write(UnsafePointer(samples), unitRow: row)
        }
        return isAtEnd(decoder.source, start, ends[segment])
    }

    /// Less than a byte is left: the padding that ends an interval.
    private func isAtEnd(_ source: BitSource, _ start: UnsafeRawPointer, _ end: Int) -> Bool {
        (0..<8).contains(8 * end - source.bitsUsed(since: start))
    }
}

extension RGBImage {
    /// Gives the image a size, keeping its storage where that fits; new pixels are grey, as libjpeg has them.
    mutating func resize(width: Int, height: Int) {
        self.width = width
        self.height = height
        if pixels.count != 3 * width * height { pixels = [UInt8](repeating: 128, count: 3 * width * height) }
    }
}
