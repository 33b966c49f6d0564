import Maps
import Perception
import Recording
import Testing

@Suite("The mesh")
struct MeshTests {
    private static let radius = 0.3
    private static let centre = Vector3(0.513, -0.207, 0.331)

    private static func sphereFrames(_ count: Int = 24) throws -> [MapFrame] {
        var scene = MapScene()
        scene.spheres = [(centre, radius)]
        return try MapScene.poses(around: centre, distance: 1.1, count: count)
            .map { try MapScene.frame(scene.view($0)) }
    }

    @Test("a sphere seen from all sides is closed, round, and turned outwards")
    func sphere() async throws {
        let field = try await MapScene.field(Self.sphereFrames())
        let mesh = await MeshExtractor(field).mesh()
        let shape = MeshShape(mesh)
        #expect(mesh.triangles.count > 5000)
        #expect(shape.isClosed && shape.isManifold && !shape.hasDuplicates)
        #expect(shape.eulerCharacteristic == 2)
        #expect(shape.smallestArea > 0)
        let exact = 4 * Double.pi * Self.radius * Self.radius
        #expect(abs(shape.area - exact) < 0.02 * exact)
        for point in mesh.points {
            let ray = Vector3(point.position) - Self.centre
            #expect(abs(ray.length - Self.radius) < 0.006)
            #expect(dot(ray / ray.length, Vector3(point.normal)) > 0.97)
        }
        for triangle in mesh.triangles {
            let corners = [triangle.a, triangle.b, triangle.c].map { Vector3(mesh.points[Int($0)].position) }
            let normal = cross(corners[1] - corners[0], corners[2] - corners[0])
            #expect(dot(normal, corners[0] - Self.centre) > 0)
        }
    }

    @Test("the same bytes with any number of workers")
    func workers() async throws {
        let frames = try Self.sphereFrames(6)
        let alone = await MeshExtractor(try MapScene.field(frames)).mesh()
        let surfels = await MeshExtractor(try MapScene.field(frames)).surfels()
        for jobs in [2, 3] {
            let field = try await MapScene.field(frames, jobs: jobs)
            #expect(await MeshExtractor(field, jobs: jobs).mesh() == alone)
            #expect(await MeshExtractor(field, jobs: jobs).surfels() == surfels)
        }
        #expect(!alone.points.isEmpty)
    }

    @Test("what was not seen leaves a border, and nothing beyond it")
    func border() async throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.5, -0.4, -0.2), Vector3(0.5, 0.4, -0.1))]
        let view = scene.view(MapScene.pose(from: Vector3(0, 0, 1.4), to: .zero))
        let mesh = await MeshExtractor(try MapScene.field([MapScene.frame(view)])).mesh()
        let shape = MeshShape(mesh)
        #expect(shape.isManifold && !shape.isClosed && !shape.hasDuplicates)
        #expect(abs(shape.area - 0.8) < 0.04)
        for point in mesh.points { #expect(abs(point.position.z + 0.1) < 0.004 && point.normal.z > 0.99) }
    }

    @Test("pieces smaller than the least area are dropped")
    func components() async throws {
        var scene = MapScene()
        scene.spheres = [(Self.centre, Self.radius), (Self.centre + Vector3(0.6, 0, 0), 0.05)]
        let frames = try MapScene.poses(around: Self.centre, distance: 1.6, count: 16)
            .map { try MapScene.frame(scene.view($0)) }
        func reach(_ area: Double) async throws -> Double {
            var parameters = MapParameters()
            parameters.minimumComponentSquareMetres = area
            let mesh = await MeshExtractor(try MapScene.field(frames, parameters)).mesh()
            return mesh.points.map { (Vector3($0.position) - Self.centre).length }.max() ?? 0
        }
        // The small sphere has 0.03 square metres.
        #expect(try await reach(0.01) > 0.6)
        #expect(try await reach(0.1) < 0.35)
    }

    @Test("what is kept of many pieces is what a search from triangle to triangle finds, with any number of workers")
    func pieces() async throws {
        var scene = MapScene()
        scene.spheres = [(Self.centre, 0.5)]
        // Around it twelve that are far from each other: those of 0.03 square metres go, those of 0.11 stay.
        for (index, pose) in MapScene.poses(around: Self.centre, distance: 0.85, count: 12).enumerated() {
            scene.spheres.append((pose.translation, index % 3 == 0 ? 0.095 : 0.05))
        }
        let frames = try MapScene.poses(around: Self.centre, distance: 1.9, count: 40)
            .map { try MapScene.frame(scene.view($0)) }
        func mesh(_ area: Double, jobs: Int) async throws -> SurfaceMesh {
            var parameters = MapParameters()
            parameters.minimumComponentSquareMetres = area
            return await MeshExtractor(try MapScene.field(frames, parameters), jobs: jobs).mesh()
        }
        let expected = MeshShape.withoutPieces(of: try await mesh(0, jobs: 1), below: 0.06)
        #expect(expected.droppedTriangles > 100 && expected.triangles.count > 10_000)
        for jobs in [1, 2, 3] {
            let found = try await mesh(0.06, jobs: jobs)
            #expect(found.points == expected.points && found.triangles == expected.triangles)
            #expect(found.droppedTriangles == expected.droppedTriangles)
            #expect(abs(found.droppedSquareMetres - expected.droppedSquareMetres) < 1e-6)
        }
    }

    @Test("groups of blocks, extracted alone, make up the whole")
    func groups() async throws {
        var parameters = MapParameters()
        parameters.minimumComponentSquareMetres = 0
        let field = try await MapScene.field(Self.sphereFrames(8), parameters)
        let whole = await MeshExtractor(field).mesh()
        func corners(_ mesh: SurfaceMesh) -> [[SIMD3<Float>]] {
            mesh.triangles.map { [$0.a, $0.b, $0.c].map { mesh.points[Int($0)].position } }
        }
        var parts: [[SIMD3<Float>]] = []
        let groups = Dictionary(grouping: field.keys) { $0.place &>> 2 }
        #expect(groups.count > 1)
        for keys in groups.values { parts += corners(await MeshExtractor(field).mesh(of: keys)) }
        #expect(parts.count == whole.triangles.count)
        #expect(Set(parts) == Set(corners(whole)))
    }

    @Test("an empty field has an empty mesh")
    func empty() async throws {
        let field = try await MapScene.field([])
        #expect(await MeshExtractor(field, jobs: 2).mesh() == SurfaceMesh())
        #expect(await MeshExtractor(field).surfels().isEmpty)
    }
}
