import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing
import Text

/// The files under `ros2/`, and the catalogue of topics they are judged by.
private enum Files {
    static let ros2 = URL(filePath: Checkout.path("ros2").string)
    static let package = ros2.appending(path: "mapeverything_msgs")
    static let catalogue = URL(filePath: Checkout.path("docs/topics.md").string)

    static func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    /// Topics and their types, from the table of topics.
    static func catalogueTopics() throws -> [(name: String, type: String)] {
        try text(catalogue).split(separator: "\n").compactMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            guard cells.count > 2, cells[0].hasPrefix("`/"), let type = cells[1].split(separator: " ").first else {
                return nil
            }
            return (cells[0].filter { $0 != "`" }, String(type))
        }
    }
}

@Suite("The ROS 2 package")
struct ROSPackageTests {
    private static let types = MessageTypes.all.filter { $0.typeName.hasPrefix("mapeverything_msgs/") }

    @Test("each .msg file says what the Swift type says")
    func messageFiles() throws {
        let folder = Files.package.appending(path: "msg")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let names = Self.types.map { $0.typeName.split(separator: "/").last.map(String.init) ?? "" }
        #expect(files == names.map { $0 + ".msg" }.sorted())
        for (type, name) in zip(Self.types, names) {
            let lines = try Files.text(folder.appending(path: name + ".msg")).split(separator: "\n")
                .map { ($0.split(separator: "#", omittingEmptySubsequences: false).first ?? "").split(separator: " ") }
                .filter { !$0.isEmpty }.map { $0.joined(separator: " ") + "\n" }
            #expect(lines.joined() == type.msgText, "\(name)")
        }
    }

    @Test("CMakeLists.txt generates every message, and package.xml names what they need")
    func manifest() throws {
        let cmake = try Files.text(Files.package.appending(path: "CMakeLists.txt"))
        let listed = cmake.matches(of: /"msg\/(\w+)\.msg"/).map { String($0.output.1) }
        #expect(listed == listed.sorted())
        #expect(Set(listed) == Set(Self.types.compactMap { $0.typeName.split(separator: "/").last.map(String.init) }))
        let manifest = try Files.text(Files.package.appending(path: "package.xml"))
        for package in ["std_msgs", "geometry_msgs"] {
            #expect(manifest.contains("<depend>\(package)</depend>"))
            #expect(cmake.contains("find_package(\(package) REQUIRED)"))
        }
        for element in ["<package format=\"3\">", "<license>MIT</license>", "rosidl_interface_packages", "ament_cmake"]
        {
            #expect(manifest.contains(element))
        }
    }

    @Test("the layouts are installed with the message package")
    func layoutsAreInstalled() throws {
        let cmake = try Files.text(Files.ros2.appending(path: "mapeverything_msgs/CMakeLists.txt"))
        let loop = try #require(cmake.firstMatch(of: /foreach\(layouts ([a-z ]+)\)/)?.output.1)
        #expect(cmake.contains("install(DIRECTORY \"../${layouts}\" DESTINATION \"share/${PROJECT_NAME}\")"))
        let folders = try FileManager.default.contentsOfDirectory(atPath: Files.ros2.path)
            .filter { !$0.contains(".") && $0 != "mapeverything_msgs" }
        #expect(Set(loop.split(separator: " ").map(String.init)) == Set(folders))
    }

    @Test("RViz shows every topic of the catalogue that it has a display for")
    func displays() throws {
        let topics = try Files.catalogueTopics()
        #expect(topics.count > 20)
        let displayed = Set([
            "PoseStamped", "PointCloud2", "Image", "CompressedImage", "Odometry", "MarkerArray", "OccupancyGrid",
        ])
        let config = try Files.text(Files.ros2.appending(path: "rviz/mapeverything.rviz"))
        let shown = Set(config.matches(of: /Value: (\/\S+)/).map { String($0.output.1) })
        let expected = topics.filter { displayed.contains($0.type.split(separator: "/").last.map(String.init) ?? "") }
        // A display of a map has a topic for changes to it, which nothing here publishes.
        #expect(shown.subtracting(["/map_updates"]) == Set(expected.map(\.name)))
    }

    @Test(
        "the layout for Foxglove and Lichtblick has keys that their SDK knows, and topics of the catalogue",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func layout() throws {
        let layout = try Files.text(Files.ros2.appending(path: "foxglove/mapeverything.json"))
        let topics = try Files.catalogueTopics().map(\.name)
        let folder = try TemporaryDirectory()
        func problems(_ text: String) throws -> [String] {
            let path = folder.appending("layout.json").string
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            let outcome = try PeerPython.run([Checkout.path("tools/peers/check_layout.py").string, path] + topics)
            try #require(outcome.status == 0, "\(outcome.everything)")
            return (try JSONValue.parse(outcome.output).array ?? []).compactMap(\.string)
        }
        #expect(try problems(layout) == [])
        for (old, new) in [
            ("\"pointSize\"", "\"pointsize\""), ("/mapping/pose\"", "/mapping/poze\""),
            ("\"Image!depth\":", "\"Image!deep\":"),
            ("\"followTf\"", "\"follow\""), ("\"timestampMethod\"", "\"stamp\""), ("\"fovy\"", "\"fov\""),
        ] {
            let damaged = layout.replacing(old, with: new)
            #expect(damaged != layout)
            #expect(try problems(damaged) != [], "\(old)")
        }
    }

    @Test(
        "the RViz configuration is YAML in the frame map",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func configuration() throws {
        let code = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"
        let path = Files.ros2.appending(path: "rviz/mapeverything.rviz").path
        let outcome = try PeerPython.run(["-c", code, path])
        try #require(outcome.status == 0, "\(outcome.everything)")
        let manager = try #require(JSONValue.parse(outcome.output)["Visualization Manager"])
        #expect(manager["Global Options"]?["Fixed Frame"]?.string == "map")
        let displays = try #require(manager["Displays"]?.array)
        #expect(Set(displays.compactMap { $0["Name"]?.string }).count == displays.count)
        #expect(displays.contains { $0["Class"]?.string == "rviz_default_plugins/TF" })
        #expect(displays.contains { $0["Class"]?.string == "rviz_default_plugins/Odometry" })
        // A display that keeps every cloud shows the map; it is for those who switch it on.
        let map = try #require(displays.first { ($0["Decay Time"]?.number ?? 0) > 1000 })
        #expect(map["Class"]?.string == "rviz_default_plugins/PointCloud2" && map["Enabled"]?.bool == false)
        let views = try #require(manager["Views"]?["Saved"]?.array)
        #expect(views.contains { $0["Class"]?.string == "rviz_default_plugins/TopDownOrtho" })
        #expect(views.contains { $0["Target Frame"]?.string == "base_link" })
        for display in displays {
            #expect(display["Class"]?.string?.hasPrefix("rviz_default_plugins/") == true)
            #expect(display["Enabled"]?.bool == display["Value"]?.bool && display["Enabled"]?.bool != nil)
            guard display["Class"]?.string == "rviz_default_plugins/PointCloud2" else { continue }
            #expect(display["Color Transformer"]?.string == "RGB8")
        }
    }
}
