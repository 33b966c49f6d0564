import Foundation
import SystemPackage
import TestSupport
import Testing
import Text

/// Recordings by the real recorder of Humble, which stores no definitions: of what a rosbridge and a recorder publish too.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .enabled(if: Captures.have("bags-ros2-real"), Comment(rawValue: Captures.absence))
)
struct HumbleBagTests {
    static let recordings = ["humble_sqlite3", "humble_sqlite3_file_zstd"]

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func differences(_ recording: String, _ copy: String) async throws -> [String] {
        try await Peer.json("humble_values.py", [recording, copy, Repository.messages + "/msg"])
    }

    @Test(arguments: recordings)
    func becomeMCAPWithDefinitions(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string, copy = folder("copy")
        let outcome = try await Command.run(["convert", recording, "-o", copy, "--storage", "mcap"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await differences(recording, copy) == [])
    }

    @Test(arguments: recordings)
    func areReplayed(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string
        let recorder = try await Recording.start(folder, ["--storage", "mcap"])
        let options = ["--url", "127.0.0.1:\(recorder.port)", "--rate", "max", "--settle", "0", "--strict"]
        let outcome = try await Command.run(["replay", recording] + options)
        #expect(outcome.status == 0, "\(outcome)")
        _ = try await recorder.stop()
        let inspected: BagInspection = try await Command.json(["inspect", recording, "--json"])
        let replayed: BagInspection = try await Command.json(["inspect", recorder.bag, "--json"])
        for topic in inspected.topics where topic.count > 0 {
            #expect(replayed.count(topic.name) == topic.count, "\(topic.name)")
        }
        #expect(replayed.topics.contains { $0.type == "rcl_interfaces/msg/Log" })
    }

    @Test(arguments: recordings)
    func everyMessageIsDecodedByCheck(name: String) async throws {
        let recording = Captures.path("bags-ros2-real/\(name)").string
        let outcome = try await Command.run(["check", recording, "--json"])
        #expect(!outcome.output.contains("message.unknown-type"), "\(outcome)")
        let echo = try await Command.succeed(["inspect", recording, "--echo", "/rosout", "-n", "1"])
        #expect(echo.hasPrefix("stamp:\n") && echo.contains("\nlevel: ") && echo.contains("\nfunction: "), "\(echo)")
    }
}

/// Types of which releases have different editions, in a bag as Humble's recorder writes it: without definitions.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct EditionTests {
    private static let state = "control_msgs/msg/JointTrajectoryControllerState"
    private static let points = "trajectory_msgs/JointTrajectoryPoint"
    private static let head = "std_msgs/Header header\nstring[] joint_names\n"
    private static let marker = """
        std_msgs/Header header
        string ns
        int32 id
        int32 type
        int32 action
        geometry_msgs/Pose pose
        geometry_msgs/Vector3 scale
        std_msgs/ColorRGBA color
        builtin_interfaces/Duration lifetime
        bool frame_locked
        geometry_msgs/Point[] points
        std_msgs/ColorRGBA[] colors
        string text
        string mesh_resource
        bool mesh_use_embedded_materials
        """
    /// The types below those of the topics.
    private static let others = [
        ("std_msgs/Header", "builtin_interfaces/Time stamp\nstring frame_id"),
        ("std_msgs/ColorRGBA", fields("float32", "r g b a")),
        ("builtin_interfaces/Time", "int32 sec\nuint32 nanosec"),
        ("builtin_interfaces/Duration", "int32 sec\nuint32 nanosec"),
        ("geometry_msgs/Vector3", fields("float64", "x y z")), ("geometry_msgs/Point", fields("float64", "x y z")),
        ("geometry_msgs/Quaternion", fields("float64", "x y z w")),
        ("geometry_msgs/Pose", "geometry_msgs/Point position\ngeometry_msgs/Quaternion orientation"),
        ("geometry_msgs/Transform", "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation"),
        ("geometry_msgs/Twist", fields("geometry_msgs/Vector3", "linear angular")),
        (points, fields("float64[]", "positions velocities accelerations effort") + time),
        (
            "trajectory_msgs/MultiDOFJointTrajectoryPoint",
            "geometry_msgs/Transform[] transforms\n" + fields("geometry_msgs/Twist[]", "velocities accelerations")
                + time
        ),
    ]
    private static let time = "builtin_interfaces/Duration time_from_start"

    private static func fields(_ type: String, _ names: String) -> String {
        names.split(separator: " ").map { "\(type) \($0)\n" }.joined()
    }

    private static func multiple(_ names: String) -> String {
        "string[] multi_dof_joint_names\n" + fields("trajectory_msgs/MultiDOFJointTrajectoryPoint", names)
    }

