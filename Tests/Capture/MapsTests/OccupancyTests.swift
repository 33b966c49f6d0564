import Maps
import Perception
import Recording
import Synthetic
import TestSupport
import Testing

@Suite("Maps of the floor")
struct OccupancyTests {
    private static let floor = -1.42

    /// The distance from the middle of a cell to the nearest true surface that stands in the way of a robot.
    private static func obstacleDistance(_ room: Room, _ x: Double, _ y: Double) -> Double {
        stride(from: floor + 0.12, through: floor + 1.78, by: 0.02).map {
            room.distanceToSurface(OccupancyScene.world(x, y, $0))
        }.min() ?? .infinity
    }

    @Test("walls and furniture lie within one cell, nothing is free that no camera saw", arguments: [false, true])
    func walls(isNoisy: Bool) throws {
        let views = OccupancyScene.room()
        let room = Room(seed: 1, walk: .loop)
        var random = NoiseSource(seed: 3)
        let frames = try views.frames { isNoisy ? $0 * (1 + 0.004 * random.normal()) : $0 }
        let map = try OccupancyMap(try OccupancyScene.volume(frames))
        // Half the diagonal of a cell, and a cell.
        let bound = 0.036 + 0.05
        let occupied = map.places.filter { $0.state == OccupancyMap.occupied }
        #expect(occupied.count > 1000)
        let far = occupied.count { Self.obstacleDistance(room, $0.x, $0.y) > bound }
        #expect(far == 0, "\(far) of \(occupied.count)")
        var blind = 0
        for cell in map.places where cell.state == OccupancyMap.free {
            let heights = stride(from: Self.floor, through: Self.floor + 1.85, by: 0.05)
            let corners = [(0.0, 0.0), (-0.025, -0.025), (0.025, -0.025), (-0.025, 0.025), (0.025, 0.025)]
            let isSeen = heights.contains { z in
                corners.contains { views.isSeen(cell.x + $0.0, cell.y + $0.1, z) }
            }
            if !isSeen { blind += 1 }
        }
        #expect(blind == 0)
        #expect(map.squareMetres(of: OccupancyMap.free) > 20)
        // The middle of a free cell lies inside of the walls.
        let (low, high) = (room.low, room.high)
        let outside = map.places.filter {
            $0.state == OccupancyMap.free
                && !($0.x > low.x - 0.025 && $0.x < high.x + 0.025 && -$0.y > low.z - 0.025 && -$0.y < high.z + 0.025)
        }
        #expect(outside.isEmpty, "\(outside)")
    }

