import Recording

/// Takes the distortion of a lens out of a depth map and its colours: what a pinhole of the same focal length would see.
///
/// The grid grows by what the lens shows beyond the pinhole's image. Each pixel has the value of the nearest one of the distorted
/// grid: depth along the optical axis is the same through any lens. The table is kept for the camera that it was made for.
final class LensRectification {
    private var made: CameraIntrinsics?
    private var pinhole = CameraIntrinsics(width: 1, height: 1, fx: 1, fy: 1, cx: 0, cy: 0)
    /// For each pixel of the pinhole's grid the pixel of the distorted one; negative for none.
    private var places: [Int32] = []

    /// The input without distortion, in a sensor grid of its own; unchanged where its camera has none.
    func pinholeInput(_ input: CloudInput) throws(CloudError) -> CloudInput {
        guard let lens = input.intrinsics.distortion else { return input }
        try input.validate()
        let camera = input.gridCamera
        if made != camera { make(camera, lens) }
        var result = input
        result.intrinsics = pinhole
        result.depth = DepthMap(
            width: pinhole.width,
            height: pinhole.height,
            metres: taken(input.depth.metres, else: 0),
            confidence: input.depth.confidence.map { taken($0, else: 0) }
        )
        guard let image = input.image else { return result }
        let pixels = image.inSensorGrid(input.orientation, size: camera.size).pixels
        var straight = RGBImage(width: pinhole.width, height: pinhole.height, pixels: [])
        straight.pixels.reserveCapacity(3 * places.count)
        for place in places {
            for channel in 0..<3 { straight.pixels.append(place < 0 ? 255 : pixels[3 * Int(place) + channel]) }
        }
        (result.image, result.orientation, result.imageScale) = (straight, .landscapeRight, 1)
        return result
    }

    private func taken<Value>(_ values: [Value], else missing: Value) -> [Value] {
        places.map { $0 < 0 ? missing : values[Int($0)] }
    }

    private func make(_ camera: CameraIntrinsics, _ lens: LensDistortion) {
        let reach = lens.reach(of: camera)
        let border =
            (0..<camera.width).flatMap { [($0, 0), ($0, camera.height - 1)] }
            + (0..<camera.height).flatMap { [(0, $0), (camera.width - 1, $0)] }
        let rays = border.map { column, row in
            lens.undistorted(
                x: (Double(column) - camera.cx) / camera.fx,
                y: (Double(row) - camera.cy) / camera.fy,
                reach: reach
            )
        }
        let across = Self.side(of: rays.map(\.x), camera.fx, camera.cx, camera.width)
        let down = Self.side(of: rays.map(\.y), camera.fy, camera.cy, camera.height)
        let size = GridSize(width: across.count, height: down.count)
        pinhole = CameraIntrinsics(size: size, fx: camera.fx, fy: camera.fy, cx: -across.first, cy: -down.first)
        places = []
        places.reserveCapacity(across.count * down.count)
        for row in 0..<down.count {
            let y = (Double(row) - pinhole.cy) / camera.fy
            for column in 0..<across.count {
                let x = (Double(column) - pinhole.cx) / camera.fx
                let seen = lens.distorted(x: x, y: y)
                let (u, v) = (
                    (seen.x * camera.fx + camera.cx).rounded(), (seen.y * camera.fy + camera.cy).rounded()
                )
                let isSeen =
                    (x * x + y * y).squareRoot() <= reach && u >= 0 && v >= 0 && u < Double(camera.width)
                    && v < Double(camera.height)
                places.append(isSeen ? Int32(v) * Int32(camera.width) + Int32(u) : -1)
            }
        }
        made = camera
    }

    /// The side of the grid that shows the axis and all of these rays, at most half an image beyond either side of the image.
    ///
    /// - Returns: Its first pixel, counted from the axis, and how many there are.
    private static func side(
        of rays: [Double],
        _ focal: Double,
        _ centre: Double,
        _ side: Int
    ) -> (first: Double, count: Int) {
        let (low, high) = rays.reduce((0, 0)) { (min($0.0, $1), max($0.1, $1)) }
        let first = max(low * focal, -centre - Double(side) / 2).rounded(.down)
        let last = min(high * focal, -centre + 1.5 * Double(side))
        return (first, Int(min(max(last - first, 0), Double(2 * side)).rounded(.up)) + 1)
    }
}

extension LensDistortion {
    /// Where the lens shows a ray x, y of depth 1; both axes as in the class.
    func distorted(x: Double, y: Double) -> (x: Double, y: Double) {
        let r2 = x * x + y * y
        let radial = 1 + r2 * (k1 + r2 * (k2 + r2 * k3))
        return (
            x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
        )
    }

    /// How fast the radius that is shown grows with the radius of the ray, whose square is given.
    private func radialSlope(_ r2: Double) -> Double { 1 + r2 * (3 * k1 + r2 * (5 * k2 + r2 * 7 * k3)) }

    /// How far from the axis the formula holds, at most three times the image.
    ///
    /// Beyond it what is farther out is shown farther in.
    func reach(of camera: CameraIntrinsics) -> Double {
        let x = max(abs(camera.cx), abs(Double(camera.width) - camera.cx)) / camera.fx
        let y = max(abs(camera.cy), abs(Double(camera.height) - camera.cy)) / camera.fy
        let most = 3 * (x * x + y * y).squareRoot()
        for step in 1...600 {
            let radius = most * Double(step) / 600
            if radialSlope(radius * radius) <= 0 { return most * Double(step - 1) / 600 }
        }
        return most
    }

    /// The ray that the lens shows at x, y, by steps of Newton's along the radius, and the tangential part taken off each time.
    func undistorted(x: Double, y: Double, reach: Double) -> (x: Double, y: Double) {
        var ray = (x: x, y: y)
        for _ in 0..<20 {
            let seen = distorted(x: ray.x, y: ray.y)
            let slope = max(0.2, radialSlope(ray.x * ray.x + ray.y * ray.y))
            ray = (ray.x + (x - seen.x) / slope, ray.y + (y - seen.y) / slope)
            let radius = (ray.x * ray.x + ray.y * ray.y).squareRoot()
            if radius > reach { ray = (ray.x * reach / radius, ray.y * reach / radius) }
        }
        return ray.x.isFinite && ray.y.isFinite ? ray : (x, y)
    }
}
