/// How the stored image was turned against the sensor's landscape grid before it was encoded.
///
/// Depth, confidence, intrinsics and poses always stay in the sensor grid; only the JPEG turns.
package enum ImageOrientation: String, Hashable, Sendable, CaseIterable, BitwiseCopyable {
    /// Stored as the sensor sees it. Written by the phone as `landscapeRight`, and not declared by older apps.
    case landscapeRight
    /// Turned by 180 degrees.
    case landscapeLeft
    /// Turned 90 degrees clockwise.
    case portrait
    /// Turned 90 degrees counter-clockwise.
    case portraitUpsideDown

    /// Whether the stored image has the sensor's width and height exchanged.
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
        let lastColumn = Double(sensorWidth - 1)
        let lastRow = Double(sensorHeight - 1)
        return switch self {
        case .landscapeRight: (x, y)
        case .landscapeLeft: (lastColumn - x, lastRow - y)
        case .portrait: (y, lastRow - x)
        case .portraitUpsideDown: (lastColumn - y, x)
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
            cy: centre.y
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
    package func inSensorGrid<Value>(
        _ values: [Value],
        storedWidth: Int,
        storedHeight: Int
    ) -> (width: Int, height: Int, values: [Value]) {
        let (width, height) = swapsAxes ? (storedHeight, storedWidth) : (storedWidth, storedHeight)
        guard self != .landscapeRight, values.count == width * height else { return (width, height, values) }
        // Of a value of the sensor's grid: the place where it is stored is affine in column and row.
        let (origin, column, row): (Int, Int, Int) =
            switch self {
            case .landscapeRight: (0, 1, width)
            case .landscapeLeft: (width * height - 1, -1, -width)
            case .portrait: (storedWidth - 1, storedWidth, -1)
            case .portraitUpsideDown: ((storedHeight - 1) * storedWidth, -storedWidth, 1)
            }
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
