import Foundation
import Messages
import Sessions
import TestSupport
import Testing
import Translation

@Suite struct CatalogueTests {
    /// The specification's table: name, type, and the first of the profiles `app`, `record`, `data` and `full` that has it.
    static let specified: [(name: String, type: String, profile: SmallestProfile)] = [
        ("/mapping/pose", "geometry_msgs/msg/PoseStamped", .app),
        ("/mapping/camera/image/compressed", "sensor_msgs/msg/CompressedImage", .app),
        ("/mapping/camera/camera_info", "sensor_msgs/msg/CameraInfo", .app),
        ("/mapping/pointcloud/lidar", "sensor_msgs/msg/PointCloud2", .app),
        ("/mapping/pointcloud/depth_anything", "sensor_msgs/msg/PointCloud2", .app),
        ("/mapping/depth_anything/calibration", "mapeverything_msgs/msg/DepthAnythingCalibration", .app),
        ("/mapping/gps/fix", "sensor_msgs/msg/NavSatFix", .app),
        ("/mapping/gps/metadata", "mapeverything_msgs/msg/GPSMetadata", .app),
        ("/mapping/gps/odometry", "nav_msgs/msg/Odometry", .data),
        ("/mapping/satellite/image/compressed", "sensor_msgs/msg/CompressedImage", .app),
        ("/mapping/satellite/tile_info", "mapeverything_msgs/msg/GeoTileInfo", .app),
        ("/mapping/dem/tile", "mapeverything_msgs/msg/GeoRasterTile", .app),
        ("/tf", "tf2_msgs/msg/TFMessage", .record), ("/tf_static", "tf2_msgs/msg/TFMessage", .record),
        ("/mapping/pose_with_covariance", "geometry_msgs/msg/PoseWithCovarianceStamped", .data),
        ("/mapping/odom", "nav_msgs/msg/Odometry", .data), ("/mapping/imu", "sensor_msgs/msg/Imu", .data),
        ("/mapping/depth/image_raw", "sensor_msgs/msg/Image", .data),
        ("/mapping/depth/image_raw/compressedDepth", "sensor_msgs/msg/CompressedImage", .full),
        ("/mapping/depth/confidence", "sensor_msgs/msg/Image", .data),
        ("/mapping/depth/camera_info", "sensor_msgs/msg/CameraInfo", .data),
        ("/mapping/depth_dense/image_raw", "sensor_msgs/msg/Image", .full),
        ("/mapping/depth_dense/image_raw/compressedDepth", "sensor_msgs/msg/CompressedImage", .full),
        ("/mapping/depth_dense/confidence", "sensor_msgs/msg/Image", .full),
        ("/mapping/depth_dense/camera_info", "sensor_msgs/msg/CameraInfo", .full),
        ("/mapping/map", "visualization_msgs/msg/MarkerArray", .full),
        ("/mapping/mesh_snapshot", "mapeverything_msgs/msg/MeshSnapshot", .full),
        ("/mapping/surfels", "sensor_msgs/msg/PointCloud2", .full),
        ("/map", "nav_msgs/msg/OccupancyGrid", .full),
        ("/mapping/tags", "apriltag_msgs/msg/AprilTagDetectionArray", .asked),
        ("/mapping/radio", "mapeverything_msgs/msg/RadioObservation", .data),
        ("/mapping/indoor_localization", "mapeverything_msgs/msg/IndoorLocalization", .data),
        ("/mapping/session", "mapeverything_msgs/msg/MappingSession", .data),
        ("/mapping/status", "diagnostic_msgs/msg/DiagnosticArray", .full),
        ("/clock", "rosgraph_msgs/msg/Clock", .asked),
    ]

    @Test func isTheSpecifiedTable() {
        #expect(Catalogue.entries.count == Self.specified.count && TopicKind.allCases.count == Self.specified.count)
        for row in Self.specified {
            let entries = Catalogue.entries.filter { $0.name == row.name }
            #expect(entries.count == 1, "\(row.name)")
            #expect(entries.first?.type.typeName == row.type)
            #expect(entries.first?.smallestProfile == row.profile, "\(row.name)")
        }
    }

    @Test func everyKindHasItsOwnRow() {
        for kind in TopicKind.allCases {
            #expect(Catalogue.entry(kind).kind == kind)
            #expect(MessageTypes.type(named: Catalogue.entry(kind).type.typeName) != nil)
        }
    }

    @Test("each source has a bit of its own in a work item; all but that of the map have a topic")
    func sourcesFitIntoTheirBits() {
        #expect(Catalogue.entries.count + 1 <= WorkItem.sourceLimit)
        #expect((1 as UInt64) << UInt64(WorkItem.sourceLimit) == 0)
        #expect((1 as UInt64) << UInt64(WorkItem.sourceLimit - 1) != 0)
    }

