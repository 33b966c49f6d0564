import Maps
import Perception
import Recording
import Synthetic
import Testing

/// What is there stays, and what is gone goes: judged by points that have a surface near them, or have none.
@Suite("What stays in a map")
struct CarvingTests {
    private static let near: Float = 0.03
    private static let grid = (width: 128, height: 96)

    /// Corners of a mesh, in cells as large as the distance that is asked for.
    private struct Corners {
        private var cells: [SIMD3<Int32>: [SIMD3<Float>]] = [:]

        init(_ mesh: SurfaceMesh) {
            for point in mesh.points { cells[Self.cell(point.position), default: []].append(point.position) }
        }

        private static func cell(_ point: SIMD3<Float>) -> SIMD3<Int32> {
            SIMD3<Int32>((point / CarvingTests.near).rounded(.down))
        }

        func isNear(_ point: SIMD3<Float>) -> Bool {
            let cell = Self.cell(point)
            return (0..<27).contains { side in
                let offset = SIMD3<Int32>(Int32(side % 3), Int32(side / 3 % 3), Int32(side / 9)) &- 1
                return (cells[cell &+ offset] ?? []).contains { corner in
                    let way = corner - point
                    return (way * way).sum() < CarvingTests.near * CarvingTests.near
                }
            }
        }

        /// The part of some points that has a corner near it.
        func share(_ points: [SIMD3<Float>]) -> Double {
            Double(points.count { isNear($0) }) / Double(max(points.count, 1))
        }
    }

    private static func points(_ view: DepthView, in boxes: ArraySlice<Room.Box>) -> [SIMD3<Float>] {
        let camera = view.intrinsics.scaled(toWidth: view.depth.width, height: view.depth.height)
        var found: [SIMD3<Float>] = []
        for (place, metres) in view.depth.metres.enumerated() where metres > 0 {
            let x = (Double(place % view.depth.width) - camera.cx) / camera.fx
            let y = (camera.cy - Double(place / view.depth.width)) / camera.fy
            let point = view.worldFromCamera * (Double(metres) * Vector3(x, y, -1))
            let isInside = boxes.contains { box in
                (0..<3).allSatisfy { point[$0] > box.low[$0] - 0.01 && point[$0] < box.high[$0] + 0.01 }
            }
            if isInside { found.append(SIMD3<Float>(point)) }
        }
        return found
    }

    /// Views of a room along a sample's way, each with what the LiDAR sees of it.
    private static func views(_ room: Room, seconds: Int, perSecond: Int) -> [(view: DepthView, room: Room)] {
        var options = SampleOptions()
        options.durationSeconds = Double(seconds)
        let trajectory = SyntheticSession.trajectory(options)
        return (0..<seconds * perSecond).map { index in
            let time = Double(index) / Double(perSecond)
            let seen = room.seen(atSeconds: time, image: index, byLidar: true)
            let pose = trajectory.worldFromCamera(atSeconds: time)
            return (MapScene(seen).view(pose, width: grid.width, height: grid.height), seen)
        }
    }

    private static func corners(_ views: [DepthView]) async throws -> Corners {
        let field = try await MapScene.field(views.map { try MapScene.frame($0) })
        return Corners(await MeshExtractor(field).mesh())
    }

    @Test("who walked through is gone after five seconds of free views, and was there before")
    func walker() async throws {
        let room = Room(seed: 1, hasWalker: true)
        let views = Self.views(room, seconds: 18, perSecond: 3)
        let walker = views.flatMap { Self.points($0.view, in: $0.room.boxes[room.movingBoxes]) }
        #expect(walker.count > 3000)
        let share = try await Self.corners(views.map(\.view)).share(walker)
        #expect(share <= 0.02, "\(share)")
        let early = views.prefix(3).map(\.view)
        #expect(try await Self.corners(early).share(walker) > 0.1)
    }

    @Test("thin plates, poles, and a fabric that every sixth view looks through stay")
    func thinThings() async throws {
        let room = Room(seed: 1, hasThinThings: true)
        let views = Self.views(room, seconds: 16, perSecond: 3)
        let corners = try await Self.corners(views.map(\.view))
        for name in ["plate", "pole", "fabric"] {
            let points = views.flatMap { view in
                Self.points(view.view, in: view.room.boxes.filter { $0.name == name }[...])
            }
            #expect(points.count > 500, "\(name)")
            let share = corners.share(points)
            #expect(share >= 0.9, "\(name): \(share)")
        }
    }

