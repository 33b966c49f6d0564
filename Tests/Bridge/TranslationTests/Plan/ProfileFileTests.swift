import Messages
import Perception
import Testing
import Translation

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
              cloud_frame: sensor
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
              outlier_neighbours: 5
              outlier_voxel: 0.2
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
        var conventions = Conventions.app
        conventions.cloudFrame = .sensor
        #expect(profile.name == "dense" && profile.axes == .app && profile.conventions == conventions)
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
        expected.maximumRangeMetres = 12.5
        expected.outlierFilter = .radius(metres: 1.75 * 0.2, minimum: 5)
        #expect(profile.clouds == expected)
        #expect(profile.remaps == [TopicRemap(from: "/mapping/imu", to: "/imu/data")])
    }

    /// The reason why YAML is refused comes through, with its line where it has one.
    @Test func whatIsNoYAMLIsNamed() {
        let few = [String](repeating: "&a [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]", count: 9).joined(separator: "\n- ")
        for (text, reason) in [
            ("- &a x\n- \(few)\n", "expected aliases that stand for little, found aliases for far more than the text"),
            ("base: app\nmap: [\n", "expected YAML, found line 3: did not find expected node content"),
        ] {
            let error = #expect(throws: ProfileError.self) { try ProfileFile.parse(text, file: "p.yaml") }
            #expect(error?.description == "profile: p.yaml: \(reason)")
        }
    }

    /// Every number of the outlier filter is kept by what changes another one.
    @Test func outlierSettingsAddUp() throws {
        func filter(_ text: String, _ request: OutlierRequest = OutlierRequest()) throws -> CloudParameters {
            var clouds = try ProfileFile.parse(text, file: "p.yaml").clouds
            request.apply(to: &clouds.outlierFilter)
            return clouds
        }
        let file = "pointcloud: {outlier_voxel: 0.2, outlier_neighbours: 5}"
        #expect(try filter(file).outlierFilter == .neighbours(minimum: 5, voxelSizeMetres: 0.2))
        #expect(
            try filter(file, OutlierRequest(minimum: 7)).outlierFilter == .neighbours(minimum: 7, voxelSizeMetres: 0.2)
        )
        #expect(
            try filter(file, OutlierRequest(choice: .radius)).outlierFilter == .radius(metres: 1.75 * 0.2, minimum: 5)
        )
        #expect(try filter(file, OutlierRequest(choice: .off)).outlierFilter == .off)
        #expect(
            try filter("base: app", OutlierRequest(sizeMetres: 0.3)).outlierFilter == .neighbours(voxelSizeMetres: 0.3)
        )
        // Without a size of its own, the neighbourhood follows the voxels upward from 10 cm.
        for (voxel, size) in [(0.02, 0.1), (0.1, 0.1), (0.25, 0.25), (0, 0.1)] {
            #expect(try filter("pointcloud: {voxel_size: \(voxel)}").neighbourhoodSizeMetres == size)
            let radius = try filter("pointcloud: {outlier: radius, voxel_size: \(voxel)}").outlierRadiusMetres
            #expect(radius == 1.75 * size)
        }
    }

    @Test func whatIsNotSaidIsThatOfTheBase() throws {
        let profile = try ProfileFile.parse("topics: {/mapping/imu: {}}", file: "mine.yaml")
        let base = try #require(Profile.named("record"))
        #expect(profile.name == "mine.yaml" && profile.axes == .ros && profile.clouds == base.clouds)
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
            ("pointcloud: {outlier_voxel: -1}", "pointcloud: outlier_voxel"),
            ("pointcloud: {outlier_voxel: 0}", "pointcloud"),
            ("pointcloud: {outlier_neighbours: 2.5}", "pointcloud: outlier_neighbours"),
            ("pointcloud: {outlier_neighbours: 27}", "pointcloud"),
            ("pointcloud: {outlier: off, outlier_voxel: 0.2}", "pointcloud: outlier"),
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
