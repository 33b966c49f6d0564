import PointClouds
import ROS
import Replay
import Testing

@Suite struct ProfileFileTests {
    @Test func everyKey() throws {
        let text = """
            name: dense
            base: full
            frames: app
            conventions:
              imu: app
              location: app
              cloud_colour: uint32
              image_format: bare
              relative_depth: app
              heading: assumed
            topics:
              /mapping/imu: true
              /mapping/pose: {rate: 30}
              /mapping/odom: {enabled: true, rate: 0}
              /mapping/depth/image_raw: {enabled: false, rate: 2}
              /mapping/pointcloud/depth_anything: false
            pointcloud:
              outlier: radius
              voxel_size: 0.05
              voxel_point: centroid
              min_depth: 0.3
              max_depth: 4.0
              min_confidence: 2
              edge_filter: off
              stride: 2
              bounding_box: 12.5
            remap: {/mapping/imu: /imu/data}
            """
        let profile = try ProfileFile.parse(text, file: "p.yaml")
        #expect(profile.name == "dense" && profile.frames == .app && profile.conventions == .app)
        #expect(profile.rateHertz(.imu) == 100 && profile.rateHertz(.pose) == 30 && profile.rateHertz(.odometry) == nil)
        #expect(profile.topics[.odometry] != nil && profile.topics[.imu] != nil)
        #expect(profile.topics[.depthImage] == nil && profile.topics[.relativeCloud] == nil)
        var expected = CloudParameters()
        expected.voxelSizeMetres = 0.05
        expected.voxelPoint = .centroid
        expected.minimumDepthMetres = 0.3
        expected.maximumDepthMetres = 4
        expected.minimumConfidence = 2
        expected.edgeFilter = false
        expected.stride = 2
        expected.boundingBoxMetres = 12.5
        // The radius follows the voxel size, which stands below it in the file.
        expected.outlierFilter = .radius(metres: 1.75 * 0.05, minimum: 3)
        #expect(profile.clouds == expected)
        #expect(profile.remaps == [TopicRemap(from: "/mapping/imu", to: "/imu/data")])
    }

    @Test func whatIsNotSaidIsThatOfTheBase() throws {
        let profile = try ProfileFile.parse("topics: {/mapping/imu: {}}", file: "mine.yaml")
        let base = try #require(Profile.named("record"))
        #expect(profile.name == "mine.yaml" && profile.frames == .ros && profile.clouds == base.clouds)
        #expect(Set(profile.topics.keys) == Set(base.topics.keys).union([.imu]))
    }

    @Test(
        arguments: [
            ("", ""), ("- a", ""), ("a: [", ""), ("colour: red", "colour"), ("base: best", "base"),
            ("base: [record]", "base"), ("frames: enu", "frames"), ("conventions: app", "conventions"),
            ("conventions: {imu: cdr}", "conventions: imu"), ("conventions: {axes: ros}", "conventions: axes"),
            ("conventions: {heading: [known]}", "conventions: heading"),
            ("topics: [/tf]", "topics"),
            ("topics: {/mapping/nothing: true}", "topics: /mapping/nothing"),
            ("topics: {/clock: true}", "topics: /clock"),
            ("topics: {/tf: maybe}", "topics: /tf"), ("topics: {/tf: [1]}", "topics: /tf"),
            ("topics: {/tf: {hertz: 3}}", "topics: /tf: hertz"), ("topics: {/tf: {rate: fast}}", "topics: /tf: rate"),
            ("topics: {/tf: {rate: -1}}", "topics: /tf: rate"), ("topics: {/tf: {rate: .nan}}", "topics: /tf: rate"),
            ("topics: {/tf: {enabled: 3}}", "topics: /tf: enabled"), ("pointcloud: 3", "pointcloud"),
            ("pointcloud: {voxels: 1}", "pointcloud: voxels"),
            ("pointcloud: {voxel_size: -1}", "pointcloud: voxel_size"),
            ("pointcloud: {voxel_size: {}}", "pointcloud: voxel_size"),
            ("pointcloud: {voxel_point: last}", "pointcloud: voxel_point"),
            ("pointcloud: {min_confidence: 3}", "pointcloud: min_confidence"),
            ("pointcloud: {min_confidence: 1.5}", "pointcloud: min_confidence"),
            ("pointcloud: {stride: 2.5}", "pointcloud: stride"), ("pointcloud: {stride: 0}", "pointcloud: stride"),
            ("pointcloud: {edge_filter: 2}", "pointcloud: edge_filter"),
            ("pointcloud: {outlier: all}", "pointcloud: outlier"),
            ("pointcloud: {min_depth: 3, max_depth: 2}", "pointcloud"), ("pointcloud: {bounding_box: 0}", "pointcloud"),
            ("remap: [/a]", "remap"), ("remap: {/a: [b]}", "remap: /a"),
        ]
    )
    func errorsNameTheKey(text: String, key: String) throws {
        let error = try #require(throws: ProfileError.self) { try ProfileFile.parse(text, file: "p.yaml") }
        #expect(error.key == key, "\(error)")
        #expect(error.description.hasPrefix("profile: p.yaml: "))
        #expect(!error.expected.isEmpty && !error.found.isEmpty)
    }
}
