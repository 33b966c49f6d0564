import Maps
import Perception
import Recording
import Testing

@Suite("The field")
struct FieldTests {
    private static var scene: MapScene {
        var scene = MapScene()
        scene.boxes = [(Vector3(-0.6, -0.5, -1.4), Vector3(0.6, 0.5, -1.2))]
        scene.spheres = [(Vector3(0.2, 0.1, -1), 0.15)]
        return scene
    }

    /// A voxel by the rule, one at a time and in double precision.
    private struct NaiveVoxel {
        var distance = 0.0
        var weight = 0.0
        var colour = Vector3.zero
        var colourWeight = 0.0
        var count = 0

        mutating func add(_ sample: Double, _ weight: Double, truncation: Double, voxel: Double, colour: Vector3) {
            if sample > truncation {
                guard distance < 0 else { return }
                self.weight -= weight / 4
                if self.weight <= 0 { self = NaiveVoxel() }
                return
            }
            let part = sample
            let behind = min(1, (sample / truncation + 1) * truncation / (truncation - voxel))
            let share = weight * behind
            distance = (distance * self.weight + part * share) / (self.weight + share)
            self.weight = min(self.weight + share, 16)
            guard abs(sample) < 1.5 * voxel else { return }
            self.colour = (self.colour * colourWeight + colour * share) / (colourWeight + share)
            colourWeight = min(colourWeight + share, 16)
            count += 1
        }
    }

    @Test("agrees with a slow implementation of the same rule", arguments: [0.02, 0.035])
    func naiveTwin(voxel: Double) async throws {
        let poses = [
            MapScene.pose(from: Vector3(0.1, 0, 0.3), to: Vector3(0, 0, -1.2)),
            MapScene.pose(from: Vector3(-0.9, 0.4, 0.1), to: Vector3(0.1, 0, -1.2)),
            MapScene.pose(from: Vector3(0.7, -0.6, -0.2), to: Vector3(0, 0.1, -1.2)),
        ]
        var views = poses.map { Self.scene.view($0, width: 61, height: 47) }
        views[1].depth.confidence = [UInt8](repeating: 1, count: 61 * 47)
        let colours = [Vector3(200, 40, 10), Vector3(10, 90, 250), Vector3(0, 255, 77)]
        var parameters = MapParameters()
        parameters.voxelSizeMetres = voxel
        let frames = try zip(views, colours)
            .map { view, colour in
                let image = MapScene.image(red: UInt8(colour.x), green: UInt8(colour.y), blue: UInt8(colour.z))
                return try MapScene.frame(view, image: image)
            }
        let volume = try MapVolume(parameters)
        var concerned: [Set<BlockKey>] = []
        for (number, frame) in frames.enumerated() {
            await volume.integrate(frame)
            concerned.append(Set(volume.history.filter { $0.use.latestFrame > number }.map(\.key)))
        }
        let field = await volume.snapshot()
        let samples = try views.map { try DepthSampler().samples($0, image: nil) }
        var compared = 0
        for key in field.keys {
            for index in 0..<512 {
                let inside = SIMD3<Int32>(Int32(index & 7), Int32(index >> 3 & 7), Int32(index >> 6))
                let place = key.place &* 8 &+ inside
                let point = Vector3(place) * voxel
                var naive = NaiveVoxel()
                var isNearBorder = false
                for (number, view) in views.enumerated() where concerned[number].contains(key) {
                    let local = view.worldFromCamera.inverse * point
                    let camera = samples[number].camera
                    let z = -local.z
                    guard z > 0.05 else { continue }
                    let (u, v) = (camera.cx + camera.fx * local.x / z, camera.cy - camera.fy * local.y / z)
                    let (column, row) = (u.rounded(), v.rounded())
                    // What lies between two pixels may fall to either.
                    if abs(abs(u - column) - 0.5) < 1e-3 || abs(abs(v - row) - 0.5) < 1e-3 { isNearBorder = true }
                    guard column >= 0, row >= 0, column < 61, row < 47 else { continue }
                    let depth = Double(samples[number].metres[Int(row) * 61 + Int(column)])
                    let edges = [-4 * voxel, -1.5 * voxel, 1.5 * voxel, 4 * voxel]
                    if edges.contains(where: { abs(depth - z - $0) < 1e-5 }) { isNearBorder = true }
                    guard depth > 0, depth - z > -4 * voxel else { continue }
                    // A block that only this touches may count as one that is looked through.
                    if (3.4...4).contains((depth - z) / voxel) { isNearBorder = true }
                    let weight = min(4, (number == 1 ? 0.5 : 1) / (z * z))
                    let colour = colours[number]
                    naive.add(depth - z, weight, truncation: 4 * voxel, voxel: voxel, colour: colour)
                }
                // Weights are whole units of 1/2048; what is less than a few of them is not compared.
                guard !isNearBorder, let fast = field.voxel(place), fast.weight > 0.05 else { continue }
                compared += 1
                #expect(abs(Double(fast.metres) - naive.distance) < 4e-4, "\(place)")
                #expect(abs(Double(fast.weight) - naive.weight) < 2e-3, "\(place)")
                #expect(fast.count == naive.count, "\(place)")
                guard naive.colourWeight > 0.05 else { continue }
                for channel in 0..<3 {
                    #expect(abs(Double(fast.colour[channel]) - naive.colour[channel]) < 1.5, "\(place)")
                }
            }
        }
        #expect(compared > 5000)
    }

