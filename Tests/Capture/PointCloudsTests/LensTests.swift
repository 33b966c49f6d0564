import Foundation
import Perception
import Recording
import Testing

/// A slanted plane seen through a lens: every pixel's ray is found anew here, by Newton's method in two unknowns.
@Suite("Depth of a camera with lens distortion")
struct LensTests {
    struct Lens: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var k1 = 0.0
        var k2 = 0.0
        var p1 = 0.0
        var p2 = 0.0
        var k3 = 0.0

        func seen(_ x: Double, _ y: Double) -> (Double, Double) {
            let r2 = x * x + y * y
            let radial = 1 + k1 * r2 + k2 * pow(r2, 2) + k3 * pow(r2, 3)
            return (
                x * radial + 2 * p1 * x * y + p2 * (r2 + 2 * x * x), y * radial + p1 * (r2 + 2 * y * y) + 2 * p2 * x * y
            )
        }

        /// The ray that is seen at a place, y down.
        func ray(_ u: Double, _ v: Double) -> (x: Double, y: Double) {
            var (x, y) = (u, v)
            let step = 1e-6
            for _ in 0..<50 {
                let (a, b) = seen(x, y)
                let (ax, bx) = seen(x + step, y)
                let (ay, by) = seen(x, y + step)
                let (j11, j12, j21, j22) = ((ax - a) / step, (ay - a) / step, (bx - b) / step, (by - b) / step)
                let determinant = j11 * j22 - j12 * j21
                x += (j22 * (u - a) - j12 * (v - b)) / determinant
                y += (j11 * (v - b) - j21 * (u - a)) / determinant
            }
            return (x, y)
        }
    }

    static let lenses = [
        Lens(testDescription: "barrel", k1: -0.25, k2: 0.05),
        Lens(testDescription: "pincushion", k1: 0.12, k2: -0.02, k3: 0.004),
        Lens(testDescription: "off its axis", k1: -0.1, p1: 0.01, p2: -0.015),
    ]

    private static let camera = CameraIntrinsics(width: 640, height: 480, fx: 500, fy: 490, cx: 330, cy: 236)
    private static let (columns, rows) = (160, 120)

    /// The plane 0.5 x + 0.3 y + z = -2 of the camera's axes, as far as it is there along a ray.
    private static func depth(_ ray: (x: Double, y: Double)) -> Double { 2 / (1 - 0.5 * ray.x + 0.3 * ray.y) }
    /// A colour that tells the ray.
    private static func colour(_ ray: (x: Double, y: Double)) -> [UInt8] {
        [UInt8(clamping: Int(128 + 100 * ray.x)), UInt8(clamping: Int(128 + 100 * ray.y)), 50]
    }

    private func cloud(_ lens: Lens, orientation: ImageOrientation, isKnown: Bool = true) throws -> PointCloud {
        var camera = Self.camera
        let grid = camera.scaled(toWidth: Self.columns, height: Self.rows)
        let rays = (0..<Self.columns * Self.rows).map { place in
            let (u, v) = (Double(place % Self.columns), Double(place / Self.columns))
            return lens.ray((u - grid.cx) / grid.fx, (v - grid.cy) / grid.fy)
        }
        let depth = DepthMap(width: Self.columns, height: Self.rows, metres: rays.map { Float(Self.depth($0)) })
        let image = RGBImage(width: Self.columns, height: Self.rows, pixels: rays.flatMap { Self.colour($0) })
        let size = orientation.storedSize(sensorWidth: Self.columns, sensorHeight: Self.rows)
        let stored = image.inSensorGrid(orientation.inverse, size: GridSize(width: size.width, height: size.height))
        if isKnown {
            camera.distortion = LensDistortion(k1: lens.k1, k2: lens.k2, p1: lens.p1, p2: lens.p2, k3: lens.k3)
        }
        return try CloudBuilder().build(
            depth: depth,
            intrinsics: camera,
            mapFromCamera: .identity,
            image: stored,
            orientation: orientation,
            imageScale: 1,
            parameters: unfiltered
        )
    }

    private func offPlane(_ cloud: PointCloud) -> [Double] {
        (0..<cloud.count).map { index in
            let point = cloud.position(index)
            return abs(Double(0.5 * point.x + 0.3 * point.y + point.z + 2)) / 1.157
        }
    }

    @Test(
        "points lie where the rays of the lens lead",
        arguments: lenses,
        [ImageOrientation.landscapeRight, .portrait]
    )
    func plane(lens: Lens, orientation: ImageOrientation) throws {
        let cloud = try cloud(lens, orientation: orientation)
        let distances = offPlane(cloud)
        let mean = distances.reduce(0, +) / Double(distances.count)
        // A pixel is 1.6 cm wide at 2 m, twice that in the corners of a barrel; the nearest one is half of it away, on a plane that slopes.
        #expect(mean < 0.003 && distances.allSatisfy { $0 < 0.03 }, "\(mean), \(distances.max() ?? 0)")
        let blind = offPlane(try self.cloud(lens, orientation: orientation, isKnown: false))
        #expect(blind.reduce(0, +) / Double(blind.count) > 2 * mean)
        // Colours belong to the rays.
        for index in stride(from: 0, to: cloud.count, by: 7) {
            let point = cloud.position(index)
            let ray = (x: Double(point.x / -point.z), y: Double(point.y / point.z))
            let colour = cloud.colour(index)
            #expect(abs(Double(colour >> 16 & 255) - 128 - 100 * ray.x) < 3)
            #expect(abs(Double(colour >> 8 & 255) - 128 - 100 * ray.y) < 3)
        }
    }

    /// Nothing of what the lens shows is cut off: the widest rays of the border are in the cloud.
    @Test("the whole view is there", arguments: lenses)
    func view(lens: Lens) throws {
        let cloud = try cloud(lens, orientation: .landscapeRight)
        let grid = Self.camera.scaled(toWidth: Self.columns, height: Self.rows)
        for (column, row) in [(0, 0), (Self.columns - 1, 0), (0, Self.rows - 1), (Self.columns - 1, Self.rows - 1)] {
            let ray = lens.ray((Double(column) - grid.cx) / grid.fx, (Double(row) - grid.cy) / grid.fy)
            let nearest = (0..<cloud.count).map { index in
                let point = cloud.position(index)
                return hypot(Double(point.x / -point.z) - ray.x, Double(point.y / point.z) - ray.y)
            }.min()
            #expect(try #require(nearest) < 1.5 / grid.fx)
        }
    }

    /// Coefficients that no lens has give a cloud, or an error, and take no more memory than four times the grid.
    @Test("coefficients of any size", arguments: [-1e300, -5, -0.7, 0.9, 40, 1e9, 1e300], [0, 1, 2, 3, 4])
    func anySize(value: Double, place: Int) throws {
        var coefficients = [Double](repeating: 0, count: 5)
        coefficients[place] = value
        var camera = Self.camera
        camera.distortion = LensDistortion(coefficients)
        let depth = DepthMap(
            width: Self.columns,
            height: Self.rows,
            metres: [Float](repeating: 2, count: Self.columns * Self.rows)
        )
        let cloud = try CloudBuilder().build(
            depth: depth,
            intrinsics: camera,
            mapFromCamera: .identity,
            image: nil,
            parameters: unfiltered
        )
        #expect(cloud.count <= 4 * Self.columns * Self.rows)
    }
}
