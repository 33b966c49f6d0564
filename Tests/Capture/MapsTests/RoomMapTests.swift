import Maps
import Perception
import Recording
import Synthetic
import TestSupport
import Testing

@Suite("A map of the known room")
struct RoomMapTests {
    private static let room = Room(seed: 1)
    private static let frameCount = 24

    private static var views: [DepthView] {
        var options = SampleOptions()
        options.durationSeconds = 24
        let trajectory = SyntheticSession.trajectory(options)
        let scene = MapScene(room)
        return (0..<frameCount).map { scene.view(trajectory.worldFromCamera(atSeconds: Double($0))) }
    }

    private static func mesh(_ views: [DepthView]) async throws -> SurfaceMesh {
        await MeshExtractor(try MapScene.field(views.map { try MapScene.frame($0) })).mesh()
    }

    private static func distances(_ mesh: SurfaceMesh) -> [Double] {
        mesh.points.map { room.distanceToSurface(Vector3($0.position)) }.sorted()
    }

    @Test("without noise the surface lies on the true one, and covers what was seen")
    func exact() async throws {
        let views = Self.views
        let mesh = try await Self.mesh(views)
        let distances = Self.distances(mesh)
        #expect(distances.count > 100_000)
        #expect(distances.reduce(0, +) / Double(distances.count) < 0.004)
        #expect(distances[distances.count * 99 / 100] < 0.015)
        let shape = MeshShape(mesh)
        #expect(shape.isManifold && !shape.hasDuplicates && shape.smallestArea > 0)
        #expect(Self.coverage(mesh, views) > 0.98)
    }

    @Test("with a sensor's noise it stays near")
    func noisy() async throws {
        var random = NoiseSource(seed: 5)
        let views = Self.views.map { view in
            var view = view
            view.depth.metres = view.depth.metres.map { $0 * (1 + 0.004 * random.normal()) }
            return view
        }
        let distances = Self.distances(try await Self.mesh(views))
        #expect(distances.reduce(0, +) / Double(distances.count) < 0.008)
    }

    /// The part of the pixels within 5 m, met at less than 70 degrees, that have the mesh within two voxels.
    private static func coverage(_ mesh: SurfaceMesh, _ views: [DepthView]) -> Double {
        func cell(_ point: Vector3) -> SIMD3<Int32> { SIMD3<Int32>((point / 0.04).rounded(.down)) }
        let there = Set(mesh.points.map { cell(Vector3($0.position)) })
        var (seen, covered) = (0, 0)
        for view in views {
            let camera = view.intrinsics.scaled(toWidth: view.depth.width, height: view.depth.height)
            for row in stride(from: 2, to: view.depth.height - 2, by: 5) {
                for column in stride(from: 2, to: view.depth.width - 2, by: 5) {
                    func point(_ column: Int, _ row: Int) -> Vector3 {
                        let depth = Double(view.depth.metres[row * view.depth.width + column])
                        let x = (Double(column) - camera.cx) / camera.fx
                        let y = (camera.cy - Double(row)) / camera.fy
                        return view.worldFromCamera * (depth * Vector3(x, y, -1))
                    }
                    let centre = point(column, row)
                    let normal = cross(point(column + 1, row) - centre, point(column, row + 1) - centre)
                    let ray = centre - view.worldFromCamera.translation
                    let depth = view.depth.metres[row * view.depth.width + column]
                    guard depth < 5, abs(dot(normal, ray)) > 0.342 * normal.length * ray.length else { continue }
                    seen += 1
                    let place = cell(centre)
                    let isCovered = (0..<27).contains { side in
                        let offset = SIMD3<Int32>(Int32(side % 3), Int32(side / 3 % 3), Int32(side / 9))
                        return there.contains(place &+ offset &- 1)
                    }
                    if isCovered { covered += 1 }
                }
            }
        }
        return Double(covered) / Double(max(seen, 1))
    }

    @Test("a face that is met at a low angle has its colour, too")
    func steepColours() async throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(0.3, -0.8, -3), Vector3(0.8, 0.8, -0.5)), (Vector3(-2, -2, -3.2), Vector3(2, 2, -3))]
        let image = RGBImage(width: 120, height: 90, pixels: [UInt8](repeating: 77, count: 3 * 120 * 90))
        let frames = try (0..<4).map { _ in
            try MapScene.frame(scene.view(Transform(rotation: .identity, translation: .zero)), image: image)
        }
        let mesh = await MeshExtractor(try MapScene.field(frames)).mesh()
        // The far end of the side is met at 84 degrees.
        #expect(mesh.points.count { abs($0.position.x - 0.3) < 0.01 && $0.position.z < -0.6 } > 500)
        let wrong = mesh.points.count { $0.colour != 0x4D_4D4D }
        #expect(wrong < 100, "\(wrong) of \(mesh.points.count)")
    }

    @Test("colours are those of the surface")
    func colours() async throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.8, -0.8, -1.2), Vector3(0.8, 0.8, -1))]
        // Red grows to the right and green downwards, over what the camera at the middle sees.
        var pixels: [UInt8] = []
        for row in 0..<90 {
            for column in 0..<120 { pixels += [UInt8(2 * column), UInt8(2 * row), 77] }
        }
        let image = RGBImage(width: 120, height: 90, pixels: pixels)
        let frames = try (0..<4).map { _ in
            try MapScene.frame(scene.view(Transform(rotation: .identity, translation: .zero)), image: image)
        }
        let mesh = await MeshExtractor(try MapScene.field(frames)).mesh()
        var errors: [Double] = []
        for point in mesh.points {
            let camera = MapScene.camera
            let slope = point.position / -point.position.z
            let column = (camera.cx + camera.fx * Double(slope.x) + 0.5) / 8
            let row = (camera.cy - camera.fy * Double(slope.y) + 0.5) / 8
            let (red, green) = (Double(point.colour >> 16 & 255), Double(point.colour >> 8 & 255))
            errors.append(abs(red - 2 * (column - 0.5)))
            errors.append(abs(green - 2 * (row - 0.5)))
            #expect(abs(Int(point.colour & 255) - 77) <= 1)
        }
        errors.sort()
        #expect(errors.count > 5000 && errors[errors.count / 2] < 2 && errors[errors.count * 99 / 100] < 12)
    }
}
