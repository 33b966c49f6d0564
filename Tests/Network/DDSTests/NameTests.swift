import DDS
import Messages
import Testing

/// Names of ROS 2 in DDS, and the announcement of a node byte by byte.
@Suite("Names in DDS")
struct NameTests {
    @Test("topics, types and user data")
    func names() {
        #expect(DDSNames.topic("/mapping/pose") == "rt/mapping/pose")
        #expect(DDSNames.type("sensor_msgs/msg/PointCloud2") == "sensor_msgs::msg::dds_::PointCloud2_")
        for name in ["PointCloud2", "sensor_msgs/PointCloud2", "a//b", "a/msg/", "a/b/c/d"] {
            #expect(DDSNames.type(name) == nil)
        }
        #expect(
            DDSNames.userData(typeHash: "RIHS01_0a") == "typehash=RIHS01_0a;" && DDSNames.userData(typeHash: "") == ""
        )
        #expect(DDSNames.typeHash(inUserData: "a=b;typehash=RIHS01_0a;") == "RIHS01_0a")
        #expect(DDSNames.typeHash(inUserData: "enclave=/;") == nil)
    }

    /// rmw_dds_common/msg/ParticipantEntitiesInfo: gid, then sequences of nodes, each with two strings and two sequences of gids.
    @Test(
        "a line of the trace about one without an address",
        arguments: [
            (
                "SPDP ST0 10f949d:2a660000:0:1c1 bes c3f NEW (data meta) (no unicast address",
                "010f949d2a66000000000000000001c1"
            ),
            ("SPDP ST0 10f949d:2a660000:0:1c1 bes c3f NEW (data meta)", nil),
            ("SPDP ST0 10f949d:2a660000:0 (no unicast address", nil),
            ("SPDP ST0 10f949d:x:0:1c1 (no unicast address", nil),
            ("SPDP (no unicast address", nil),
        ] as [(String, String?)]
    )
    func trace(line: String, key: String?) {
        let found = DDSNames.unreachable(inTrace: line).map { bytes in
            bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }
        #expect(found == key)
    }

    @Test("a node with its writers", arguments: [16, 24])
    func announcement(gidBytes: Int) {
        let own = [UInt8](1...16)
        let writer = [UInt8](21...36)
        let padding = [UInt8](repeating: 0, count: gidBytes - 16)
        let bytes = NodeAnnouncement.message(
            node: "/robot/play",
            participant: own,
            writers: [writer, own],
            gidBytes: gidBytes
        )
        var expected: [UInt8] = [0, 1, 0, 0] + own + padding + [1, 0, 0, 0]
        // "/robot" and its end are seven bytes, behind which one is left free.
        expected += [7, 0, 0, 0] + Array("/robot".utf8) + [0] + [0]
        expected += [5, 0, 0, 0] + Array("play".utf8) + [0] + [0, 0, 0]
        expected += [0, 0, 0, 0] + [2, 0, 0, 0] + writer + padding + own + padding
        #expect(bytes == expected)
        let root = NodeAnnouncement.message(node: "/play", participant: own, writers: [], gidBytes: 16)
        #expect(root.count == 4 + 16 + 4 + (4 + 4) + (4 + 8) + 4 + 4)
    }

    @Test("a plan says how a recorder keeps everything")
    func plan() throws {
        let topics = [
            Topic(name: "/b", type: StringMessage.self),
            Topic(name: "/a", type: StringMessage.self, qos: .latched),
        ]
        var options = DDSOptions(try DDSEnvironment(["ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"], domain: 5))
        let plan = DDSPlan(topics, options)
        #expect(plan.offers.map(\.name) == ["rt/a", "rt/b"])
        #expect(plan.offers.map(\.durability) == ["transient_local", "volatile"])
        let line = plan.recorderLine(overrides: "q.yaml")
        #expect(line.hasPrefix("ROS_DOMAIN_ID=5 ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST ros2 bag record "))
        #expect(line.hasSuffix(" --max-cache-size 0 --qos-profile-overrides-path q.yaml /a /b"))
        #expect(
            plan.recorderOverrides.contains("/b:\n  history: keep_all\n  reliability: reliable\n  durability: volatile")
        )
        options.keepsForLateJoiners = true
        #expect(DDSPlan(topics, options).offers.allSatisfy { $0.lateDepth == 0 && $0.durability == "transient_local" })
    }
}
