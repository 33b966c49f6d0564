import Codecs
import Messages
import Recording

/// The pixels of images in messages; of depth and its confidence in the sensor's landscape grid, however they are stored.
enum BagPictures {
    /// No phone writes a picture of more pixels than this.
    private static let mostPixels = 64 << 20

    /// A picture that is not as a message should have it.
    struct Unreadable: Error, CustomStringConvertible {
        var expected: String
        var found: String
        var description: String { found }
    }

    /// A depth image in metres; NaN where a pixel has none.
    ///
    /// `32FC1` is metres, `16UC1` and `mono16` are millimetres (REP-118), 0 is none.
    static func depth(_ image: Image) throws(Unreadable) -> DepthMap {
        let isFloat = image.encoding == "32FC1"
        guard isFloat || image.encoding == "16UC1" || image.encoding == "mono16" else {
            throw Unreadable(expected: "depth as 32FC1 or 16UC1", found: "\"\(image.encoding)\"")
        }
        let size = try size(of: image, bytesPerPixel: isFloat ? 4 : 2)
        let isBig = image.isBigEndian != 0
        let metres = [Float](unsafeUninitializedCapacity: size.count) { output, filled in
            image.data.withUnsafeBytes { bytes in
                for row in 0..<size.height {
                    let start = row * Int(image.step)
                    for column in 0..<size.width {
                        output[row * size.width + column] =
                            isFloat
                            ? Self.float(bytes, start + 4 * column, isBig)
                            : Self.metres(bytes, start + 2 * column, isBig)
                    }
                }
            }
            filled = size.count
        }
        return DepthMap(width: size.width, height: size.height, metres: metres).inSensorGrid(turn(image.header))
    }

    private static func turn(_ header: Header) -> ImageOrientation {
        ImageOrientation(opticalFrame: header.frameID) ?? .landscapeRight
    }

    private static func float(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ isBig: Bool) -> Float {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
        return Float(bitPattern: isBig ? UInt32(bigEndian: word) : UInt32(littleEndian: word))
    }

    private static func metres(_ bytes: UnsafeRawBufferPointer, _ place: Int, _ isBig: Bool) -> Float {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt16.self)
        return millimetres(isBig ? UInt16(bigEndian: word) : UInt16(littleEndian: word))
    }

    private static func millimetres(_ value: UInt16) -> Float { value == 0 ? .nan : Float(value) / 1000 }

    /// A depth image as compressed_depth_image_transport packs it: a PNG of 16 bits behind 12 bytes.
    ///
    /// Millimetres for `16UC1`; for `32FC1` steps of inverse depth, whose two parameters are in the 12 bytes.
    static func depth(_ image: CompressedImage) throws -> DepthMap {
        let headBytes = 12
        guard image.format.contains("compressedDepth"), !image.format.contains("rvl"), image.data.count > headBytes
        else {
            throw Unreadable(expected: "a compressedDepth png", found: "\"\(image.format)\"")
        }
        let grid = try PNGGrid<UInt16>(decoding: Array(image.data[headBytes...]))
        let (width, height) = (grid.size.width, grid.size.height)
        guard image.format.hasPrefix("32FC1") else {
            return DepthMap(width: width, height: height, metres: grid.samples.map(millimetres))
                .inSensorGrid(turn(image.header))
        }
        let (a, b) = image.data.withUnsafeBytes { (float($0, 4, false), float($0, 8, false)) }
        let metres = grid.samples.map { step in
            let depth = a / (Float(step) - b)
            return step == 0 || !depth.isFinite || depth <= 0 ? .nan : depth
        }
        return DepthMap(width: width, height: height, metres: metres).inSensorGrid(turn(image.header))
    }

    /// An image of one byte a pixel.
    static func grey(_ image: Image) throws(Unreadable) -> GrayImage {
        guard image.encoding == "mono8" || image.encoding == "8UC1" else {
            throw Unreadable(expected: "mono8", found: "\"\(image.encoding)\"")
        }
        let size = try size(of: image, bytesPerPixel: 1)
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.count)
        for row in 0..<size.height {
            let start = row * Int(image.step)
            pixels += image.data[start..<start + size.width]
        }
        let grid = turn(image.header).inSensorGrid(pixels, storedWidth: size.width, storedHeight: size.height)
        return GrayImage(width: grid.width, height: grid.height, pixels: grid.values)
    }

    /// A colour image, or one of brightness alone, as the bytes of a PNG without loss.
    static func png(_ image: Image) throws -> [UInt8] {
        let places: [String: (count: Int, red: Int, green: Int, blue: Int)] = [
            "rgb8": (3, 0, 1, 2), "bgr8": (3, 2, 1, 0), "rgba8": (4, 0, 1, 2), "bgra8": (4, 2, 1, 0),
            "mono8": (1, 0, 0, 0),
        ]
        guard let place = places[image.encoding] else {
            throw Unreadable(expected: "rgb8, bgr8, rgba8, bgra8 or mono8", found: "\"\(image.encoding)\"")
        }
        let size = try size(of: image, bytesPerPixel: place.count)
        let pixels = [UInt8](unsafeUninitializedCapacity: 3 * size.count) { output, filled in
            image.data.withUnsafeBytes { bytes in
                var target = 0
                for row in 0..<size.height {
                    var source = row * Int(image.step)
                    for _ in 0..<size.width {
                        output[target] = bytes[source + place.red]
                        output[target + 1] = bytes[source + place.green]
                        output[target + 2] = bytes[source + place.blue]
                        (target, source) = (target + 3, source + place.count)
                    }
                }
            }
            filled = 3 * size.count
        }
        // The fastest level: it is read again at once.
        return try PNG.encode(RGBImage(width: size.width, height: size.height, pixels: pixels), level: 1)
    }

    /// The size of an image all of whose rows are there.
    private static func size(of image: Image, bytesPerPixel: Int) throws(Unreadable) -> GridSize {
        let (width, height, step) = (Int(image.width), Int(image.height), Int(image.step))
        let (rowBytes, needed) = (width * bytesPerPixel, height.multipliedReportingOverflow(by: step))
        guard width > 0, height > 0, width <= 1 << 16, height <= 1 << 16, width * height <= mostPixels,
            step >= rowBytes, !needed.overflow, image.data.count >= needed.partialValue - step + rowBytes
        else {
            throw Unreadable(
                expected: "rows of \(rowBytes) bytes for \(width)x\(height)",
                found: "\(image.data.count) bytes in rows of \(step)"
            )
        }
        return GridSize(width: width, height: height)
    }
}
