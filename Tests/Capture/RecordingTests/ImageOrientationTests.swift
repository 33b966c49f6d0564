import Recording
import TestSupport
import Testing

@Suite struct ImageOrientationTests {
    /// The worked corners for 1920x1440 and a depth grid of 256x192, whose pixels are 7.5 pixels wide.
    ///
    /// The first one covers the image from -0.5 to 7, so that its centre is at 3.25.
    @Test(
        arguments: [
            (ImageOrientation.portrait, 0, 0, 1435.75, 3.25), (.portraitUpsideDown, 0, 0, 3.25, 1915.75),
            (.landscapeLeft, 0, 0, 1915.75, 1435.75), (.landscapeRight, 0, 0, 3.25, 3.25),
            (.portrait, 255, 191, 3.25, 1915.75),
        ]
    )
    func workedCorners(orientation: ImageOrientation, u: Int, v: Int, x: Double, y: Double) {
        let point = orientation.storedPoint(
            sensorX: (Double(u) + 0.5) * 7.5 - 0.5,
            sensorY: (Double(v) + 0.5) * 7.5 - 0.5,
            sensorWidth: 1920,
            sensorHeight: 1440
        )
        #expect(point.x == x && point.y == y)
    }

    /// Turning the pixels of an image clockwise by the angle, one by one.
    @Test(arguments: ImageOrientation.allCases)
    func pointsGoWhereTheirPixelsGo(orientation: ImageOrientation) {
        let (width, height) = (5, 3)
        var size = (width: width, height: height)
        var place: [[(x: Int, y: Int)]] = (0..<height).map { y in (0..<width).map { (x: $0, y: y) } }
        for _ in 0..<orientation.clockwiseDegrees / 90 {
            // Clockwise: the left column, from below, becomes the top row.
            let old = place
            place = (0..<size.width).map { row in (0..<size.height).map { old[size.height - 1 - $0][row] } }
            size = (size.height, size.width)
        }
        let stored = orientation.storedSize(sensorWidth: width, sensorHeight: height)
        #expect(stored == size)
        #expect(orientation.swapsAxes == (size.width == height))
        for (row, line) in place.enumerated() {
            for (column, sensor) in line.enumerated() {
                let point = orientation.storedPoint(
                    sensorX: Double(sensor.x),
                    sensorY: Double(sensor.y),
                    sensorWidth: width,
                    sensorHeight: height
                )
                #expect(point.x == Double(column) && point.y == Double(row))
            }
        }
    }

    /// A point that the lens has moved in the sensor's image is where the turned lens moves it in the turned image.
    @Test(arguments: ImageOrientation.allCases)
    func lensesTurnWithTheirImages(orientation: ImageOrientation) throws {
        let sensor = CameraIntrinsics(
            width: 1920,
            height: 1440,
            fx: 1400,
            fy: 1410,
            cx: 950,
            cy: 700,
            distortion: LensDistortion(k1: -0.2, k2: 0.05, p1: 0.01, p2: -0.03, k3: 0.002)
        )
        /// By OpenCV's formula.
        func seen(_ camera: CameraIntrinsics, _ x: Double, _ y: Double) throws -> (x: Double, y: Double) {
            let d = try #require(camera.distortion)
            let r = x * x + y * y
            let radial = 1 + d.k1 * r + d.k2 * r * r + d.k3 * r * r * r
            let u = x * radial + 2 * d.p1 * x * y + d.p2 * (r + 2 * x * x)
            let v = y * radial + d.p1 * (r + 2 * y * y) + 2 * d.p2 * x * y
            return (camera.fx * u + camera.cx, camera.fy * v + camera.cy)
        }
        let stored = orientation.storedIntrinsics(sensor)
        for (x, y) in [(0.3, 0.1), (-0.4, 0.2), (0.05, -0.35)] {
            let there = try seen(sensor, x, y)
            let wanted = orientation.storedPoint(
                sensorX: there.x,
                sensorY: there.y,
                sensorWidth: 1920,
                sensorHeight: 1440
            )
            // The ray in the turned image's axes.
            let turned: (Double, Double) =
                switch orientation {
                case .landscapeRight: (x, y)
                case .landscapeLeft: (-x, -y)
                case .portrait: (-y, x)
                case .portraitUpsideDown: (y, -x)
                }
            let found = try seen(stored, turned.0, turned.1)
            #expect(abs(found.x - wanted.x) < 1e-9 && abs(found.y - wanted.y) < 1e-9)
        }
        #expect(orientation.inverse.storedIntrinsics(stored).distortion == sensor.distortion)
    }

    @Test func intrinsicsByTheTable() {
        let sensor = CameraIntrinsics(width: 1920, height: 1440, fx: 1400, fy: 1410, cx: 950, cy: 700)
        let table: [(ImageOrientation, CameraIntrinsics)] = [
            (.portrait, .init(width: 1440, height: 1920, fx: 1410, fy: 1400, cx: 739, cy: 950)),
            (.portraitUpsideDown, .init(width: 1440, height: 1920, fx: 1410, fy: 1400, cx: 700, cy: 969)),
            (.landscapeLeft, .init(width: 1920, height: 1440, fx: 1400, fy: 1410, cx: 969, cy: 739)),
            (.landscapeRight, sensor),
        ]
        for (orientation, expected) in table { #expect(orientation.storedIntrinsics(sensor) == expected) }
    }

    /// A camera scaled to another grid projects to the same part of the view, counted from the common corner.
    @Test func scaledIntrinsicsSeeTheSameView() {
        let camera = CameraIntrinsics(width: 1920, height: 1440, fx: 1400, fy: 1410, cx: 950, cy: 700)
        let small = camera.scaled(toWidth: 256, height: 192)
        #expect(small.width == 256 && small.height == 192)
        for (x, y) in [(0.1, -0.2), (-0.5, 0.4), (0, 0)] {
            #expect(abs((x * small.fx + small.cx + 0.5) * 7.5 - (x * camera.fx + camera.cx + 0.5)) < 1e-9)
            #expect(abs((y * small.fy + small.cy + 0.5) * 7.5 - (y * camera.fy + camera.cy + 0.5)) < 1e-9)
        }
        let stretched = camera.scaled(toWidth: 960, height: 1440)
        #expect(stretched.fx == 700 && stretched.cx == 474.75 && stretched.fy == 1410 && stretched.cy == 700)
    }
}