    /// The topics: their types, and the fields by which their messages were made.
    private static let topics: [(name: String, type: String, text: String)] = [
        ("/foxy", state, head + fields(points, "desired actual error")),
        (
            "/humble", state,
            head + fields(points, "reference feedback error output desired actual")
                + multiple(
                    "multi_dof_reference multi_dof_feedback multi_dof_error multi_dof_output multi_dof_desired multi_dof_actual"
                )
        ),
        (
            "/iron", state,
            head + fields(points, "reference feedback error output")
                + multiple("multi_dof_reference multi_dof_feedback multi_dof_error multi_dof_output")
        ),
        ("/marker", "visualization_msgs/msg/Marker", marker),
        ("/strange", state, head + fields(points, "desired actual error") + "float64[3] more"),
    ]

    private let folder: Scratch
    private var bag: String { folder("bag.db3") }

    init() throws { folder = try Scratch() }

    private func make() throws {
        let sections = Self.others.map { "\n" + String(repeating: "=", count: 80) + "\nMSG: \($0)\n\($1)" }.joined()
        let made = try RosbagsPeer.run(
            ["make", "4"],
            Self.topics.map { ["type": .string($0.type), "definition": .string($0.text + sections)] }
        )
        let lines = made.enumerated().map { index, line in
            "\(Self.topics[index / 4].name) \(Self.topics[index / 4].type) \(line["cdr"]?.string ?? "")"
        }
        let script = """
            import sqlite3, sys
            base = sqlite3.connect(sys.argv[1])
            base.executescript('''
                CREATE TABLE schema(schema_version INTEGER PRIMARY KEY, ros_distro TEXT NOT NULL);
                INSERT INTO schema VALUES (3, 'humble');
                CREATE TABLE metadata(id INTEGER PRIMARY KEY, metadata_version INTEGER NOT NULL, metadata TEXT NOT NULL);
                CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT NOT NULL, type TEXT NOT NULL,
                    serialization_format TEXT NOT NULL, offered_qos_profiles TEXT NOT NULL);
                CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
                    data BLOB NOT NULL);
                CREATE INDEX timestamp_idx ON messages (timestamp ASC);
            ''')
            ids = {}
            for time, line in enumerate(sys.argv[2:]):
                name, kind, data = line.split()
                if name not in ids:
                    ids[name] = len(ids) + 1
                    base.execute("INSERT INTO topics VALUES (?, ?, ?, 'cdr', '')", (ids[name], name, kind))
                base.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES (?, ?, ?)",
                             (ids[name], 1_700_000_000_000_000_000 + time, bytes.fromhex(data)))
            base.commit()
            """
        _ = try PeerPython.output(of: script, [bag] + lines)
    }

    @Test func theEditionIsThatOfTheBytes() async throws {
        try make()
        let check = try await Command.run(["check", bag, "--json"])
        #expect(check.status == 0 && !check.output.contains("message.decode"), "\(check)")
        #expect(check.output.contains("message.other-release") && check.output.contains("/strange"), "\(check)")

        let converted = try await Command.run(["convert", bag, "-o", folder("mcap"), "--storage", "mcap"])
        #expect(converted.status == 1, "\(converted)")
        let told = converted.output + converted.errors
        #expect(["/strange", "of other releases", "--msg-path"].allSatisfy { told.contains($0) }, "\(told)")
        let reading = try #require(try await PeerReading.of([folder("mcap")])[folder("mcap")])
        #expect(reading.decoded == ["16"], "\(reading)")
        // What is copied whole needs no definition, and claims none that does not fit.
        let kept = try await Command.run(["convert", folder("mcap"), "-o", folder("back"), "--strict"])
        #expect(kept.status == 0, "\(kept)")
        #expect(try await Command.run(["check", folder("mcap"), "--json"]).status == 0)

        let echo = try await Command.succeed(["inspect", bag, "--echo", "/humble", "-n", "1"])
        #expect(echo.contains("\nreference:") && echo.contains("\nmulti_dof_actual:"), "\(echo)")
        let strange = try await Command.run(["inspect", bag, "--echo", "/strange"])
        #expect(strange.status == 65 && strange.errors.contains("of other releases"), "\(strange)")
        let played = try await Command.run(["replay", bag, "--dry-run"])
        #expect(played.status == 1 && played.everything.contains("of other releases"), "\(played)")
    }

    @Test(.enabled(if: Captures.have("field-cases"), Comment(rawValue: Captures.absence)))
    func theStatesOfARealArmAreRead() async throws {
        let path = Captures.path("field-cases/humble_trajectory_state").string
        #expect(try await Command.succeed(["check", path]).contains("sound"))
        let json = try await Command.succeed(["inspect", path, "--echo", "/arm_controller/state", "-n", "1"])
        #expect(json.contains("actual:") && json.contains("feedback:"), "\(json)")
        try await SampleBags.convert([path], to: folder("mcap"), BagForm.mcap.options)
        #expect(try await PeerReading.of([folder("mcap")])[folder("mcap")]?.decoded == ["10"])
    }
}
