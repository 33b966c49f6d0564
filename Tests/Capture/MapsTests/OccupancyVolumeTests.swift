import Maps
import Perception
import Recording
import Testing

@Suite("What rays pass and where they end")
struct OccupancyVolumeTests {
    private typealias Cells = Set<SIMD3<Int32>>

    private static let cell = 0.05

    private static func scene() -> OccupancyScene {
        var scene = MapScene()
        scene.room = (Vector3(-2.03, -1.41, -2.52), Vector3(1.96, 1.22, 2.31))
        scene.boxes = [(Vector3(-0.41, -1.41, -1.52), Vector3(0.33, -0.22, -0.93))]
        scene.spheres = [(Vector3(0.9, -0.3, -1.2), 0.24)]
        let targets = [Vector3(0, -0.5, -1.2), Vector3(-1, -1, -2), Vector3(1, 0.4, 2)]
        let poses = targets.map { MapScene.pose(from: Vector3(0.31, 0.27, 1.13), to: $0) }
        return OccupancyScene(scene: scene, poses: poses, width: 128, height: 96)
    }

    private static func cells(_ volume: OccupancyVolume, _ fits: (OccupancyVolume.Cell) -> Bool) -> Cells {
        var cells: Cells = []
        for z in -60..<60 as Range<Int32> {
            for y in -80..<80 as Range<Int32> {
                for x in -80..<80 as Range<Int32> {
                    if let cell = volume.cell(SIMD3(x, y, z)), fits(cell) { cells.insert(SIMD3(x, y, z)) }
                }
            }
        }
        return cells
    }

    /// Each pixel's ray, from the camera to its end, cell by cell (Amanatides and Woo 1987).
    private static func walked(_ view: DepthView) -> (passed: Cells, ended: Cells) {
        let camera = view.intrinsics.scaled(toWidth: view.depth.width, height: view.depth.height)
        var (passed, ended): (Cells, Cells) = ([], [])
        for row in 0..<view.depth.height {
            for column in 0..<view.depth.width {
                let depth = Double(view.depth.metres[row * view.depth.width + column])
                guard depth > 0 else { continue }
                let x = (Double(column) - camera.cx) / camera.fx
                let ray = view.worldFromCamera.rotation.rotating(Vector3(x, (camera.cy - Double(row)) / camera.fy, -1))
                let start = view.worldFromCamera.translation / cell
                let way = ray * (depth / cell)
                var place = SIMD3<Int32>(start.rounded(.down))
                var next = 0.0
                while next < 1 {
                    passed.insert(place)
                    // Where the ray leaves the cell.
                    var (best, axis) = (Double.infinity, 0)
                    for candidate in 0..<3 where way[candidate] != 0 {
                        let border = Double(place[candidate]) + (way[candidate] > 0 ? 1 : 0)
                        let at = (border - start[candidate]) / way[candidate]
                        if at < best { (best, axis) = (at, candidate) }
                    }
                    next = best
                    place[axis] += way[axis] > 0 ? 1 : -1
                }
                ended.insert(SIMD3<Int32>((start + way).rounded(.down)))
            }
        }
        return (passed, ended)
    }

    @Test("rays end where a walk along each ends, and no cell is free that none passes")
    func rays() throws {
        let scene = Self.scene()
        for (pose, frame) in zip(scene.poses, try scene.frames()) {
            var view = scene.scene.view(pose, width: scene.width, height: scene.height)
            view.worldFromCamera = OccupancyScene.mapFromWorld * pose
            // What the edge filter and the limits leave.
            view.depth.metres = try DepthSampler().samples(view, image: nil).metres
            let (passed, ended) = Self.walked(view)
            let volume = try OccupancyScene.volume([frame])
            let occupied = Self.cells(volume, \.isOccupied)
            let free = Self.cells(volume) { !$0.isOccupied }
            // Ends at the very border of cells may fall on either side.
            #expect(occupied.symmetricDifference(ended).count * 200 < ended.count)
            #expect(free.subtracting(passed).isEmpty)
            // Cells that rays graze, and those before an edge that the filter dropped, are not taken.
            let taken = free.intersection(passed.subtracting(ended))
            #expect(taken.count * 100 > 80 * passed.subtracting(ended).count, "\(taken.count) of \(passed.count)")
        }
    }

    @Test("cubes are judged as their cells are, one by one")
    func cubes() throws {
        let scene = Self.scene()
        for (pose, frame) in zip(scene.poses, try scene.frames()) {
            var view = scene.scene.view(pose, width: scene.width, height: scene.height)
            view.worldFromCamera = OccupancyScene.mapFromWorld * pose
            let metres = try DepthSampler().samples(view, image: nil).metres
            let camera = view.intrinsics.scaled(toWidth: scene.width, height: scene.height)
            let volume = try OccupancyScene.volume([frame])
            let inverse = view.worldFromCamera.inverse
            var (free, wrong) = (0, 0)
            for z in -40..<40 as Range<Int32> {
                for y in -60..<60 as Range<Int32> {
                    for x in -60..<60 as Range<Int32> {
                        let middle = (Vector3(SIMD3(x, y, z)) + Vector3(0.5, 0.5, 0.5)) * Self.cell
                        let inside = inverse * middle
                        let depth = -inside.z
                        let column = (camera.cx + camera.fx * inside.x / depth).rounded()
                        let row = (camera.cy - camera.fy * inside.y / depth).rounded()
                        let isInView =
                            depth > 0.05 && (0..<Double(scene.width)).contains(column)
                            && (0..<Double(scene.height)).contains(row)
                        let measured = isInView ? Double(metres[Int(row) * scene.width + Int(column)]) : 0
                        let isFree = measured > 0 && measured - depth > 0.025
                        let found = volume.cell(SIMD3(x, y, z))
                        if found?.isOccupied == true { continue }
                        if isFree { free += 1 }
                        if isFree != (found != nil) { wrong += 1 }
                    }
                }
            }
            // Numbers that round to one pixel or its neighbour.
            #expect(free > 10_000 && wrong * 500 < free, "\(wrong) of \(free)")
        }
    }

