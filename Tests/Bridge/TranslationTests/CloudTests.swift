import Foundation
import Messages
import Perception
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// Clouds of a known room, as they are published.
@Suite struct CloudTests {
    private struct Point {
        var position: Recording.Vector3
        var colour: [Double]
    }

    /// Every measured pixel becomes a point, so that none can hide behind the voxel grid.
    private func play(_ path: FilePath, _ change: (inout ReplayPlan) -> Void = { _ in }) async throws -> Replayed {
        try await Replayed(path, profile: "record") { plan in
            change(&plan)
            plan.profile.clouds.voxelSizeMetres = nil
            plan.profile.clouds.outlierFilter = .off
            plan.profile.clouds.edgeFilter = false
            plan.profile.clouds.minimumConfidence = 0
        }
    }

    private func points(_ cloud: PointCloud2) -> [Point] {
        func word(_ place: Int) -> UInt32 {
            (0..<4).reduce(UInt32(0)) { $0 | UInt32(cloud.data[place + $1]) << (8 * UInt32($1)) }
        }
        return (0..<Int(cloud.width)).map { index in
            let xyz = (0..<3).map { Double(Float(bitPattern: word(16 * index + 4 * $0))) }
            let rgb = word(16 * index + 12)
            return Point(
                position: Recording.Vector3(xyz[0], xyz[1], xyz[2]),
                colour: [16, 8, 0].map { Double(rgb >> $0 & 255) }
            )
        }
    }

    private func sample(_ orientation: ImageOrientation) async throws -> Sample {
        var options = SampleOptions()
        options.durationSeconds = 1
        options.framesPerSecond = 3
        options.imageSize = GridSize(width: 640, height: 480)
        options.orientation = .fixed(orientation)
        options.jobs = 2
        return try await Sample(options)
    }

    /// The median difference between the points' colours and the room's at the same places, 0 to 255.
    private func colourDifference(_ points: [Point], _ room: Room) -> Double {
        let differences = points.enumerated().filter { $0.offset % 37 == 0 }.map { _, point -> Double in
            let p = point.position
            let world = Recording.Vector3(p.x, p.z, -p.y)
            let colour = room.colour(at: world, surface: room.surface(nearestTo: world), footprintMetres: 0.03)
            return (0..<3).reduce(0) { $0 + abs(colour[$1] - point.colour[$1]) } / 3
        }
        return differences.sorted()[differences.count / 2]
    }

    @Test(arguments: ImageOrientation.allCases)
    func pointsLieOnTheSurfaceInItsColour(orientation: ImageOrientation) async throws {
        let sample = try await sample(orientation)
        let room = Room(seed: sample.options.seed)
        let clouds = try await play(sample.path).all("/mapping/pointcloud/lidar", PointCloud2.self)
        #expect(clouds.count == 3)
        for cloud in clouds {
            let points = points(cloud)
            #expect(points.count > 256 * 192 / 2)
            var worst = 0.0
            for point in points {
                let p = point.position
                worst = max(worst, room.distanceToSurface(Recording.Vector3(p.x, p.z, -p.y)))
            }
            #expect(worst < 0.001, "\(worst) m")
            #expect(colourDifference(points, room) < 8, "\(colourDifference(points, room))")
        }
    }

    /// That the colours above mean something: with half a turn hidden from the reader they are far off.
    @Test func wrongTurnShowsInTheColours() async throws {
        let sample = try await sample(.landscapeLeft)
        let frames = URL(fileURLWithPath: sample.path.appending("frames.jsonl").string)
        let text = try String(contentsOf: frames, encoding: .utf8)
        try text.replacingOccurrences(of: "landscapeLeft", with: "landscapeRight")
            .write(to: frames, atomically: false, encoding: .utf8)
        let room = Room(seed: sample.options.seed)
        let clouds = try await play(sample.path).all("/mapping/pointcloud/lidar", PointCloud2.self)
        #expect(clouds.count == 3)
        for cloud in clouds {
            #expect(points(cloud).count > 256 * 192 / 2)
            #expect(colourDifference(points(cloud), room) > 16)
        }
    }

    @Test func layoutIsThatOfPCL() async throws {
        let sample = try await sample(.landscapeRight)
        let replayed = try await Replayed(sample.path, profile: "record")
        let cloud = try #require(replayed.all("/mapping/pointcloud/lidar", PointCloud2.self).first)
        #expect(cloud.header.frameID == "map" && cloud.height == 1 && cloud.pointStep == 16)
        #expect(cloud.fields.map(\.name) == ["x", "y", "z", "rgb"])
        #expect(cloud.fields.map(\.offset) == [0, 4, 8, 12])
        #expect(cloud.fields.map(\.datatype) == [7, 7, 7, 7] && cloud.fields.map(\.count) == [1, 1, 1, 1])
        #expect(cloud.rowStep == 16 * cloud.width && cloud.data.count == Int(cloud.rowStep))
        #expect(!cloud.isBigEndian && cloud.isDense)
        // A grid of 0.1 m: no two points in one voxel. Walls that lie on the grid belong to either side.
        let places = points(cloud).map { p in (0..<3).map { p.position[$0] / 0.1 } }
        let inside = places.filter { place in place.allSatisfy { abs($0 - $0.rounded()) > 1e-3 } }
        #expect(inside.count > 100)
        #expect(Set(inside.map { place in place.map { Int($0.rounded(.down)) } }).count == inside.count)
    }

