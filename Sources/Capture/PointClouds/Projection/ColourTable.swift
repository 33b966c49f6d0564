import Recording

/// Where in an image the colour of a depth pixel is: at byte `columnTerm[column] + rowTerm[row]`.
///
/// A turned image only exchanges what the columns and the rows stand for, so that the sum serves all four orientations.
struct ColourTable {
    var pixels: UnsafePointer<UInt8>
    var columnTerms: UnsafePointer<Int32>
    var rowTerms: UnsafePointer<Int32>

    /// The colour of points without an image.
    static let white: UInt32 = 0xFF_FFFF

    /// The colour of a depth pixel as 0x00RRGGBB.
    @inline(__always)
    func colour(_ tag: UInt32) -> UInt32 {
        let pixel = pixels + Int(columnTerms[PixelTag.column(tag)] &+ rowTerms[PixelTag.row(tag)])
        return UInt32(pixel[0]) &<< 16 | UInt32(pixel[1]) &<< 8 | UInt32(pixel[2])
    }
}

/// Makes the terms of `ColourTable`.
final class ColourTableMaker {
    private let columnTerms = Scratch<Int32>()
    private let rowTerms = Scratch<Int32>()

    /// The terms for the image of an input; all sums lie inside the image, at `pixels`.
    ///
    /// One pixel of the image shows `imageScale` pixels of the stored image each way; its size may be rounded up.
    func table(_ input: CloudInput, pixels: UnsafePointer<UInt8>, rows: DepthRows) -> ColourTable? {
        guard let image = input.image else { return nil }
        let sensor = input.intrinsics
        let orientation = input.orientation
        let stored = orientation.storedSize(sensorWidth: sensor.width, sensorHeight: sensor.height)
        let horizontal = ImageAxis(stored: stored.width, image: image.width, scale: input.imageScale)
        let vertical = ImageAxis(stored: stored.height, image: image.height, scale: input.imageScale)

        /// The byte offset that the stored point of a sensor point adds, along one of its axes.
        func offset(sensorX x: Double, sensorY y: Double, alongRow: Bool) -> Int32 {
            let point = orientation.storedPoint(
                sensorX: x,
                sensorY: y,
                sensorWidth: sensor.width,
                sensorHeight: sensor.height
            )
            return alongRow
                ? Int32(3 * horizontal.pixel(point.x)) : Int32(3 * image.width * vertical.pixel(point.y))
        }
        let columns = columnTerms.reserve(rows.columns)
        for column in 0..<rows.columns {
            let x = sensorCoordinate(column, input.parameters, depthSide: input.depth.width, sensorSide: sensor.width)
            columns[column] = offset(sensorX: x, sensorY: 0, alongRow: !orientation.swapsAxes)
        }
        let lines = rowTerms.reserve(rows.rows)
        for row in 0..<rows.rows {
            let y = sensorCoordinate(row, input.parameters, depthSide: input.depth.height, sensorSide: sensor.height)
            lines[row] = offset(sensorX: 0, sensorY: y, alongRow: orientation.swapsAxes)
        }
        return ColourTable(pixels: pixels, columnTerms: UnsafePointer(columns), rowTerms: UnsafePointer(lines))
    }

    /// Where on the sensor image a sampled depth pixel takes its colour.
    private func sensorCoordinate(
        _ index: Int,
        _ parameters: CloudParameters,
        depthSide: Int,
        sensorSide: Int
    ) -> Double {
        let position = Double(index * parameters.stride)
        let factor = Double(sensorSide) / Double(depthSide)
        return switch parameters.pixelPoint {
        case .centre: (position + 0.5) * factor - 0.5
        case .corner: (position * factor).rounded(.down)
        }
    }
}

/// One axis of an image that shows the stored image in another size.
private struct ImageAxis {
    private let pixelsPerStored: Double
    private let last: Int

    init(stored: Int, image: Int, scale: Int) {
        let isReduced = image == (stored + scale - 1) / scale
        pixelsPerStored = isReduced ? 1 / Double(scale) : Double(image) / Double(stored)
        last = image - 1
    }

    /// The pixel that shows a point of the stored image, which is counted from the centre of its first pixel.
    func pixel(_ coordinate: Double) -> Int {
        min(max(Int(((coordinate + 0.5) * pixelsPerStored).rounded(.down)), 0), last)
    }
}
