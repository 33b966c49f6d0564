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

/// Inverse cosine transforms of a block of 8 x 8 to one pixel, or to 2 x 2, in the integer arithmetic of libjpeg.
///
/// A pixel of the smaller image stands for 8 x 8, or 4 x 4, pixels; of the cosine terms, even ones other than the first
/// cancel in a half of the block, so that the terms 0, 1, 3, 5 and 7 remain.
enum ReducedTransform {
    /// 2^13 times the weights of the terms 1, 3, 5 and 7.
    private static let weight1 = 29_692
    private static let weight3 = -10_426
    private static let weight5 = 6_967
    private static let weight7 = -5_906

    /// One sample, less 128, from the first coefficient, dequantised.
    @inline(__always)
    static func single(_ dc: Int) -> Int {
        (dc &+ 4) &>> 3
    }

    /// Four samples, less 128, row by row, from dequantised coefficients in natural order.
    ///
    /// `nil` where a half column leaves 16 bits, which no sound image does: libjpeg-turbo's fast code saturates there.
    @inline(__always)
    static func double(_ c: UnsafePointer<Int32>) -> (Int, Int, Int, Int)? {
        let column0 = column(c, 0)
        let column1 = column(c, 1)
        let column3 = column(c, 3)
        let column5 = column(c, 5)
        let column7 = column(c, 7)
        let excess = beyond16(column0) | beyond16(column1) | beyond16(column3) | beyond16(column5) | beyond16(column7)
        guard excess == 0 else { return nil }
        let top = row(column0.0, column1.0, column3.0, column5.0, column7.0)
        let bottom = row(column0.1, column1.1, column3.1, column5.1, column7.1)
        return (top.0, top.1, bottom.0, bottom.1)
    }

    /// True if a sound image may have the value: far beyond the range, libjpeg's table wraps around.
    @inline(__always)
    static func isSound(_ value: Int) -> Bool {
        value >= -384 && value < 512
    }

    @inline(__always)
    static func sample(_ value: Int) -> UInt8 {
        UInt8(truncatingIfNeeded: max(0, min(255, value &+ 128)))
    }

    /// T.81, figure A.6: the place in a row-major block of a coefficient of the zigzag sequence, 0 to 63.
    @inline(__always)
    static func naturalOrder(_ place: Int) -> UInt8 {
        zigzag[place]
    }

    private static let zigzag: InlineArray<64, UInt8> = [
        0, 1, 8, 16, 9, 2, 3, 10, 17, 24, 32, 25, 18, 11, 4, 5, 12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6, 7, 14,
        21, 28,
        35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54,
        47,
        55, 62, 63,
    ]

    @inline(__always)
    private static func beyond16(_ halves: (Int, Int)) -> Int {
        ((halves.0 &+ 32_768) | (halves.1 &+ 32_768)) & ~0xFFFF
    }

    /// The upper and the lower half of a column, with two more bits of precision.
    @inline(__always)
    private static func column(_ c: UnsafePointer<Int32>, _ index: Int) -> (Int, Int) {
        let even = Int(c[index]) &<< 15
        let odd =
            Int(c[index &+ 8]) &* weight1 &+ Int(c[index &+ 24]) &* weight3
            &+ Int(c[index &+ 40]) &* weight5 &+ Int(c[index &+ 56]) &* weight7
        return ((even &+ odd &+ 4096) &>> 13, (even &- odd &+ 4096) &>> 13)
    }

    @inline(__always)
    private static func row(_ c0: Int, _ c1: Int, _ c3: Int, _ c5: Int, _ c7: Int) -> (Int, Int) {
        let even = c0 &<< 15
        let odd = c1 &* weight1 &+ c3 &* weight3 &+ c5 &* weight5 &+ c7 &* weight7
        return ((even &+ odd &+ 524_288) &>> 20, (even &- odd &+ 524_288) &>> 20)
    }
}