    @Test("odds are those of OctoMap, and bounded")
    func odds() throws {
        var scene = MapScene()
        scene.boxes = [(Vector3(-1, -1, -1.22), Vector3(1, 1, -1.02))]
        let pose = Transform(rotation: .identity, translation: .zero)
        let near = try OccupancyScene(scene: scene, poses: [pose]).frames()
        scene.boxes = [(Vector3(-1, -1, -2.22), Vector3(1, 1, -2.02))]
        let far = try OccupancyScene(scene: scene, poses: [pose]).frames()
        // The scene's -z is the map's y.
        func odds(_ frames: [MapFrame], _ y: Int32) throws -> Double? {
            try OccupancyScene.volume(frames).cell(SIMD3(0, y, 0))?.logOdds
        }
        func isNear(_ value: Double?, _ expected: Double) -> Bool { abs((value ?? .nan) - expected) < 0.002 }
        #expect(try isNear(odds(near, 20), 0.8473) && isNear(odds(near, 10), -0.4055))
        #expect(try odds(near, 30) == nil)
        #expect(try isNear(odds(near + far, 20), 0.8473 - 0.4055))
        #expect(try isNear(odds(near + far + far + far, 20), 0.8473 - 3 * 0.4055))
        let often = [[MapFrame]](repeating: near, count: 20).flatMap(\.self)
        #expect(try isNear(odds(often, 20), 3.511) && isNear(odds(often, 10), -2))
        // Nothing is surer than what six frames can undo.
        #expect(try (odds(often + far + far + far + far + far + far + far + far + far, 20) ?? 1) < 0)
        let height = try OccupancyScene.volume(near).cell(SIMD3(0, 20, 0))?.heightMetres
        #expect(height.map { $0 > 0 && $0 < 0.05 } == true)
    }

    @Test("the memory is bounded, and what has no room is counted")
    func memory() throws {
        let frames = try Self.scene().frames()
        let whole = try OccupancyScene.volume(frames)
        var parameters = OccupancyParameters()
        parameters.maximumBytes = whole.byteCount / 2
        let half = try OccupancyScene.volume(frames, parameters)
        #expect(half.byteCount <= parameters.maximumBytes && half.blockCount > 10)
        #expect(half.frameCountWithoutRoom == 3 && half.droppedBlockCount > 0)
        #expect(whole.frameCountWithoutRoom == 0)
        parameters.maximumBytes = 0
        #expect(try OccupancyScene.volume(frames, parameters).blockCount == 0)
        parameters = OccupancyParameters()
        parameters.maximumMapCells = 100
        #expect(throws: OversizeMap.self) {
            try OccupancyMap(try OccupancyScene.volume(OccupancyScene.room().frames(), parameters))
        }
    }

    @Test("poses, depths and cameras that cannot be do no harm")
    func impossible() throws {
        let scene = Self.scene()
        let marker = FrameMarker(cellMetres: Self.cell)
        let view = scene.scene.view(scene.poses[0], width: 64, height: 48)
        func marks(
            _ pose: Transform,
            camera: CameraIntrinsics? = nil,
            _ change: (Float) -> Float = { $0 }
        ) throws -> FrameMarks? {
            var samples = try DepthSampler().samples(view, image: nil)
            samples.metres = samples.metres.map(change)
            if let camera { samples.camera = camera }
            return marker.marks(try #require(MapFrame(samples, worldFromCamera: pose)))
        }
        let level = OccupancyScene.mapFromWorld * scene.poses[0]
        #expect(try marks(level) != nil)
        for bad in [Double.nan, .infinity, -.infinity, 1e9, 1e300] {
            let place = Transform(rotation: level.rotation, translation: Vector3(0, bad, 0))
            #expect(try marks(place) == nil, "\(bad)")
            let turn = Transform(rotation: Quaternion(x: bad, y: 0, z: 0, w: 1), translation: .zero)
            _ = try marks(turn)
        }
        // 100 km away cells are still numbered, and as fine as here.
        let far = Transform(rotation: level.rotation, translation: level.translation + Vector3(100_000, -100_000, 0))
        var volume = try OccupancyVolume()
        volume.apply(try #require(try marks(far)))
        #expect(volume.blockCount > 50)
        for depth in [Float.infinity, .nan, -1, 1e30, .greatestFiniteMagnitude, .leastNonzeroMagnitude] {
            let marks = try #require(try marks(level) { _ in depth })
            var volume = try OccupancyVolume()
            volume.apply(marks)
            _ = try? OccupancyMap(volume)
        }
        for focal in [0, -1, Double.nan, .infinity, 1e-300, 1e300, 1, 1e6] {
            let camera = CameraIntrinsics(width: 64, height: 48, fx: focal, fy: focal, cx: 32, cy: 24)
            _ = try marks(level, camera: camera)
            let beside = CameraIntrinsics(width: 64, height: 48, fx: 50, fy: 50, cx: focal, cy: -focal)
            _ = try marks(level, camera: beside)
        }
    }
}
