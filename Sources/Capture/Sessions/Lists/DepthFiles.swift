import Codecs
import Recording

/// The ways in which apps store depth and confidence.
enum DepthFiles {
    /// 16-bit grey PNG in millimetres; 0 is none.
    @Sendable static func millimetrePNG(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        let grid = try PNGGrid<UInt16>(decoding: bytes)
        return DepthMap(width: grid.size.width, height: grid.size.height, metres: converted(grid.samples) { $0 / 1000 })
    }

    /// 16-bit millimetres as PNG, or as a NumPy array of one version of Stray Scanner: told apart by their first bytes.
    @Sendable static func millimetrePNGOrArray(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        try bytes.starts(with: NumPyArray.signature) ? NumPyArray.millimetres(bytes) : millimetrePNG(bytes)
    }

    /// 8-bit grey PNG, values as they are.
    @Sendable static func grayPNG(_ bytes: [UInt8]) throws(CodecError) -> GrayImage {
        let grid = try PNGGrid<UInt8>(decoding: bytes)
        return GrayImage(width: grid.size.width, height: grid.size.height, pixels: grid.samples)
    }

    /// Metres as OpenEXR, in the one channel `R`; what is not above 0 is none.
    @Sendable static func metresEXR(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        let image = try EXRImage(decoding: bytes)
        return DepthMap(width: image.width, height: image.height, metres: image.values)
    }

    /// 32-bit metres behind Apple's LZFSE; NaN, and what is not above 0, is none.
    ///
    /// - Parameters:
    ///   - size: the size of the grid as it is stored; `nil` where the recording does not say it.
    static func compressedMetres(_ bytes: [UInt8], size: GridSize?, isPortrait: Bool) throws(CodecError) -> DepthMap {
        let (size, values) = try decompressed(bytes, size: size, isPortrait: isPortrait, bytesPerValue: 4)
        return DepthMap(width: size.width, height: size.height, metres: floats(values, count: size.count))
    }

    /// Bytes behind LZFSE.
    static func compressedBytes(_ bytes: [UInt8], size: GridSize?, isPortrait: Bool) throws(CodecError) -> GrayImage {
        let (size, values) = try decompressed(bytes, size: size, isPortrait: isPortrait, bytesPerValue: 1)
        return GrayImage(width: size.width, height: size.height, pixels: values)
    }

    /// 32-bit metres, little-endian, by rows; NaN, and what is not above 0, is none.
    static func rawMetres(_ bytes: [UInt8], size: GridSize) throws(CodecError) -> DepthMap {
        try checkLength(bytes, size, bytesPerValue: 4)
        return DepthMap(width: size.width, height: size.height, metres: floats(bytes, count: size.count))
    }

    /// Bytes by rows.
    static func rawBytes(_ bytes: [UInt8], size: GridSize) throws(CodecError) -> GrayImage {
        try checkLength(bytes, size, bytesPerValue: 1)
        return GrayImage(width: size.width, height: size.height, pixels: bytes)
    }

    /// 16-bit grey PNG in a unit of its own; 0 is none.
    ///
    /// - Parameter columns: So many are taken of a wider map, which was made by repeating pixels, at the centres of
    ///   the pixels that they were.
    static func scaledPNG(_ bytes: [UInt8], metresPerUnit: Float, columns: Int) throws(CodecError) -> DepthMap {
        let grid = try PNGGrid<UInt16>(decoding: bytes)
        let (width, height) = (grid.size.width, grid.size.height)
        guard width > columns else {
            return DepthMap(width: width, height: height, metres: converted(grid.samples) { $0 * metresPerUnit })
        }
        let rows = max(1, height * columns / width)
        var metres: [Float] = []
        metres.reserveCapacity(rows * columns)
        for row in 0..<rows {
            let start = min(height - 1, (2 * row + 1) * height / (2 * rows)) * width
            for column in 0..<columns {
                metres.append(Float(grid.samples[start + (2 * column + 1) * width / (2 * columns)]) * metresPerUnit)
            }
        }
        return DepthMap(width: columns, height: rows, metres: metres)
    }

    /// Faster than `map`, which grows the array value by value.
    @inline(__always)
    private static func converted(_ samples: [UInt16], _ metres: (Float) -> Float) -> [Float] {
        [Float](unsafeUninitializedCapacity: samples.count) { output, filled in
            samples.withUnsafeBufferPointer { input in
                for place in input.indices { output[place] = metres(Float(input[place])) }
            }
            filled = samples.count
        }
    }

