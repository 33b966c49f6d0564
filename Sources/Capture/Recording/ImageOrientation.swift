/// How the stored image was turned against the sensor's landscape grid before it was encoded.
///
/// Depth, confidence, intrinsics and poses of a recording always stay in the sensor grid; only the JPEG turns.
package enum ImageOrientation: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// Stored as the sensor sees it. Written by the phone as `landscapeRight`, and not declared by older apps.
    case landscapeRight
    /// Turned by 180 degrees.
    case landscapeLeft
    /// Turned 90 degrees clockwise.
    case portrait
    /// Turned 90 degrees counter-clockwise.
    case portraitUpsideDown

    /// True if the stored image has the sensor's width and height exchanged.
    package var swapsAxes: Bool { self == .portrait || self == .portraitUpsideDown }

    /// The size of the stored image of a sensor of the given size.
    package func storedSize(sensorWidth: Int, sensorHeight: Int) -> (width: Int, height: Int) {
        swapsAxes ? (sensorHeight, sensorWidth) : (sensorWidth, sensorHeight)
    }

    /// The point of the stored image that shows a point of the sensor image, both counted from the centre of the first
    /// pixel as in ``CameraIntrinsics``.
    package func storedPoint(
        sensorX x: Double,
        sensorY y: Double,
        sensorWidth: Int,
        sensorHeight: Int
    ) -> (x: Double, y: Double) {
        let lastColumn = Double(sensorWidth - 1)
        let lastRow = Double(sensorHeight - 1)
        return switch self {
        case .landscapeRight: (x, y)
        case .landscapeLeft: (lastColumn - x, lastRow - y)
        case .portrait: (lastRow - y, x)
        case .portraitUpsideDown: (y, lastColumn - x)
        }
    }

    /// The point of the sensor image that a point of the stored image shows: ``storedPoint`` undone.
    package func sensorPoint(
        storedX x: Double,
        storedY y: Double,
        sensorWidth: Int,
        sensorHeight: Int
    ) -> (x: Double, y: Double) {
        let stored = storedSize(sensorWidth: sensorWidth, sensorHeight: sensorHeight)
        return inverse.storedPoint(sensorX: x, sensorY: y, sensorWidth: stored.width, sensorHeight: stored.height)
    }

    /// The orientation that turns a stored image back.
    package var inverse: ImageOrientation {
        switch self {
        case .landscapeRight, .landscapeLeft: self
        case .portrait: .portraitUpsideDown
        case .portraitUpsideDown: .portrait
        }
    }

    /// The place of the sensor's first pixel in a stored image, and the steps to those right of it and below it.
    @usableFromInline
    func steps(width: Int, height: Int) -> (origin: Int, column: Int, row: Int) {
        switch self {
        case .landscapeRight: (0, 1, width)
        case .landscapeLeft: (width * height - 1, -1, -width)
        case .portrait: (width - 1, width, -1)
        case .portraitUpsideDown: ((height - 1) * width, -width, 1)
        }
    }

    /// The intrinsics of the stored image, from those of the sensor image.
    package func storedIntrinsics(_ sensor: CameraIntrinsics) -> CameraIntrinsics {
        let size = storedSize(sensorWidth: sensor.width, sensorHeight: sensor.height)
        let centre = storedPoint(
            sensorX: sensor.cx,
            sensorY: sensor.cy,
            sensorWidth: sensor.width,
            sensorHeight: sensor.height
        )
        return CameraIntrinsics(
            width: size.width,
            height: size.height,
            fx: swapsAxes ? sensor.fy : sensor.fx,
            fy: swapsAxes ? sensor.fx : sensor.fy,
            cx: centre.x,
            cy: centre.y,
            distortion: sensor.distortion?.stored(self)
        )
    }

    /// The angle by which the stored image is turned clockwise against the sensor image, in degrees.
    package var clockwiseDegrees: Int {
        switch self {
        case .landscapeRight: 0
        case .portrait: 90
        case .landscapeLeft: 180
        case .portraitUpsideDown: 270
        }
    }
}

extension ImageOrientation {
    /// A grid that is stored turned as this says, turned back into the sensor's landscape grid.
    ///
    /// - Parameter values: row-major, `storedWidth * storedHeight` of them.
    @inlinable
    package func inSensorGrid<Value>(
        _ values: [Value],
        storedWidth: Int,
        storedHeight: Int
    ) -> (width: Int, height: Int, values: [Value]) {
        let (width, height) = swapsAxes ? (storedHeight, storedWidth) : (storedWidth, storedHeight)
        guard self != .landscapeRight, values.count == width * height else { return (width, height, values) }
        // Of a value of the sensor's grid: the place where it is stored is affine in column and row.
        let (origin, column, row) = steps(width: storedWidth, height: storedHeight)
        let turned = [Value](unsafeUninitializedCapacity: values.count) { output, count in
            for y in 0..<height {
                for x in 0..<width {
                    let source = values[origin + x * column + y * row]
                    (output.baseAddress.map { $0 + (y * width + x) })?.initialize(to: source)
                }
            }
            count = values.count
        }
        return (width, height, turned)
    }
}

extension DepthMap {
    /// The map, with its confidence, turned back into the sensor's landscape grid.
    ///
    /// - Parameter orientation: how this map is turned against the sensor's grid.
    package func inSensorGrid(_ orientation: ImageOrientation) -> DepthMap {
        guard orientation != .landscapeRight else { return self }
        let grid = orientation.inSensorGrid(metres, storedWidth: width, storedHeight: height)
        let levels = confidence.map { orientation.inSensorGrid($0, storedWidth: width, storedHeight: height).values }
        return DepthMap(width: grid.width, height: grid.height, metres: grid.values, confidence: levels)
    }

