import Perception
import Recording
import TestSupport
import Testing

/// How views overlap, against rays that meet known planes and a search through all points.
@Suite struct OverlapTests {
    private static let camera = CameraIntrinsics(width: 640, height: 480, fx: 500, fy: 505, cx: 318, cy: 243)
    private static let grid = GridSize(width: 64, height: 48)

    /// The corner of a room: the floor y = -1, walls z = -2.5 and x = 1.6, seen from inside.
    private static func view(from worldFromCamera: Transform) -> DepthView {
        var metres: [Float] = []
        for row in 0..<grid.height {
            for column in 0..<grid.width {
                let ray = direction(column, row)
                let inWorld = worldFromCamera.rotation.rotating(ray)
                let eye = worldFromCamera.translation
                let hits = [
                    (-1 - eye.y) / inWorld.y, (-2.5 - eye.z) / inWorld.z, (1.6 - eye.x) / inWorld.x,
                ].filter { $0 > 0 }
                metres.append(Float(hits.min() ?? 0))
            }
        }
        let depth = DepthMap(width: grid.width, height: grid.height, metres: metres)
        return DepthView(depth: depth, intrinsics: camera, worldFromCamera: worldFromCamera)
    }

    /// Along the optical axis it has the length 1, so that a hit's distance is its depth.
    private static func direction(_ column: Int, _ row: Int) -> Vector3 {
        // The centre of a depth pixel, ten image pixels wide, counted from the centre of the first image pixel.
        let (u, v) = (10 * (Double(column) + 0.5) - 0.5, 10 * (Double(row) + 0.5) - 0.5)
        return Vector3((u - camera.cx) / camera.fx, (camera.cy - v) / camera.fy, -1)
    }

    private static func pose(yaw: Double, pitch: Double, at place: Vector3) -> Transform {
        Transform(
            rotation: Quaternion(angleRadians: yaw, axis: Vector3(0, 1, 0))
                * Quaternion(angleRadians: pitch, axis: Vector3(1, 0, 0)),
            translation: place
        )
    }

    private static let first = view(from: pose(yaw: 0.1, pitch: -0.2, at: Vector3(0.1, 0.2, 0.3)))
    private static let second = view(from: pose(yaw: -0.15, pitch: -0.1, at: Vector3(0.35, 0.1, 0.2)))

    @Test func soundViewsLieOnOneAnother() throws {
        let overlap = try #require(OverlapMeter().measure(Self.first, Self.second))
        #expect(overlap.pointCount > 2000 && overlap.sharedCount > overlap.pointCount / 2)
        #expect(overlap.medianMetres < 0.03)
    }

    /// The same far from the origin, where single precision has centimetres only.
    @Test func farPlacesAreAsPrecise() throws {
        let far = Vector3(40_000, -20, 70_000)
        func moved(_ view: DepthView) -> DepthView {
            var view = view
            view.worldFromCamera.translation += far
            return view
        }
        let near = try #require(OverlapMeter().measure(Self.first, Self.second))
        let overlap = try #require(OverlapMeter().measure(moved(Self.first), moved(Self.second)))
        #expect(abs(overlap.medianMetres - near.medianMetres) < 1e-3)
    }

    @Test func aWrongPoseShowsInFull() throws {
        // Along the normal of the back wall, which most of the view is: the distance is the error.
        var wrong = Self.second
        wrong.worldFromCamera.translation.z += 0.2
        let overlap = try #require(OverlapMeter().measure(Self.first, wrong))
        #expect((0.1...0.21).contains(overlap.medianMetres), "\(overlap)")
        wrong.worldFromCamera.translation.z += 3
        let far = try #require(OverlapMeter().measure(Self.first, wrong))
        #expect(far.sharedCount == 0 || far.medianMetres == OverlapMeter.reachMetres)
    }

    /// Every point against every other one, without a projector of ours and without cells.
    @Test(arguments: [0.0, 0.06, 0.4])
    func medianIsThatOfANaiveSearch(error: Double) throws {
        var second = Self.second
        second.worldFromCamera.translation += Vector3(error, error / 2, -error)
        let overlap = try #require(OverlapMeter().measure(Self.first, second))
        func points(_ view: DepthView) -> [Vector3] {
            var points: [Vector3] = []
            for row in 0..<Self.grid.height {
                for column in 0..<Self.grid.width {
                    let depth = Double(view.depth.metres[Self.grid.width * row + column])
                    guard depth > 0.1, depth < 5 else { continue }
                    points.append(view.worldFromCamera * (Self.direction(column, row) * depth))
                }
            }
            return points
        }
        let there = points(second)
        let tried = points(Self.first)
        var distances: [Double] = []
        for point in tried {
            let inCamera = second.worldFromCamera.inverse * point
            let u = Self.camera.cx - Self.camera.fx * inCamera.x / inCamera.z
            let v = Self.camera.cy + Self.camera.fy * inCamera.y / inCamera.z
            guard inCamera.z < -0.05, (-0.5..<639.5).contains(u), (-0.5..<479.5).contains(v) else { continue }
            distances.append(min(OverlapMeter.reachMetres, there.map { ($0 - point).length }.min() ?? .infinity))
        }
        distances.sort()
        // The edge filter leaves out a few pixels at the corner of the walls, and image borders fall either way.
        #expect(abs(overlap.sharedCount - distances.count) < distances.count / 20)
        #expect(abs(overlap.medianMetres - distances[distances.count / 2]) < 0.004)
    }

    @Test func viewsWithoutDepthHaveNoPoints() throws {
        var empty = Self.first
        empty.depth.metres = Array(repeating: 0, count: empty.depth.metres.count)
        let overlap = try #require(OverlapMeter().measure(empty, Self.second))
        #expect(overlap.pointCount == 0 && overlap.sharedCount == 0)
        empty.depth.metres.removeLast()
        #expect(OverlapMeter().measure(empty, Self.second) == nil)
    }
}
