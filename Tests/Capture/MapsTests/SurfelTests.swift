import Maps
import Perception
import Recording
import Testing

@Suite("Surfels")
struct SurfelTests {
    private static func field(frames: Int) async throws -> FieldSnapshot {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.5, -0.4, -1.13), Vector3(0.5, 0.4, -1))]
        let image = MapScene.image(red: 200, green: 100, blue: 50)
        let frame = try MapScene.frame(scene.view(MapScene.pose(from: .zero, to: Vector3(0, 0, -1))), image: image)
        return try await MapScene.field(Array(repeating: frame, count: frames))
    }

    @Test("one for each voxel that the surface crosses, on it, with its normal, colour and size")
    func shape() async throws {
        let surfels = await MeshExtractor(try await Self.field(frames: 1)).surfels()
        // A square metre has 2500 voxels of 2 cm, and the box 0.8 of it.
        #expect((1900...2100).contains(surfels.count))
        for surfel in surfels {
            #expect(abs(surfel.position.z + 1) < 0.003 && surfel.normal.z > 0.99)
            #expect(surfel.radiusMetres == 0.015)
            #expect(surfel.colour == 0xC8_6432)
        }
    }

    @Test("confidence grows by 0.04 with each frame from 0.2 up to 1", arguments: [(1, 0.2), (5, 0.36), (30, 1)])
    func confidence(frames: Int, expected: Float) async throws {
        let surfels = await MeshExtractor(try await Self.field(frames: frames)).surfels()
        #expect(!surfels.isEmpty)
        for surfel in surfels {
            #expect(surfel.count == UInt32(frames) && abs(surfel.confidence - expected) < 1e-6)
        }
    }
}