    /// The map in the sensor's landscape grid, turned as an image of this orientation is stored.
    package func stored(_ orientation: ImageOrientation) -> DepthMap { inSensorGrid(orientation.inverse) }
}

extension RGBImage {
    /// The image in the sensor's landscape grid at another size, each pixel the mean of what it covers.
    ///
    /// - Parameter orientation: how this image is turned against the sensor's grid.
    package func inSensorGrid(_ orientation: ImageOrientation, size: GridSize) -> RGBImage {
        let sensor = sensorSize(orientation)
        let scale = (x: Double(sensor.width) / Double(size.width), y: Double(sensor.height) / Double(size.height))
        return resampled(
            orientation,
            columns: (0..<size.width).map { PixelWindow((Double($0) + 0.5) * scale.x, scale.x, of: sensor.width) },
            rows: (0..<size.height).map { PixelWindow((Double($0) + 0.5) * scale.y, scale.y, of: sensor.height) }
        )
    }

    /// The same view by another pinhole camera in the same place and turn, in the sensor's landscape grid.
    ///
    /// Pixels of that camera beyond the border of this image repeat the border.
    ///
    /// - Parameters:
    ///   - camera: the camera of this image as the sensor's grid has it; a camera of another size is scaled to the image.
    ///   - target: the camera of the result.
    package func resampled(
        _ orientation: ImageOrientation = .landscapeRight,
        from camera: CameraIntrinsics,
        to target: CameraIntrinsics
    ) -> RGBImage {
        let sensor = sensorSize(orientation)
        let camera = camera.scaled(toWidth: sensor.width, height: sensor.height)
        let scale = (x: camera.fx / target.fx, y: camera.fy / target.fy)
        return resampled(
            orientation,
            columns: (0..<target.width).map {
                PixelWindow(camera.cx + 0.5 + (Double($0) - target.cx) * scale.x, scale.x, of: sensor.width)
            },
            rows: (0..<target.height).map {
                PixelWindow(camera.cy + 0.5 + (Double($0) - target.cy) * scale.y, scale.y, of: sensor.height)
            }
        )
    }

    private func sensorSize(_ orientation: ImageOrientation) -> GridSize {
        orientation.swapsAxes ? GridSize(width: height, height: width) : GridSize(width: width, height: height)
    }

    /// Takes the means along rows first, then along columns, as both windows do not depend on one another.
    private func resampled(_ orientation: ImageOrientation, columns: [PixelWindow], rows: [PixelWindow]) -> RGBImage {
        // Of a sensor pixel: the place of its stored pixel is affine in column and row.
        let (origin, columnStep, rowStep) = orientation.steps(width: width, height: height)
        let length = 3 * columns.count
        var result = RGBImage(width: columns.count, height: rows.count, pixels: [])
        result.pixels.reserveCapacity(length * rows.count)
        // Rows of the sensor's grid that are done, by their numbers: windows overlap by a row at most.
        var done: [Int: [Float]] = [:]
        var sums = [Float](repeating: 0, count: length)
        for window in rows {
            done = done.filter { window.pixels.contains($0.key) }
            for place in 0..<length { sums[place] = 0 }
            for (row, weight) in zip(window.pixels, window.weights) {
                let line = done[row] ?? line(columns, from: origin + row * rowStep, step: columnStep)
                done[row] = line
                for place in 0..<length { sums[place] += weight * line[place] }
            }
            for sum in sums { result.pixels.append(UInt8(max(0, min(255, sum + 0.5)))) }
        }
        return result
    }

    /// A row of the sensor's grid at another length.
    private func line(_ columns: [PixelWindow], from origin: Int, step: Int) -> [Float] {
        var line: [Float] = []
        line.reserveCapacity(3 * columns.count)
        pixels.withUnsafeBufferPointer { pixels in
            for window in columns {
                var (red, green, blue): (Float, Float, Float) = (0, 0, 0)
                for (column, weight) in zip(window.pixels, window.weights) {
                    let place = 3 * (origin + column * step)
                    red += weight * Float(pixels[place])
                    green += weight * Float(pixels[place + 1])
                    blue += weight * Float(pixels[place + 2])
                }
                line.append(red)
                line.append(green)
                line.append(blue)
            }
        }
        return line
    }
}

/// Which pixels along a side a new pixel covers, and how much of it each of them makes up.
private struct PixelWindow {
    let pixels: Range<Int>
    /// One for each pixel, 1 in all.
    let weights: [Float]

    /// - Parameters:
    ///   - centre: the centre of the new pixel, from the border of the side, in its pixels.
    ///   - scale: how many of its pixels the new one is wide; one at least is looked at, which is to interpolate.
    init(_ centre: Double, _ scale: Double, of side: Int) {
        let half = max(scale, 1) / 2
        // What lies outside repeats the last pixel.
        let low = max(0, min(Double(side - 1), centre - half))
        let high = max(low + 1e-6, min(Double(side), max(1, centre + half)))
        let first = Int(low)
        // A sliver is a rounding error.
        let last = max(first, min(side - 1, Int((high - 1e-6).rounded(.down))))
        pixels = first..<last + 1
        let parts = pixels.map { Float(min(Double($0 + 1), high) - max(Double($0), low)) }
        let sum = parts.reduce(0, +)
        weights = parts.map { $0 / sum }
    }
}
