import Codecs
import Perception
import Platform
import Recording
import SystemPackage

/// Images that are searched for tags, and pictures of what was found.
enum TagPicture {
    private static let maximumBytes = 256 << 20

    /// - Throws: a ``InputError`` for what is no JPEG and no PNG.
    static func read(_ path: String) throws(InputError) -> RGBImage {
        let bytes: [UInt8]
        do {
            let (descriptor, count) = try RegularFile.open(FilePath(path))
            try? descriptor.close()
            guard count <= maximumBytes else {
                throw InputError(path: path, problem: "expected at most \(maximumBytes) bytes, found \(count)")
            }
            bytes = try RegularFile.head(of: FilePath(path), byteCount: count)
        } catch let error as InputError {
            throw error
        } catch {
            throw InputError(path: path, problem: "expected a readable image, found \(error)", isMissing: true)
        }
        do throws(CodecError) {
            if bytes.starts(with: [0xFF, 0xD8]) { return try JPEGDecoder().decode(bytes) }
            let image = try PNGImage(decoding: bytes)
            guard image.channels == 4 else {
                return RGBImage(width: image.width, height: image.height, pixels: image.pixels)
            }
            let pixels = (0..<image.width * image.height).flatMap { image.pixels[4 * $0..<4 * $0 + 3] }
            return RGBImage(width: image.width, height: image.height, pixels: pixels)
        } catch {
            throw InputError(path: path, problem: "\(error)")
        }
    }

    static func write(_ image: RGBImage, to folder: OutputFolder, name: String) throws {
        try OutputFile.write(PNG.encode(image, level: 3), to: folder.file(name))
    }

    /// The outline in green, the tag's x axis in red and its y axis in blue, from the bottom left corner.
    static func draw(_ tag: TagDetection, on image: inout RGBImage) {
        let p = tag.corners
        line(p[1], p[2], [0, 230, 60], on: &image)
        line(p[2], p[3], [0, 230, 60], on: &image)
        line(p[0], p[1], [240, 30, 30], on: &image)
        line(p[0], p[3], [40, 80, 255], on: &image)
        let middle = p.reduce(SIMD2<Double>.zero, +) / 4
        number(tag.id, at: middle, on: &image)
    }

    private static func line(_ a: SIMD2<Double>, _ b: SIMD2<Double>, _ colour: [UInt8], on image: inout RGBImage) {
        let span = b - a
        let steps = max(1, min(20_000, Int(max(abs(span.x), abs(span.y)).rounded(.up))))
        for step in 0...steps { dot(a + span * (Double(step) / Double(steps)), 1, colour, on: &image) }
    }

    private static func dot(_ place: SIMD2<Double>, _ radius: Int, _ colour: [UInt8], on image: inout RGBImage) {
        guard abs(place.x) < 1e6, abs(place.y) < 1e6 else { return }
        let (x, y) = (Int(place.x.rounded()), Int(place.y.rounded()))
        for row in y - radius...y + radius where (0..<image.height).contains(row) {
            for column in x - radius...x + radius where (0..<image.width).contains(column) {
                for channel in 0..<3 { image.pixels[3 * (row * image.width + column) + channel] = colour[channel] }
            }
        }
    }

    /// Digits of five rows of three dots.
    private static let digits: [[UInt8]] = [
        [7, 5, 5, 5, 7], [2, 6, 2, 2, 7], [7, 1, 7, 4, 7], [7, 1, 7, 1, 7], [5, 5, 7, 1, 1],
        [7, 4, 7, 1, 7], [7, 4, 7, 5, 7], [7, 1, 1, 1, 1], [7, 5, 7, 5, 7], [7, 5, 7, 1, 7],
    ]

    private static func number(_ value: Int, at middle: SIMD2<Double>, on image: inout RGBImage) {
        let text = "\(max(0, value))".compactMap(\.wholeNumberValue)
        let size = 5.0
        let origin = middle - SIMD2(Double(text.count) * 2 * size, 2.5 * size)
        for (place, digit) in text.enumerated() {
            for row in 0..<5 {
                for column in 0..<3 where digits[digit][row] >> UInt8(2 - column) & 1 == 1 {
                    let at = origin + SIMD2(Double(4 * place + column), Double(row)) * size
                    dot(at, 2, [255, 200, 0], on: &image)
                }
            }
        }
    }
}