    @Test("no more memory than allowed, and frames that needed more are counted")
    func memory() async throws {
        let frames = try [0.0, 0.8].map { x in
            try MapScene.frame(Self.scene.view(MapScene.pose(from: Vector3(x, 0, 0), to: Vector3(0, 0, -1.2))))
        }
        let free = try MapVolume()
        for frame in frames { await free.integrate(frame) }
        #expect(free.frameCountWithoutRoom == 0 && free.blockCount > 60)
        var parameters = MapParameters()
        parameters.maximumBytes = 40 * BlockLayout.bytes + 5
        let bound = try MapVolume(parameters, jobs: 2)
        let alone = try MapVolume(parameters)
        for frame in frames {
            await bound.integrate(frame)
            await alone.integrate(frame)
        }
        #expect(bound.blockCount == 40 && bound.byteCount <= parameters.maximumBytes)
        #expect(bound.frameCountWithoutRoom == 2 && alone.frameCountWithoutRoom == 2)
        #expect(bound.history.map(\.key) == alone.history.map(\.key))
        #expect(await !MeshExtractor(bound.snapshot()).mesh().triangles.isEmpty)
    }

    /// A whole number of blocks, so that the voxels lie alike.
    private static let farWay = Vector3(500_000, -2000, 250_000) * 0.16

    /// The same view at the origin, far from it, and farther from that than blocks can be numbered.
    private static func farFrames() throws -> [MapFrame] {
        let view = Self.scene.view(MapScene.pose(from: Vector3(0.1, 0, 0.3), to: Vector3(0, 0, -1.2)))
        return try [0, 1, 6].map { times in
            var moved = view
            moved.worldFromCamera.translation += times * farWay
            return try MapScene.frame(moved)
        }
    }

    @Test("far from the origin the map is the same, and what lies beyond its reach is refused")
    func farAway() async throws {
        let frames = try Self.farFrames()
        let volume = try MapVolume()
        let isHeld = await volume.integrate(frames[1])
        let isBeyondHeld = await volume.integrate(frames[2])
        #expect(isHeld && !isBeyondHeld)
        #expect(volume.frameCount == 1)
        let mesh = await MeshExtractor(volume.snapshot()).mesh()
        let near = await MeshExtractor(try MapScene.field([frames[0]])).mesh()
        #expect(near.origin == .zero && mesh.points.count > 1000)
        #expect(abs(mesh.points.count - near.points.count) < near.points.count / 50)
        for point in mesh.points {
            let place = Vector3(point.position) + mesh.origin - Self.farWay
            let isOnFront = abs(place.z + 1.2) < 0.004 && abs(place.x) < 0.55 && abs(place.y) < 0.45
            guard !isOnFront else { continue }
            try #require(near.points.contains { (Vector3($0.position) - place).length < 0.002 })
        }
    }

    @Test("wrong parameters are refused")
    func parameters() {
        for change: (inout MapParameters) -> Void in [
            { $0.voxelSizeMetres = 0 }, { $0.voxelSizeMetres = .nan }, { $0.truncationVoxels = 0 },
            { $0.maximumBytes = -1 }, { $0.minimumComponentSquareMetres = .infinity },
            { $0.depthLimits.minimumDepthMetres = -1 },
        ] {
            var parameters = MapParameters()
            change(&parameters)
            #expect(throws: CloudError.self) { try MapVolume(parameters) }
        }
    }

    @Test("a camera far away, or one that sees nothing, adds nothing that traps")
    func extremes() async throws {
        var view = Self.scene.view(MapScene.pose(from: .zero, to: Vector3(0, 0, -1)), width: 32, height: 24)
        view.worldFromCamera.translation = Vector3(1e5, -1e5, 1e5)
        var blind = view
        blind.depth.metres = [Float](repeating: .nan, count: 32 * 24)
        var absurd = view
        absurd.worldFromCamera.translation = Vector3(1e30, 0, 0)
        let field = try await MapScene.field([view, blind, absurd].map { try MapScene.frame($0) })
        #expect(await !MeshExtractor(field).surfels().isEmpty)
    }
}
