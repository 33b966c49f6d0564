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
