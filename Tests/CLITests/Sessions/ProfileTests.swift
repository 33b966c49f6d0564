import Foundation
import Testing

/// The profiles, by what is in the bags.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ProfileTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func bag(_ options: [String]) async throws -> [String: BagDescription] {
        let path = folder(UUID().uuidString)
        try await Binary.succeed(["bag", try await Samples.full.value, "-o", path, "--profile", "record"] + options)
        return try await BagDescription.of(path)
    }

    /// The eleven of the phone app (ROS2TopicRegistry).
    private static let appTopics: Set<String> = [
        "/mapping/pose", "/mapping/pointcloud/lidar", "/mapping/pointcloud/depth_anything",
        "/mapping/depth_anything/calibration", "/mapping/camera/image/compressed", "/mapping/camera/camera_info",
        "/mapping/gps/fix", "/mapping/gps/metadata", "/mapping/satellite/image/compressed",
        "/mapping/satellite/tile_info", "/mapping/dem/tile",
    ]

    @Test func appIsWhatTheAppSends() async throws {
        let topics = try await bag(["--profile", "app"])
        #expect(Set(topics.keys) == Self.appTopics)
        let cloud = try #require(topics["/mapping/pointcloud/lidar"])
        // UINT32, where record has FLOAT32.
        #expect(cloud.fields == ["x@0:7", "y@4:7", "z@8:7", "rgb@12:6"])
        #expect(cloud.frames == ["map"])
        for name in ["camera/image/compressed", "camera/camera_info", "pointcloud/depth_anything"] {
            #expect(topics["/mapping/\(name)"]?.frames == ["iphone_camera"], "\(name)")
        }
        // Of a session that has only some of it, only some.
        let inspection: SessionInspection = try await Command.json(
            ["inspect", try await Samples.plain.value, "--profile", "app", "--json"]
        )
        let present = Set(inspection.topics.map(\.name))
        #expect(
            present == Self.appTopics.filter { $0.contains("pose") || $0.contains("camera") || $0.contains("lidar") }
        )
        #expect(present.union(inspection.absent.map(\.name)) == Self.appTopics)
    }

    @Test func recordAddsTheTransforms() async throws {
        let topics = try await bag([])
        #expect(Set(topics.keys) == Self.appTopics.union(["/tf", "/tf_static"]))
        let cloud = try #require(topics["/mapping/pointcloud/lidar"])
        #expect(cloud.fields == ["x@0:7", "y@4:7", "z@8:7", "rgb@12:7"])
        #expect(cloud.dense)
        #expect(topics["/mapping/camera/camera_info"]?.frames == ["iphone_camera_optical_frame"])
        #expect(topics["/tf"]?.frames == ["odom"] && topics["/tf"]?.children == ["base_link"])
        // Every frame that a message names hangs in the tree.
        let parents = Set((topics["/tf_static"]?.frames ?? []) + ["odom"])
        let children = Set((topics["/tf_static"]?.children ?? []) + ["base_link"])
        for (name, topic) in topics {
            #expect(Set(topic.frames).isSubset(of: parents.union(children)), "\(name)")
        }
        #expect(parents.subtracting(children) == ["earth"])
    }

    @Test func fullHasEverythingOrSaysWhyNot() async throws {
        struct Entry: Decodable {
            var name: String
            var type: String
        }
        let catalogue: [Entry] = try await Command.json(["topics", "--json"])
        let session = try await Samples.full.value
        let inspection: SessionInspection = try await Command.json(["inspect", session, "--profile", "full", "--json"])
        let topics = try await bag(["--profile", "full"])
        let absent = Set(inspection.absent.map(\.name))
        #expect(inspection.absent.allSatisfy { !$0.reason.isEmpty })
        #expect(absent.isDisjoint(with: topics.keys))
        #expect(absent.union(topics.keys).union(["/clock", "/mapping/tags"]) == Set(catalogue.map(\.name)))
        for entry in catalogue {
            if let topic = topics[entry.name] { #expect(topic.type == entry.type) }
        }
    }

    @Test func filesChangeAProfile() async throws {
        let file = folder("mine.yaml")
        let yaml = """
            base: record
            topics:
              /mapping/imu: {enabled: true, rate: 50}
              /mapping/pose: {rate: 2}
              /mapping/pointcloud/depth_anything: false
              /mapping/depth_anything/calibration: false
            pointcloud: {voxel_size: 0.4}
            remap: {/mapping/imu: /imu/data}
            """
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: file))
        let plain = try await bag([]), mine = try await bag(["--profile", file])
        let expected = Self.appTopics.union(["/tf", "/tf_static", "/imu/data"])
            .subtracting(["/mapping/pointcloud/depth_anything", "/mapping/depth_anything/calibration"])
        #expect(Set(mine.keys) == expected)
        #expect(mine["/mapping/pose"]?.count == 8)
        #expect((190...210).contains(mine["/imu/data"]?.count ?? 0))
        let points = (plain["/mapping/pointcloud/lidar"]?.points ?? 0, mine["/mapping/pointcloud/lidar"]?.points ?? 0)
        #expect(points.1 > 0 && points.1 * 4 < points.0)
        // The command line wins.
        let finer = try await bag(["--profile", file, "--voxel-size", "0.1"])
        #expect(finer["/mapping/pointcloud/lidar"]?.points == plain["/mapping/pointcloud/lidar"]?.points)
    }

    @Test(arguments: [
        ("topics: {/mapping/nope: true}", "/mapping/nope"), ("speed: 3", "speed"), ("frames: upside-down", "frames"),
        ("topics: {/mapping/pose: {rate: fast}}", "rate"), ("base: nothing", "base"), ("topics: [", "YAML"),
        ("", "mapping"),
    ])
    func filesWithMistakesAreRefused(yaml: String, naming: String) async throws {
        let file = folder("mine.yaml")
        try Data(yaml.utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try await Command.run(["inspect", try await Samples.plain.value, "--profile", file])
        outcome.expectError(2, naming: "mine.yaml", naming)
    }
}
