package import Recording

/// How a tile's pixels stand for heights.
package enum ElevationCoding: Hashable, Sendable {
    /// R·256 + G + B/256 − 32768 metres.
    case terrarium
    /// −10000 + 0.1 · (R·65536 + G·256 + B) metres.
    case terrainRGB
    /// Each pixel a height in metres.
    case float32

    /// - Parameter word: As in the manifest of tiles.
    /// - Returns: `nil` for a word that is not known.
    package init?(_ word: String, _ format: TileFormat) {
        switch (format, word) {
        case (.tiff, _): self = .float32
        case (.png, "terrarium_png"), (.png, "terrarium"): self = .terrarium
        case (.png, "terrain_rgb_png"), (.png, "terrain_rgb"), (.png, "mapbox"): self = .terrainRGB
        default: return nil
        }
    }

    fileprivate func metres(_ red: UInt8, _ green: UInt8, _ blue: UInt8) -> Double {
        let (red, green, blue) = (Double(red), Double(green), Double(blue))
        return switch self {
        case .terrainRGB: -10_000 + 0.1 * (red * 65_536 + green * 256 + blue)
        case .terrarium, .float32: red * 256 + green + blue / 256 - 32_768
        }
    }
}

/// The heights of one tile.
package struct ElevationRaster: Sendable {
    /// Above this, and below its negative, is no place on the Earth: values without a height lie there.
    private static let highestMetres: Float = 12_000

    package let size: GridSize
    /// Row by row from the top; not a number where there is no height.
    private var metres: [Float]

    /// - Parameter noDataMetres: The height that stands for none.
    package init(_ bytes: [UInt8], _ coding: ElevationCoding, noDataMetres: Double? = nil) throws(CodecError) {
        var noData = [noDataMetres].compactMap { $0 }
        switch coding {
        case .float32:
            let heights = try TIFFHeights(bytes)
            (size, metres) = (heights.size, heights.metres)
            if let own = heights.noData { noData.append(own) }
        case .terrarium, .terrainRGB:
            let image = try PNGImage(decoding: bytes)
            size = GridSize(width: image.width, height: image.height)
            metres = stride(from: 0, to: image.pixels.count, by: image.channels).map { place in
                // What is transparent was left empty.
                guard image.channels == 3 || image.pixels[place + 3] != 0 else { return .nan }
                return Float(coding.metres(image.pixels[place], image.pixels[place + 1], image.pixels[place + 2]))
            }
        }
        for place in metres.indices where !isHeight(metres[place], noData) { metres[place] = .nan }
    }

    private func isHeight(_ value: Float, _ noData: [Double]) -> Bool {
        // Half the step of terrain-RGB.
        abs(value) <= Self.highestMetres && !noData.contains { abs($0 - Double(value)) < 0.05 }
    }

    /// The height at a place in pixels from the upper left corner, bilinear between the middles of the four pixels around it.
    ///
    /// In the outermost half pixel the tile's own last pixels count.
    /// - Returns: `nil` outside of the tile, and beside a pixel without a height.
    package func metres(x: Double, y: Double) -> Double? {
        guard x >= 0, y >= 0, x <= Double(size.width), y <= Double(size.height) else { return nil }
        let (left, column) = Self.neighbours(x, count: size.width)
        let (upper, row) = Self.neighbours(y, count: size.height)
        // What has no weight need not have a height.
        let (right, lower) = (column > 0 ? left + 1 : left, row > 0 ? upper + 1 : upper)
        func value(_ column: Int, _ row: Int) -> Double { Double(metres[row * size.width + column]) }
        let top = value(left, upper) * (1 - column) + value(right, upper) * column
        let bottom = value(left, lower) * (1 - column) + value(right, lower) * column
        let height = top * (1 - row) + bottom * row
        return height.isFinite ? height : nil
    }

    /// The pixel whose middle lies before a place, and how far the place is on the way to the next one's.
    private static func neighbours(_ place: Double, count: Int) -> (pixel: Int, fraction: Double) {
        let place = min(max(place - 0.5, 0), Double(count - 1))
        let pixel = Int(place)
        return (pixel, place - Double(pixel))
    }
}