    @Test("an end to what many later views look through, however often it was seen, and not to what few do")
    func votes() async throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.6, -0.5, -1.4), Vector3(0.6, 0.5, -1.2))]
        let pose = MapScene.pose(from: .zero, to: Vector3(0, 0, -1))
        let wall = try MapScene.frame(scene.view(pose))
        scene.spheres.append((Vector3(0, 0, -0.6), 0.1))
        let someone = try MapScene.frame(scene.view(pose))
        func nearest(_ frames: [MapFrame]) async throws -> Float {
            let mesh = await MeshExtractor(try MapScene.field(frames)).mesh()
            return mesh.points.map(\.position.z).max() ?? 0
        }
        func views(_ seen: Int, _ through: Int) -> [MapFrame] {
            Array(repeating: someone, count: seen) + Array(repeating: wall, count: through)
        }
        #expect(try await nearest(views(2, 2)) > -0.51)
        #expect(try await nearest(views(2, 12)) < -0.8)
        // What was seen long does not outlast five times as many free views.
        #expect(try await nearest(views(20, 100)) < -0.8)
        // A fifth of the views, evenly.
        #expect(try await nearest((0..<60).map { $0 % 5 == 0 ? wall : someone }) > -0.51)
    }

    /// The wall at the left is gone later, what is at the right is seen no more: the colours beside what goes are whole.
    @Test("what goes takes nothing of its neighbours along")
    func neighbours() async throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.3, -0.3, -1.4), Vector3(0.3, 0.3, -1.2))]
        let pose = MapScene.pose(from: .zero, to: Vector3(0, 0, -1))
        let view = scene.view(pose)
        let wall = try MapScene.frame(view, image: MapScene.image(red: 200, green: 100, blue: 50))
        var later = view
        for place in 0..<256 * 192 { later.depth.metres[place] = place % 256 < 131 ? 3 : .nan }
        let free = try MapScene.frame(later, image: MapScene.image(red: 1, green: 2, blue: 3))
        let before = try await MapScene.field([wall])
        let after = try await MapScene.field([wall] + Array(repeating: free, count: 8))
        var (gone, beside) = (0, 0)
        for key in before.keys {
            for index in 0..<512 {
                let inside = SIMD3<Int32>(Int32(index & 7), Int32(index >> 3 & 7), Int32(index >> 6))
                let place = key.place &* 8 &+ inside
                guard let old = before.voxel(place) else { continue }
                guard let new = after.voxel(place) else {
                    gone += 1
                    continue
                }
                guard new.weight == old.weight else { continue }
                #expect(new.colour == old.colour && new.count == old.count && new.metres == old.metres, "\(place)")
                if after.voxel(place &- SIMD3(1, 0, 0)) == nil, before.voxel(place &- SIMD3(1, 0, 0)) != nil {
                    beside += old.count
                }
            }
        }
        #expect(gone > 500 && beside > 20, "\(gone), \(beside)")
    }

    @Test("pixels that fly behind an edge make no surface")
    func flyingPixels() async throws {
        var scene = MapScene()
        scene.boxes = [
            (Vector3(-0.2, -0.6, -1.4), Vector3(0.2, 0.6, -1.3)), (Vector3(-3, -3, -3.2), Vector3(3, 3, -3)),
        ]
        var state: UInt64 = 7
        func random() -> Float {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Float(state >> 40) / Float(1 << 24)
        }
        let frames = try (0..<24).map { index in
            let eye = Vector3(0.02 * Double(index) - 0.24, 0.1 * Double(index % 5), 0)
            var view = scene.view(MapScene.pose(from: eye, to: Vector3(0, 0, -1.3)), width: 128, height: 96)
            let exact = view.depth.metres
            // Two pixels of each row fly side by side, so that the edge filter takes them for a surface.
            for row in 0..<96 {
                for column in 1..<126 where abs(exact[row * 128 + column] - exact[row * 128 + column + 1]) > 0.5 {
                    let metres = 1.5 + 1.3 * random()
                    for place in 0..<2 { view.depth.metres[row * 128 + column + place] = metres + 0.01 * Float(place) }
                }
            }
            return try MapScene.frame(view)
        }
        let mesh = await MeshExtractor(try MapScene.field(frames)).mesh()
        let flying = mesh.points.count { $0.position.z < -1.5 && $0.position.z > -2.8 }
        #expect(mesh.points.count > 5000)
        #expect(flying * 100 < mesh.points.count, "\(flying) of \(mesh.points.count)")
    }
}
