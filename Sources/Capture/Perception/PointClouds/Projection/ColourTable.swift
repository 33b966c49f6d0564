package import Recording

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

/// Colours for a depth map whose frame has no picture, from the picture of another frame nearby.
package struct BorrowedColours {
    private let other: DepthView
    private let picture: RGBImage
    private let otherFromWorld: Transform
    private let otherCamera: CameraIntrinsics

    /// How far a point may lie off what the other frame measured there: what is farther was hidden from it.
    private static let nearMetres = 0.05
    private static let nearPart = 0.03
    /// One point in so many has to have a colour; else the picture shows something else.
    private static let leastPart = 0.5

    /// - Parameters:
    ///   - other: the frame that has the picture.
    ///   - image: its picture, at an eighth or at full size, turned as it is stored.
    ///   - orientation: how that is turned against the sensor grid.
    package init(_ other: DepthView, image: RGBImage, orientation: ImageOrientation) {
        self.other = other
        let grid = GridSize(width: other.depth.width, height: other.depth.height)
        picture = image.inSensorGrid(orientation, size: grid)
        otherFromWorld = other.worldFromCamera.inverse
        otherCamera = other.intrinsics.scaled(toWidth: grid.width, height: grid.height)
    }

    /// An image for a view, in its sensor grid at an eighth of the camera's size: the colour of each point as the other
    /// frame saw it, white where that was hidden; `nil` where the other picture shows too little of it.
    package func image(for view: DepthView) -> RGBImage? {
        let (width, height) = ((view.intrinsics.width + 7) / 8, (view.intrinsics.height + 7) / 8)
        let depth = view.depth
        let camera = view.intrinsics.scaled(toWidth: depth.width, height: depth.height)
        guard width > 0, height > 0, depth.metres.count == depth.width * depth.height else { return nil }
        let (across, down) = (Double(depth.width) / Double(width), Double(depth.height) / Double(height))
        let otherFromCamera = otherFromWorld * view.worldFromCamera
        var image = RGBImage(width: width, height: height, pixels: [UInt8](repeating: 255, count: 3 * width * height))
        var (known, coloured) = (0, 0)
        for row in 0..<height {
            let v = min(depth.height - 1, Int((Double(row) + 0.5) * down))
            for column in 0..<width {
                let u = min(depth.width - 1, Int((Double(column) + 0.5) * across))
                let metres = Double(depth.metres[v * depth.width + u])
                guard metres > 0, metres.isFinite else { continue }
                known += 1
                let x = (Double(u) - camera.cx) / camera.fx
                let y = (camera.cy - Double(v)) / camera.fy
                guard let place = pixel(of: otherFromCamera * (metres * Vector3(x, y, -1))) else { continue }
                coloured += 1
                for channel in 0..<3 {
                    image.pixels[3 * (row * width + column) + channel] = picture.pixels[3 * place + channel]
                }
            }
        }
        return Double(coloured) >= Self.leastPart * Double(max(known, 1)) ? image : nil
    }

    /// The pixel of the other frame's depth grid that saw a point of its camera's axes; `nil` where none did.
    private func pixel(of point: Vector3) -> Int? {
        let metres = -point.z
        guard metres > 0.05 else { return nil }
        let column = (otherCamera.cx + otherCamera.fx * point.x / metres).rounded()
        let row = (otherCamera.cy - otherCamera.fy * point.y / metres).rounded()
        guard column >= 0, row >= 0, column < Double(other.depth.width), row < Double(other.depth.height) else {
            return nil
        }
        let place = Int(row) * other.depth.width + Int(column)
        guard place < other.depth.metres.count, 3 * place + 2 < picture.pixels.count else { return nil }
        let difference = abs(Double(other.depth.metres[place]) - metres)
        return difference <= max(Self.nearMetres, Self.nearPart * metres) ? place : nil
    }
}