    /// By the transforms of their stamp the clouds of `data` are those that `record` publishes in the map, in front of the camera.
    @Test(arguments: FramePolicy.allCases)
    func cloudsOfDataAreInTheSensorsFrame(axes: FramePolicy) async throws {
        let sample = try await sample(.portrait)
        func play(_ profile: String) async throws -> Replayed {
            try await Replayed(sample.path, profile: profile) { plan in
                plan.profile.axes = axes
                plan.profile.clouds = CloudParameters()
                plan.profile.clouds.voxelSizeMetres = nil
                plan.profile.clouds.outlierFilter = .off
            }
        }
        let (data, record) = (try await play("data"), try await play("record"))
        let inMap = record.all("/mapping/pointcloud/lidar", PointCloud2.self)
        let inSensor = data.all("/mapping/pointcloud/lidar", PointCloud2.self)
        #expect(inMap.count == 3 && inSensor.count == 3 && inMap.allSatisfy { $0.header.frameID == "map" })
        let fixed = try #require(data.all("/tf_static", TFMessage.self).first).transforms
        for (cloud, wanted) in zip(inSensor, inMap) {
            let moving = try #require(
                data.all("/tf", TFMessage.self).first { $0.transforms[0].header.stamp == cloud.header.stamp }
            )
            #expect(cloud.header.frameID == (axes == .ros ? "iphone_camera_optical_frame" : "iphone_camera"))
            let (points, others) = (points(cloud), points(wanted))
            try #require(points.count == others.count && points.count > 10_000)
            #expect(points.allSatisfy { axes == .ros ? $0.position.z > 0 : $0.position.z < 0 })
            var chain: [TransformStamped] = []
            var name = cloud.header.frameID
            while name != "map" {
                let edge = try #require((moving.transforms + fixed).first { $0.childFrameID == name })
                chain.append(edge)
                name = edge.header.frameID
            }
            for index in stride(from: 0, to: points.count, by: 97) {
                var place = points[index].position
                for edge in chain { place = Self.placed(place, edge.transform) }
                #expect((place - others[index].position).length < 1e-4)
                #expect(points[index].colour == others[index].colour)
            }
        }
    }

    /// A point in the parent's axes, by the matrix of the quaternion.
    private static func placed(_ p: Recording.Vector3, _ edge: Messages.Transform) -> Recording.Vector3 {
        let (q, t) = (edge.rotation, edge.translation)
        let (x, y, z, w) = (q.x, q.y, q.z, q.w)
        return Recording.Vector3(
            (1 - 2 * (y * y + z * z)) * p.x + 2 * (x * y - z * w) * p.y + 2 * (x * z + y * w) * p.z + t.x,
            2 * (x * y + z * w) * p.x + (1 - 2 * (x * x + z * z)) * p.y + 2 * (y * z - x * w) * p.z + t.y,
            2 * (x * z - y * w) * p.x + 2 * (y * z + x * w) * p.y + (1 - 2 * (x * x + y * y)) * p.z + t.z
        )
    }

    @Test func brokenImageGivesAWhiteCloudAndNoImage() async throws {
        var builder = try SessionBuilder(frameCount: 2)
        var image = try SessionBuilder.jpeg(.landscapeRight)
        image.removeLast(20)
        builder.files["rgb/000000.jpg"] = image
        let directory = try TemporaryDirectory()
        let replayed = try await play(builder.write(into: directory.path)) { plan in
            plan.profile.topics[.cameraImage] = .init(rateHertz: 0)
        }
        let clouds = replayed.all("/mapping/pointcloud/lidar", PointCloud2.self)
        try #require(clouds.count == 2)
        #expect(replayed.report.counts.colourlessClouds == 1)
        #expect(points(clouds[0]).allSatisfy { $0.colour == [255, 255, 255] })
        #expect(!points(clouds[1]).allSatisfy { $0.colour == [255, 255, 255] })
        #expect(replayed.report.diagnostics.count(of: .truncatedImage) == 1)
        #expect(replayed.report.lostAnything)
        // Of the two images only the whole one goes out.
        let images = replayed.all("/mapping/camera/image/compressed", CompressedImage.self)
        try #require(images.count == 1)
        #expect(images[0].data == builder.files["rgb/000001.jpg"])
        #expect(images[0].header.stamp == clouds[1].header.stamp)
    }

    /// Relative clouds become metric by their calibration: as near to the walls as the noise lets them.
    @Test func relativeCloudsBecomeMetric() async throws {
        var options = Sample.everything
        options.durationSeconds = 1
        let sample = try await Sample(options)
        let replayed = try await Replayed(sample.path, profile: "record")
        let clouds = replayed.all("/mapping/pointcloud/depth_anything", PointCloud2.self)
        let calibrations = replayed.all("/mapping/depth_anything/calibration", DepthAnythingCalibration.self)
        #expect(clouds.count == 5 && calibrations.count == 5)
        let room = Room(seed: options.seed)
        for (cloud, calibration) in zip(clouds, calibrations) {
            #expect(calibration.header.isSame(as: cloud.header) && cloud.header.frameID == "iphone_camera")
            #expect(calibration.offset == 0 && calibration.scale > 0)
            let worldFromCamera = sample.truth.worldFromCamera(at: cloud.header.stampNanoseconds)
            let distances = points(cloud).map { point -> Double in
                let metric = point.position * calibration.scale
                return room.distanceToSurface(worldFromCamera * metric)
            }
            #expect(distances.count > 100)
            #expect(distances.sorted()[distances.count / 2] < 0.03)
        }
    }
}