    @Test func profilesHoldWhatTheTableSays() throws {
        let profiles: [(String, SmallestProfile)] = [
            ("app", .app), ("record", .record), ("data", .data), ("full", .full),
        ]
        for (name, profile) in profiles {
            let topics = Set(try #require(Profile.named(name)).topics.keys.map(\.rawValue))
            #expect(topics == Set(Self.specified.filter { $0.profile <= profile }.map(\.name)), "\(name)")
        }
        #expect(Profile.named("Record") == nil)
        let rates: [TopicKind: Double] = [
            .pose: 10, .cameraImage: 2, .lidarCloud: 5, .relativeCloud: 5, .locationFix: 1, .odometry: 30, .imu: 100,
            .depthImage: 5, .status: 1, .satelliteImage: 1.0 / 60,
        ]
        let record = try #require(Profile.named("record"))
        for (kind, rate) in rates { #expect(record.rateHertz(kind) == rate) }
    }

    @Test("the recorder's tool names every topic but the clock, those of the phone app by default")
    func recorderKnowsThem() throws {
        let path = "\(Checkout.path("tools/run-rosbridge-recorder"))"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        var current = text
        for (list, isInApp) in [("DEFAULT_TOPICS", true), ("OPTIONAL_TOPICS", false)] {
            let names = Catalogue.entries.filter { $0.kind != .clock && $0.isIn(.app) == isInApp }.map(\.name)
            let lines = names.map { "\n    \($0)" }.joined()
            current = current.replacing(
                try Regex("(?s)\(list) = \"\"\".*?\"\"\""),
                with: "\(list) = \"\"\"\(lines)\n\"\"\""
            )
        }
        // UPDATE_TOPICS=1 writes them as they are now.
        if ProcessInfo.processInfo.environment["UPDATE_TOPICS"] != nil {
            try current.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(text == current)
    }

    @Test func absentTopicsSayWhy() throws {
        var builder = try SessionBuilder(generation: .two)
        for line in builder.lines.indices {
            builder.lines[line]["imu_timestamp"] = nil
            builder.lines[line]["has_depth"] = "false"
        }
        for path in builder.files.keys { builder.files[path] = nil }
        let directory = try TemporaryDirectory()
        let setup = try Replayed.setup(builder.write(into: directory.path))
        let reasons = Dictionary(uniqueKeysWithValues: setup.absent.map { ($0.name, $0.reason) })
        #expect(setup.enabled == [.transforms, .staticTransforms, .session, .status, .pose, .odometry])
        #expect(reasons.count == CatalogueTests.specified.count - 2 - setup.enabled.count)
        #expect(reasons["/mapping/imu"] == "the session has no IMU samples")
        #expect(reasons["/mapping/gps/fix"] == "the session has no GPS fixes")
        #expect(reasons["/mapping/camera/camera_info"]?.contains("images") == true)
        #expect(reasons["/mapping/depth/confidence"] == "the session has no depth")
        #expect(reasons["/mapping/pointcloud/depth_anything"]?.contains("relative depth") == true)
    }

    @Test func depthWithoutConfidence() throws {
        var builder = try SessionBuilder()
        for path in builder.files.keys where path.hasPrefix("confidence/") { builder.files[path] = nil }
        let directory = try TemporaryDirectory()
        let setup = try Replayed.setup(builder.write(into: directory.path))
        #expect(setup.enabled.contains(.depthImage) && setup.enabled.contains(.lidarCloud))
        #expect(setup.absent.first { $0.name == "/mapping/depth/confidence" }?.reason.contains("confidence") == true)
        #expect(!setup.topics.contains { $0.name == "/mapping/depth/confidence" })
    }

    @Test func namedTopicsComeFromTheCatalogueAndNothingIsAnError() throws {
        let directory = try TemporaryDirectory()
        let path = try SessionBuilder().write(into: directory.path)
        let setup = try Replayed.setup(path, profile: "record") { $0.selection.only = ["/mapping/imu", "/tf"] }
        #expect(setup.enabled == [.imu, .transforms])
        let error = try #require(throws: PlanError.self) {
            try Replayed.setup(path) { $0.selection.only = ["/mapping/gps/fix"] }
        }
        #expect("\(error)".contains("/mapping/gps/fix: the session has no GPS fixes"))
    }

    @Test func whatWasAskedForAndIsNotThereIsNamed() throws {
        let directory = try TemporaryDirectory()
        let path = try SessionBuilder().write(into: directory.path)
        let setup = try Replayed.setup(path, profile: "record") { plan in
            plan.selection.only = ["/tf", "/clock", "/nope"]
            plan.naming.remaps = [TopicRemap(from: "/mapping/imu", to: "/imu"), TopicRemap(from: "/a", to: "/b")]
            plan.optionsForFixes = ["--heading"]
        }
        #expect(setup.absent.count == 1 && setup.absent.first?.name == "/clock")
        #expect(setup.absent.first?.reason == "only with --clock of replay")
        #expect(setup.warnings.count == 3)
        for (warning, beginning) in zip(setup.warnings, ["--topics /nope: ", "--remap /a: ", "--heading: "]) {
            #expect(warning.hasPrefix(beginning))
        }
        #expect(try Replayed.setup(path, profile: "record").warnings.isEmpty)
        // Seconds of 32 bits end in 2038.
        let last = try Replayed.setup(path, epoch: .firstFrame(unixNanoseconds: 2_147_483_640_000_000_000)).warnings
        let late = try Replayed.setup(path, epoch: .firstFrame(unixNanoseconds: 2_147_483_648_000_000_000)).warnings
        #expect(last == [] && late.count == 1 && late.first?.contains("2038-01-19T03:14:08") == true, "\(late)")
        // Of the catalogue, and not of the profile that patterns choose from.
        let pattern = try NamePattern("odom")
        let error = try #require(throws: PlanError.self) {
            try Replayed.setup(path, profile: "record") { $0.selection.pattern = pattern }
        }
        #expect("\(error)".contains("--regex odom: expected to be found in a topic"))
    }
}