    private static func checkLength(_ bytes: [UInt8], _ size: GridSize, bytesPerValue: Int) throws(CodecError) {
        guard bytes.count == size.count * bytesPerValue else {
            throw CodecError(
                .raw,
                at: bytes.count,
                "expected \(size.count * bytesPerValue) bytes for \(size.width)x\(size.height), found \(bytes.count)"
            )
        }
    }

    private static func floats(_ bytes: [UInt8], count: Int) -> [Float] {
        [Float](unsafeUninitializedCapacity: count) { output, filled in
            bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(output).copyMemory(from: $0) }
            filled = count
        }
    }

    /// The sizes of depth from LiDAR and from the front camera, by rows.
    private static let landscapeSizes = [GridSize(width: 256, height: 192), GridSize(width: 640, height: 480)]

    private static func decompressed(
        _ bytes: [UInt8],
        size: GridSize?,
        isPortrait: Bool,
        bytesPerValue: Int
    ) throws(CodecError) -> (GridSize, [UInt8]) {
        if let size { return (size, try LZFSE.decode(bytes, byteCount: size.count * bytesPerValue)) }
        var failure = CodecError(.lzfse, "no size fits")
        for one in landscapeSizes {
            let size = isPortrait ? GridSize(width: one.height, height: one.width) : one
            do throws(CodecError) {
                return (size, try LZFSE.decode(bytes, byteCount: size.count * bytesPerValue))
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

/// Two-dimensional arrays of unsigned 16-bit numbers in NumPy's file format, versions 1 and 2.
enum NumPyArray {
    static let signature: [UInt8] = [0x93, 0x4E, 0x55, 0x4D, 0x50, 0x59]

    /// An array of millimetres, rows first; 0 is none.
    static func millimetres(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        guard bytes.count >= 12, bytes.starts(with: signature), bytes[6] == 1 || bytes[6] == 2 else {
            throw CodecError(.numPy, at: 0, "expected an array of version 1 or 2")
        }
        let lengthBytes = bytes[6] == 1 ? 2 : 4
        let length = bytes[8..<8 + lengthBytes].reversed().reduce(0) { $0 << 8 | Int($1) }
        let start = 8 + lengthBytes
        guard length <= 4096, start + length <= bytes.count else {
            throw CodecError(.numPy, at: 8, "expected a header of at most 4096 bytes, found \(length)")
        }
        let header = String(decoding: bytes[start..<start + length], as: UTF8.self)
        guard header.contains("'<u2'"), header.contains("'fortran_order': False") else {
            throw CodecError(.numPy, at: start, "expected numbers of type <u2 by rows, found \(header.prefix(80))")
        }
        let sides = shape(header)
        guard sides.count == 2, sides.allSatisfy({ (1...8192).contains($0) }) else {
            throw CodecError(.numPy, at: start, "expected two sides of 1 to 8192, found \(header.prefix(80))")
        }
        let (height, width) = (sides[0], sides[1])
        let data = start + length
        guard bytes.count - data == 2 * width * height else {
            throw CodecError(
                .numPy,
                at: bytes.count,
                "expected \(2 * width * height) bytes for \(width)x\(height), found \(bytes.count - data)"
            )
        }
        let metres = (0..<width * height).map { place in
            Float(UInt16(bytes[data + 2 * place]) | UInt16(bytes[data + 2 * place + 1]) << 8) / 1000
        }
        return DepthMap(width: width, height: height, metres: metres)
    }

    /// The numbers in the brackets behind 'shape'.
    private static func shape(_ header: String) -> [Int] {
        guard let key = header.firstRange(of: "'shape':"), let open = header[key.upperBound...].firstIndex(of: "("),
            let close = header[open...].firstIndex(of: ")")
        else { return [] }
        return header[header.index(after: open)..<close].split(separator: ",").compactMap { part in
            Int(part.filter { $0 != " " })
        }
    }
}

/// Pictures that an app has turned by 90 degrees clockwise, with their cameras: what the sensor's landscape image has instead.
enum UprightPicture {
    /// The axes of the landscape image in those of the upright one: its x points down there, its y to the right.
    static let fromLandscape = Quaternion(columns: Vector3(0, -1, 0), Vector3(1, 0, 0), Vector3(0, 0, 1))

    /// The camera of the landscape image, by that of the upright one.
    static func landscape(_ picture: CameraIntrinsics) -> CameraIntrinsics {
        ImageOrientation.portraitUpsideDown.storedIntrinsics(picture)
    }
}
