import Recording

/// A GeoTIFF of heights: one band of 32-bit floats in metres, no number where nothing was seen, north up.
///
/// TIFF 6.0, OGC 19-008r4 (GeoTIFF 1.1), and GDAL's tag for what is not known.
package struct HeightMapFile: Sendable {
    /// Where the pixels are on the Earth, or in a room.
    package enum Coordinates: Sendable, Hashable {
        /// Those of the frame `map`, in metres.
        case local(name: String)
        /// A projection in metres, by its number of EPSG.
        case projected(epsgCode: Int)
    }

    /// Heights in metres, row by row from the greatest y.
    package var heights: [Float]
    package var width: Int
    package var height: Int
    package var pixelMetres: Double
    /// The upper left corner of the upper left pixel.
    package var left: Double
    package var top: Double
    package var coordinates: Coordinates
    package var description: String

    /// The heights of a map in its own axes.
    package init(_ map: OccupancyMap, description: String) {
        (width, height, pixelMetres) = (map.width, map.height, map.resolutionMetres)
        heights = []
        heights.reserveCapacity(map.heights.count)
        for row in (0..<map.height).reversed() {
            heights += map.heights[(row * map.width)..<((row + 1) * map.width)]
        }
        left = map.origin.x
        top = map.origin.y + Double(map.height) * map.resolutionMetres
        coordinates = .local(name: "frame map, metres")
        self.description = description
    }

    /// The heights of a map on a grid that has north up: each pixel has the height of the cell below its middle.
    ///
    /// - Parameter place: where a place of the map, x and y in metres, is in the projection, which is nearly a plane there.
    /// - Throws: an ``OversizeMap`` where the turned map has too many pixels.
    package init(
        _ map: OccupancyMap,
        epsgCode: Int,
        limit: Int,
        description: String,
        place: (_ x: Double, _ y: Double) -> (east: Double, north: Double)
    ) throws(OversizeMap) {
        let metres = map.resolutionMetres
        let start = map.origin
        let (across, up) = (Double(map.width) * metres, Double(map.height) * metres)
        let corner = place(start.x, start.y)
        let (alongX, alongY) = (place(start.x + across, start.y), place(start.x, start.y + up))
        let corners = [corner, alongX, alongY, place(start.x + across, start.y + up)]
        let (west, east) = (corners.map(\.east).min() ?? 0, corners.map(\.east).max() ?? 0)
        let (south, north) = (corners.map(\.north).min() ?? 0, corners.map(\.north).max() ?? 0)
        let (columns, rows) = (((east - west) / metres).rounded(.up), ((north - south) / metres).rounded(.up))
        guard columns * rows <= Double(limit), columns.isFinite, rows.isFinite else {
            throw OversizeMap(widthMetres: east - west, heightMetres: north - south, limit: limit)
        }
        (width, height, pixelMetres) = (max(1, Int(columns)), max(1, Int(rows)), metres)
        left = west
        top = south + Double(height) * metres
        coordinates = .projected(epsgCode: epsgCode)
        self.description = description
        // From the projection back to cells.
        let (xLength, yLength) = (max(across, metres), max(up, metres))
        let (ax, ay) = ((alongX.east - corner.east) / xLength, (alongX.north - corner.north) / xLength)
        let (bx, by) = ((alongY.east - corner.east) / yLength, (alongY.north - corner.north) / yLength)
        let determinant = ax * by - bx * ay
        heights = [Float](repeating: .nan, count: width * height)
        guard abs(determinant) > 0.5 else { return }
        for row in 0..<height {
            for column in 0..<width {
                let toEast = left + (Double(column) + 0.5) * metres - corner.east
                let toNorth = top - (Double(row) + 0.5) * metres - corner.north
                let x = ((by * toEast - bx * toNorth) / determinant / metres).rounded(.down)
                let y = ((ax * toNorth - ay * toEast) / determinant / metres).rounded(.down)
                guard x >= 0, y >= 0, x < Double(map.width), y < Double(map.height) else { continue }
                heights[row * width + column] = map.heights[Int(y) * map.width + Int(x)]
            }
        }
    }

    private struct Field {
        var tag: UInt16
        /// 2 text, 3 of two bytes, 4 of four, 12 double.
        var type: UInt16
        var count: Int
        var bytes: [UInt8]
    }

    /// The file; nil where it would be larger than a TIFF can be.
    package var bytes: [UInt8]? {
        let (pixels, isOver) = width.multipliedReportingOverflow(by: height)
        guard !isOver, width > 0, height > 0, pixels == heights.count, pixels < 1 << 29 else { return nil }
        let rowsPerStrip = max(1, min(height, (1 << 18) / width))
        let strips = (height + rowsPerStrip - 1) / rowsPerStrip
        let stripBytes = (0..<strips).map { 4 * width * min(rowsPerStrip, height - $0 * rowsPerStrip) }
        var fields = fields(strips: strips, stripBytes: stripBytes, rowsPerStrip: rowsPerStrip)
        let directoryBytes = 8 + 2 + 12 * fields.count + 4
        let extra = fields.reduce(0) { $0 + ($1.bytes.count > 4 ? ($1.bytes.count + 1) / 2 * 2 : 0) }
        var writer = ByteWriter(reserving: directoryBytes + extra + 4 * pixels)
        var offset = directoryBytes + extra
        var offsets = ByteWriter(reserving: 4 * strips)
        for count in stripBytes {
            offsets.append(UInt32(clamping: offset))
            offset += count
        }
        if let place = fields.firstIndex(where: { $0.tag == Self.stripOffsets }) { fields[place].bytes = offsets.bytes }
        writer.append(text: "II*\0")
        writer.append(UInt32(8))
        writer.append(UInt16(fields.count))
        var place = directoryBytes
        for field in fields {
            writer.append(field.tag)
            writer.append(field.type)
            writer.append(UInt32(clamping: field.count))
            if field.bytes.count > 4 {
                writer.append(UInt32(clamping: place))
                place += (field.bytes.count + 1) / 2 * 2
            } else {
                writer.append(field.bytes + [UInt8](repeating: 0, count: 4 - field.bytes.count))
            }
        }
        writer.append(UInt32(0))
        for field in fields where field.bytes.count > 4 {
            writer.append(field.bytes)
            if field.bytes.count % 2 == 1 { writer.append(UInt8(0)) }
        }
        for value in heights { writer.append(value.isNaN ? Float.nan : value) }
        return writer.bytes
    }

    private static let stripOffsets: UInt16 = 273

    /// The fields of the directory, in the order of their tags.
    private func fields(strips: Int, stripBytes: [Int], rowsPerStrip: Int) -> [Field] {
        func words(_ tag: UInt16, _ values: [Int]) -> Field {
            var writer = ByteWriter(reserving: 4 * values.count)
            for value in values { writer.append(UInt32(clamping: value)) }
            return Field(tag: tag, type: 4, count: values.count, bytes: writer.bytes)
        }
        func shorts(_ tag: UInt16, _ values: [Int]) -> Field {
            var writer = ByteWriter(reserving: 2 * values.count)
            for value in values { writer.append(UInt16(clamping: value)) }
            return Field(tag: tag, type: 3, count: values.count, bytes: writer.bytes)
        }
        func doubles(_ tag: UInt16, _ values: [Double]) -> Field {
            var writer = ByteWriter(reserving: 8 * values.count)
            for value in values { writer.append(value) }
            return Field(tag: tag, type: 12, count: values.count, bytes: writer.bytes)
        }
        func text(_ tag: UInt16, _ text: String) -> Field {
            let bytes = Array(text.utf8) + [0]
            return Field(tag: tag, type: 2, count: bytes.count, bytes: bytes)
        }
        let (keys, citation) = geoKeys
        return [
            words(256, [width]), words(257, [height]), shorts(258, [32]), shorts(259, [1]), shorts(262, [1]),
            text(270, PlainLine.text(description)), words(Self.stripOffsets, [Int](repeating: 0, count: strips)),
            shorts(277, [1]), words(278, [rowsPerStrip]), words(279, stripBytes), text(305, "mapeverything"),
            // 3: floats.
            shorts(339, [3]),
            doubles(33_550, [pixelMetres, pixelMetres, 0]), doubles(33_922, [0, 0, 0, left, top, 0]),
            shorts(34_735, keys), text(34_737, citation), text(42_113, "nan"),
        ]
    }

    /// The keys of the coordinates (OGC 19-008r4, 7.2), and the text that they point into.
    private var geoKeys: (keys: [Int], text: String) {
        // Pixels are areas; metres.
        switch coordinates {
        case .local(let name):
            // A model of our own, with a name and nothing else.
            let text = PlainLine.text(name) + "|"
            return (
                [1, 1, 0, 4, 1024, 0, 1, 32_767, 1025, 0, 1, 1, 1026, 34_737, text.utf8.count, 0, 3076, 0, 1, 9001],
                text
            )
        case .projected(let code):
            let text = "EPSG:\(code)|"
            return (
                [
                    1, 1, 0, 5, 1024, 0, 1, 1, 1025, 0, 1, 1, 1026, 34_737, text.utf8.count, 0, 3072, 0, 1, code, 3076,
                    0, 1, 9001,
                ], text
            )
        }
    }
}
