import Recording

/// The heights of an uncompressed TIFF of Float32, in strips or tiles; of several samples a pixel the first.
struct TIFFHeights {
    /// No map tile is larger, and so no more memory is taken, whatever the file claims.
    private static let sides = 1...4096

    let size: GridSize
    /// Row by row from the top.
    let metres: [Float]
    /// The value that stands for no height, according to the file.
    let noData: Double?

    init(_ bytes: [UInt8]) throws(CodecError) {
        self = try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            try TIFFHeights(UnsafeRawBufferPointer(buffer))
        }
    }

    private init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        let directory = try TIFFDirectory(bytes)
        func require(_ tag: TIFFDirectory.Tag, _ what: String, _ wanted: Int, otherwise: Int) throws(CodecError) {
            let found = directory.values(tag) ?? [otherwise]
            guard found.allSatisfy({ $0 == wanted }) else {
                throw CodecError(.tiff, "expected \(what) \(wanted), found \(found[0])")
            }
        }
        try require(.compression, "compression", 1, otherwise: 1)
        try require(.bitsPerSample, "bits a sample", 32, otherwise: 1)
        // 3 is IEEE floating point.
        try require(.sampleFormat, "sample format", 3, otherwise: 1)
        try require(.planarConfiguration, "planar configuration", 1, otherwise: 1)
        let samples = directory.values(.samplesPerPixel)?.first ?? 1
        size = try directory.size()
        guard Self.sides.contains(size.width), Self.sides.contains(size.height), (1...16).contains(samples) else {
            throw CodecError(
                .tiff,
                "expected at most 4096x4096 pixels, found \(size.width)x\(size.height) of \(samples) samples"
            )
        }
        noData = directory.text(.noData).flatMap { Double($0.filter { $0 != " " }) }
        let pixels = try TIFFPixels(directory, size, byteCount: 4 * samples)
        metres = try pixels.metres()
    }
}

/// The pixels of an uncompressed TIFF, part by part.
private struct TIFFPixels {
    private let directory: TIFFDirectory
    private let parts: TIFFDirectory.Parts
    private let size: GridSize
    private let pixelBytes: Int

    init(_ directory: TIFFDirectory, _ size: GridSize, byteCount: Int) throws(CodecError) {
        self.directory = directory
        self.size = size
        pixelBytes = byteCount
        parts = try directory.parts()
    }

    func metres() throws(CodecError) -> [Float] { parts.areTiles ? try tiles() : try strips() }

    private func strips() throws(CodecError) -> [Float] {
        let rows = max(1, min(directory.values(.rowsPerStrip)?.first ?? size.height, size.height))
        return try gather(GridSize(width: size.width, height: rows), isWhole: false)
    }

    private func tiles() throws(CodecError) -> [Float] {
        guard let width = directory.values(.tileWidth)?.first, let height = directory.values(.tileHeight)?.first,
            width > 0, height > 0, width <= 1 << 16, height <= 1 << 16
        else { throw CodecError(.tiff, "expected the size of tiles") }
        return try gather(GridSize(width: width, height: height), isWhole: true)
    }

    /// - Parameter isWhole: The last part has as many rows as the others, though the image ends before.
    private func gather(_ part: GridSize, isWhole: Bool) throws(CodecError) -> [Float] {
        let across = (size.width + part.width - 1) / part.width
        let down = (size.height + part.height - 1) / part.height
        guard parts.offsets.count >= across * down else {
            throw CodecError(.tiff, "expected \(across * down) strips or tiles, found \(parts.offsets.count)")
        }
        for index in 0..<across * down {
            let rows = isWhole ? part.height : min(part.height, size.height - index * part.height)
            let bytes = rows * part.width * pixelBytes
            guard parts.byteCounts[index] >= bytes else {
                throw CodecError(
                    .tiff,
                    at: parts.offsets[index],
                    "expected \(bytes) bytes in a strip or tile, found \(parts.byteCounts[index])"
                )
            }
        }
        var metres: [Float] = []
        metres.reserveCapacity(size.width * size.height)
        for row in 0..<size.height {
            for column in 0..<size.width {
                let index = row / part.height * across + column / part.width
                let pixel = row % part.height * part.width + column % part.width
                metres.append(directory.float(at: parts.offsets[index] + pixel * pixelBytes) ?? .nan)
            }
        }
        return metres
    }
}