    @Test("what cameras see of walls is occupied within one cell")
    func completeness() throws {
        let views = OccupancyScene.room()
        let map = try OccupancyMap(try OccupancyScene.volume(views.frames()))
        let camera = MapScene.camera.scaled(toWidth: views.width, height: views.height)
        var (seen, missed) = (0, 0)
        for pose in views.poses {
            for row in stride(from: 2, to: views.height, by: 7) {
                for column in stride(from: 2, to: views.width, by: 7) {
                    let x = (Double(column) - camera.cx) / camera.fx
                    let ray = pose.rotation.rotating(Vector3(x, (camera.cy - Double(row)) / camera.fy, -1))
                    let depth = views.scene.depth(from: pose.translation, along: ray)
                    let end = pose.translation + depth * ray
                    guard depth > 0.2, depth < 4.8, end.y > Self.floor + 0.15, end.y < Self.floor + 1.7 else {
                        continue
                    }
                    seen += 1
                    let isThere = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)].contains { step in
                        let (x, y) = (end.x + 0.05 * Double(step.0), -end.z + 0.05 * Double(step.1))
                        return map.state(x: x, y: y) == OccupancyMap.occupied
                    }
                    if !isThere { missed += 1 }
                }
            }
        }
        // The edge filter drops pixels at edges, and a cell that many rays graze may be taken for free.
        #expect(seen > 5000 && missed * 200 < seen, "\(missed) of \(seen)")
    }

    @Test("the floor is level to 0.2 degrees and at its height", arguments: [0, 0.01])
    func floor(noise: Float) throws {
        var random = NoiseSource(seed: 9)
        let frames = try OccupancyScene.room().frames { $0 * (1 + noise * random.normal()) }
        let floor = try OccupancyMap(try OccupancyScene.volume(frames)).floor
        #expect(floor.tiltDegrees <= 0.2)
        #expect(abs(floor.heightMetres - Self.floor) < 0.01)
        #expect(floor.areaSquareMetres > 10)
        // The seat of the sofa.
        #expect(floor.levels.contains { abs($0.heightMetres - 0.43) < 0.03 && $0.areaSquareMetres > 0.5 })
    }

    @Test("a world that is not level has the same map, and the tilt is said")
    func tilted() throws {
        let views = OccupancyScene.room(frames: 12)
        let level = try OccupancyMap(try OccupancyScene.volume(views.frames()))
        let turn = Transform(rotation: Quaternion(angleRadians: 1.5 * .pi / 180, axis: Vector3(0, 1, 0)))
        let tilted = try OccupancyMap(try OccupancyScene.volume(views.frames(turnedBy: turn)))
        #expect(abs(tilted.floor.tiltDegrees - 1.5) < 0.1)
        for state in [OccupancyMap.free, OccupancyMap.occupied] {
            let (a, b) = (level.squareMetres(of: state), tilted.squareMetres(of: state))
            #expect(abs(a - b) < 0.1 * a, "\(state): \(a), \(b)")
        }
    }

    /// A hall of 6 x 6 m with its floor at 0, seen from above its middle on all sides.
    private static func hall(_ boxes: [(low: Vector3, high: Vector3)], ground: Double = 0) -> OccupancyScene {
        var scene = MapScene()
        scene.room = (Vector3(-3, ground, -3), Vector3(3, 3, 3))
        scene.boxes = boxes
        let eyes = [Vector3(0, 1.5, 0), Vector3(0.6, 1.6, 0.7), Vector3(-0.7, 1.5, 0.5), Vector3(-2.6, 1.7, -2.5)]
        var poses: [Transform] = []
        for eye in eyes {
            for step in 0..<12 {
                let angle = Double(step) * .pi / 6
                let way = Quaternion(angleRadians: angle, axis: Vector3(0, 1, 0)).rotating(Vector3(1, -0.75, 0))
                poses.append(MapScene.pose(from: eye, to: eye + way))
            }
        }
        return OccupancyScene(scene: scene, poses: poses)
    }

    @Test("steps are said, and are obstacles")
    func steps() throws {
        let steps = (0..<3).map { step in
            (low: Vector3(1 + 0.35 * Double(step), 0, -3), high: Vector3(3, 0.17 * Double(step + 1), 3))
        }
        let map = try OccupancyMap(try OccupancyScene.volume(Self.hall(steps).frames()))
        #expect(abs(map.floor.heightMetres) < 0.005 && map.floor.tiltDegrees < 0.1)
        for height in [0.17, 0.34, 0.51] {
            let isThere = map.floor.levels.contains { abs($0.heightMetres - height) < 0.01 }
            #expect(isThere, "\(height): \(map.floor.levels)")
        }
        #expect(map.floor.slopes.isEmpty)
        #expect(map.state(x: 1.2, y: 0.2) == OccupancyMap.occupied)
        #expect(map.state(x: 0.5, y: 0.2) == OccupancyMap.free)
    }

    @Test("a ramp is said")
    func ramp() throws {
        // 150 steps of a centimetre: a slope of 0.1.
        let ramp = (0..<15).map { step in
            (low: Vector3(1 + 0.1 * Double(step), 0, -1.5), high: Vector3(2.6, 0.01 * Double(step + 1), 1.5))
        }
        let floor = try OccupancyMap(try OccupancyScene.volume(Self.hall(ramp).frames())).floor
        #expect(abs(floor.heightMetres) < 0.01)
        let slope = try #require(floor.slopes.first)
        #expect(abs(slope.degrees - 5.7) < 1.2 && slope.areaSquareMetres > 1.5, "\(slope)")
        #expect(slope.lowestMetres < 0.05 && slope.highestMetres > 0.1, "\(slope)")
    }

    @Test("what lies lower than the floor is not free")
    func drop() throws {
        // The floor ends at x = 1.2, and 0.4 m deeper is another one.
        let scene = Self.hall([(Vector3(-3, -0.4, -3), Vector3(1.2, 0, 3))], ground: -0.4)
        let map = try OccupancyMap(try OccupancyScene.volume(scene.frames()))
        #expect(abs(map.floor.heightMetres) < 0.01)
        #expect(map.floor.levels.contains { abs($0.heightMetres + 0.4) < 0.02 }, "\(map.floor.levels)")
        #expect(map.lowerCount > 500)
        let lower = map.places.filter { $0.x > 1.7 && $0.x < 2.9 && abs($0.y) < 1 }
        #expect(lower.count > 500 && lower.count { $0.state == OccupancyMap.free } < lower.count / 20)
        #expect(map.state(x: 0.8, y: 0.2) == OccupancyMap.free)
    }

    @Test("a table that hides most of the floor is not taken for it")
    func table() throws {
        let scene = Self.hall([(Vector3(-2.1, 0.36, -2.1), Vector3(2.1, 0.4, 2.1))])
        let floor = try OccupancyMap(try OccupancyScene.volume(scene.frames())).floor
        #expect(abs(floor.heightMetres) < 0.01)
        let table = try #require(floor.levels.first)
        #expect(abs(table.heightMetres - 0.4) < 0.01 && table.areaSquareMetres > floor.areaSquareMetres, "\(floor)")
    }

    @Test("without a floor in view there is no map")
    func noFloor() throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-2, -1, -3.2), Vector3(2, 1, -3))]
        let poses = (0..<6).map { Transform(rotation: .identity, translation: Vector3(0.1 * Double($0), 0, 0)) }
        let volume = try OccupancyScene.volume(try OccupancyScene(scene: scene, poses: poses).frames())
        #expect(volume.blockCount > 10)
        let error = #expect(throws: MissingFloor.self) { try OccupancyMap(volume) }
        #expect(error?.areaSquareMetres ?? 1 < 0.5)
        #expect(throws: MissingFloor.self) { try OccupancyMap(try OccupancyVolume()) }
    }

    @Test("one stray pixel is no obstacle, two at one place are")
    func specks() throws {
        let views = Self.hall([])
        let frames = try views.frames()
        // Near the upper edge of the image, half a metre behind the wall.
        var samples = try DepthSampler().samples(views.scene.view(views.poses[0]), image: nil)
        samples.metres[6 * 256 + 128] *= 1.15
        let pose = OccupancyScene.mapFromWorld * views.poses[0]
        let strayed = try #require(MapFrame(samples, worldFromCamera: pose))
        let clean = try OccupancyMap(try OccupancyScene.volume(frames))
        let once = try OccupancyMap(try OccupancyScene.volume(frames + [strayed]))
        let twice = try OccupancyMap(try OccupancyScene.volume(frames + [strayed, strayed]))
        #expect(clean.speckCount == 0 && once.speckCount == 1 && twice.speckCount == 0)
        let occupied = clean.count(of: OccupancyMap.occupied)
        #expect(once.count(of: OccupancyMap.occupied) == occupied)
        #expect(twice.count(of: OccupancyMap.occupied) == occupied + 1)
    }
}

/// Normally distributed numbers from a seed: the sum of twelve even ones.
struct NoiseSource {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func normal() -> Float {
        var sum: Float = -6
        for _ in 0..<12 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            sum += Float(state >> 40) / Float(1 << 24)
        }
        return sum
    }
}
