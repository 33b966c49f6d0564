import Messages
import TestSupport
import Testing
import Text

/// The definitions of ROS's common packages that this program carries.
struct CommonDefinitionTests {
    /// A type of them, and an edition of it.
    struct Entry: Sendable {
        var name: String
        /// The release of an older edition; nil for the latest.
        var release: String?
        var type: ResolvedType
        var package: String { String(name.prefix { $0 != "/" }) }
    }

    /// All messages, and those of services, in every edition that there is.
    static let entries: [Entry] = CommonDefinitions.typeNames.flatMap { name -> [Entry] in
        let parts: [String]
        if name.contains("/srv/") {
            parts = ["_Request", "_Response", "_Event"]
        } else {
            parts = name.contains("/action/") ? ["_Feedback", "_FeedbackMessage"] : [""]
        }
        return parts.flatMap { editions(of: name + $0) }
    }
    /// The older editions of compiled types.
    static let ofCompiled = MessageTypes.all.flatMap { editions(of: $0.typeName).dropFirst() }

    private static func editions(of name: String) -> [Entry] {
        var entries: [Entry] = []
        for release in [nil] + CommonDefinitions.releases {
            var claim = TypeClaim(typeName: name)
            claim.edition = .of(release: release)
            guard let type = try? TypeResolver().resolve(claim) else { continue }
            if !entries.contains(where: { $0.type.typeHash == type.typeHash }) {
                entries.append(Entry(name: name, release: release, type: type))
            }
        }
        return entries
    }

    @Test("every type is read in all its editions, and none of the latest is compiled in as well")
    func complete() {
        let services = CommonDefinitions.typeNames.count { $0.contains("/srv/") }
        let actions = CommonDefinitions.typeNames.count { $0.contains("/action/") }
        let older = Self.entries.filter { $0.release != nil }
        #expect(Self.entries.count == CommonDefinitions.typeNames.count + 2 * services + actions + older.count)
        #expect(Self.entries.count > 400)
        let ofROS = (older + Self.ofCompiled).filter { !CommonDefinitions.otherPackages.contains($0.package) }
        #expect(
            ofROS.map { "\($0.name) \($0.release ?? "")" } == [
                "rcl_interfaces/msg/ParameterDescriptor foxy", "rcl_interfaces/msg/ParameterEventDescriptors foxy",
                "rosbag2_interfaces/msg/ReadSplitEvent iron", "rosbag2_interfaces/msg/WriteSplitEvent iron",
                "rosgraph_msgs/msg/Graph foxy", "rosgraph_msgs/msg/Node foxy", "sensor_msgs/msg/Range humble",
                "shape_msgs/msg/SolidPrimitive galactic", "visualization_msgs/msg/InteractiveMarker galactic",
                "visualization_msgs/msg/InteractiveMarkerControl galactic",
                "visualization_msgs/msg/InteractiveMarkerInit galactic",
                "visualization_msgs/msg/InteractiveMarkerUpdate galactic", "visualization_msgs/msg/Marker galactic",
                "visualization_msgs/msg/MarkerArray galactic",
            ]
        )
        #expect(CommonDefinitions.typeNames.filter { MessageTypes.type(named: $0) != nil } == [])
        #expect(CommonDefinitions.typeNames.allSatisfy { !$0.contains(" ") && !$0.contains("galactic") })
    }

    @Test("what a message has that says nothing: the defaults of ROS")
    func defaults() throws {
        let schema = try TypeResolver().resolve("rcl_interfaces/ParameterDescriptor").schema
        #expect(try schema.decode(json: Array("{}".utf8))["read_only"] == .bool(false))
        #expect(schema.ownText.contains("bool read_only false\nbool dynamic_typing false\n"))
        let quaternion = try TypeResolver().resolve("geometry_msgs/msg/QuaternionStamped").schema
        #expect(try quaternion.decode(json: Array("{}".utf8))["quaternion"]?["w"] == .float64(1))
        let motion = try TypeResolver().resolve("control_msgs/msg/MotionPrimitive").schema
        #expect(try motion.decode(json: Array("{}".utf8))["type"] == .integer(-1))
    }

    @Test("the hashes that ROS 2's own generator computed, of its packages in Jazzy and of others up to Kilted")
    func vectors() throws {
        for (file, count) in [("rihs01_jazzy.json", 150), ("rihs01_packages.json", 64)] {
            let vectors = try #require(try Vectors.load(file).object)
            #expect(vectors.members.count >= count)
            for member in vectors.members {
                let type = try TypeResolver().resolve(member.key)
                #expect(type.typeHash == member.value["hash"]?.string, "\(member.key)")
            }
        }
    }

    @Test(
        "rosbags has the same fields, constants and hashes, and reads what is written here",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func judged() throws {
        let vectors = try #require(try Vectors.load("rihs01_jazzy.json").object)
        var entries: [JSONValue] = []
        for entry in Self.entries + Self.ofCompiled {
            let schema = entry.type.schema
            // Where ROS itself says the hash it counts: rosbags hashes `char`, which is uint8, as a type of its own.
            // No older release has a graph, whose nodes have descriptors of parameters.
            let isHashJudged =
                entry.release == nil
                ? vectors[entry.name] == nil && !["_Event", "/Char"].contains { entry.name.hasSuffix($0) }
                : entry.package != "rosgraph_msgs"
            for seed in 1...3 as ClosedRange<UInt64> {
                let value = try schema.decode(json: RandomJSON.text(schema.layout, seed: seed))
                var json: [UInt8] = []
                try schema.appendJSON(value, to: &json)
                #expect(try schema.decode(json: json) == value)
                entries.append([
                    "type": .string(entry.name), "edition": .string(entry.release ?? "latest"),
                    "definition": .string(entry.type.definitionText),
                    "hash": isHashJudged ? .string(entry.type.typeHash) : .null,
                    "cdr": .string(try schema.encodedCDR(value).hexadecimalText),
                    "json": .string(String(decoding: json, as: UTF8.self)),
                ])
            }
        }
        let verdicts = try RosbagsPeer.run(["check"], entries)
        #expect(verdicts.count == entries.count)
        for verdict in verdicts { #expect(verdict["problems"] == [], "\(verdict.text())") }
    }

    @Test(
        "what rosbags writes is read and written again byte for byte, by way of JSON too",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func made() throws {
        let entries: [JSONValue] = Self.entries.map {
            ["type": .string($0.name), "definition": .string($0.type.definitionText)]
        }
        let made = try RosbagsPeer.run(["make", "3"], entries)
        try #require(made.count == entries.count * 3)
        for (index, line) in made.enumerated() {
            let schema = Self.entries[index / 3].type.schema
            let bytes = [UInt8](hexadecimal: line["cdr"]?.string ?? "")
            let value = try schema.decode(cdr: bytes)
            #expect(try schema.encodedCDR(value) == bytes, "\(schema.typeName)")
            var json: [UInt8] = []
            try schema.appendJSON(value, to: &json)
            #expect(try schema.encodedCDR(try schema.decode(json: json)) == bytes, "\(schema.typeName)")
        }
    }
}
