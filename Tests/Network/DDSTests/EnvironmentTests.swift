import DDS
import Testing

/// What the variables of ROS 2 say, as rmw_cyclonedds of Jazzy takes them.
@Suite("The environment of ROS 2")
struct EnvironmentTests {
    private static let auto =
        "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
    private static let tuning =
        "<MaxMessageSize>25000B</MaxMessageSize><FragmentSize>24000B</FragmentSize>"
    private static let marks =
        "<Internal><Watermarks><WhcHigh>100kB</WhcHigh><WhcLow>1B</WhcLow></Watermarks>"
        + "<HeartbeatInterval min=\"2ms\" minsched=\"5ms\" max=\"8s\">5ms</HeartbeatInterval></Internal>"
    private static let tracing =
        "<Tracing><Category>discovery</Category><OutputFile>/dev/null</OutputFile></Tracing>"

    @Test(
        "who is met",
        arguments: [
            ([:], "<Discovery>\(auto)</Discovery>"),
            (["ROS_AUTOMATIC_DISCOVERY_RANGE": "SYSTEM_DEFAULT"], ""),
            (
                ["ROS_AUTOMATIC_DISCOVERY_RANGE": "LOCALHOST"],
                "<General><AllowMulticast>false</AllowMulticast>\(tuning)</General>"
                    + "<Discovery>\(auto)<Peers><Peer Address=\"localhost\"/></Peers></Discovery>\(marks)"
            ),
            (
                // A value that is none counts as the nearest.
                ["ROS_AUTOMATIC_DISCOVERY_RANGE": "everybody", "ROS_STATIC_PEERS": "a&b;10.0.0.2"],
                "<General><AllowMulticast>false</AllowMulticast>\(tuning)</General><Discovery>\(auto)<Peers>"
                    + "<Peer Address=\"a&amp;b\"/><Peer Address=\"10.0.0.2\"/><Peer Address=\"localhost\"/></Peers>"
                    + "</Discovery>\(marks)"
            ),
            (
                ["ROS_AUTOMATIC_DISCOVERY_RANGE": "SUBNET", "ROS_STATIC_PEERS": "robot"],
                "<Discovery>\(auto)<Peers><Peer Address=\"robot\"/></Peers></Discovery>"
            ),
            (
                ["ROS_AUTOMATIC_DISCOVERY_RANGE": "OFF"],
                "<General><AllowMulticast>false</AllowMulticast>\(tuning)</General><Discovery>"
                    + "<ParticipantIndex>none</ParticipantIndex><Tag>ros_discovery_off_7</Tag></Discovery>\(marks)"
            ),
        ] as [([String: String], String)]
    )
    func ranges(variables: [String: String], domain: String) throws {
        let environment = try DDSEnvironment(variables)
        let expected = "<CycloneDDS><Domain Id=\"any\">\(domain)\(Self.tracing)</Domain></CycloneDDS>"
        #expect(environment.configuration(processID: 7) == expected)
        // The old variable counts more than the new one; a configuration of the user's own comes last.
        var others = variables
        others["ROS_LOCALHOST_ONLY"] = "1"
        others["CYCLONEDDS_URI"] = "file:///etc/cyclone.xml"
        let local = try DDSEnvironment(others)
        #expect(local.range == .localhost && local.isLocal)
        #expect(local.configuration(processID: 7).hasSuffix("</CycloneDDS>,file:///etc/cyclone.xml"))
    }

    @Test("what XML would read stands in no peer, also where a mark combines with it")
    func escapes() throws {
        let environment = try DDSEnvironment(["ROS_STATIC_PEERS": "<\u{328}\"\u{328}&\u{328}"])
        let peer = "<Peer Address=\"&lt;\u{328}&quot;\u{328}&amp;\u{328}\"/>"
        #expect(environment.configuration(processID: 7).utf8.contains(peer.utf8))
    }

    @Test(
        "a trace that somebody asks for is theirs",
        arguments: [
            ("<CycloneDDS><Domain><General/></Domain></CycloneDDS>", true),
            ("<CycloneDDS><Domain><tracing><Verbosity>fine</Verbosity></tracing></Domain></CycloneDDS>", false),
            ("file:///etc/cyclone.xml", false), ("cyclone.xml", false), ("", true),
        ]
    )
    func tracing(configuration: String, isRead: Bool) throws {
        let environment = try DDSEnvironment(["CYCLONEDDS_URI": configuration])
        #expect(environment.configuration(processID: 7).contains(Self.tracing) == isRead)
    }

    @Test("domains and gids")
    func domains() throws {
        #expect(try DDSEnvironment([:]).domain == 0)
        #expect(try DDSEnvironment(["ROS_DOMAIN_ID": "42"]).domain == 42)
        #expect(try DDSEnvironment(["ROS_DOMAIN_ID": "42"], domain: 7).domain == 7)
        for text in ["233", "-1", "x"] {
            #expect(throws: DDSError.variable(name: "ROS_DOMAIN_ID", expected: "a domain from 0 to 232", found: text)) {
                try DDSEnvironment(["ROS_DOMAIN_ID": text])
            }
        }
        #expect(throws: DDSError.variable(name: "--domain", expected: "a domain from 0 to 232", found: "233")) {
            try DDSEnvironment([:], domain: 233)
        }
        for (name, bytes) in [("humble", 24), ("Foxy", 24), ("iron", 16), ("jazzy", 16), ("", nil)] as [(String, Int?)]
        {
            #expect(try DDSEnvironment(["ROS_DISTRO": name]).gidBytes == bytes)
        }
    }

    @Test(
        "what cannot be had is refused",
        arguments: [("ROS_SECURITY_ENABLE", "true"), ("RMW_IMPLEMENTATION", "rmw_zenoh_cpp")]
    )
    func refused(name: String, value: String) throws {
        let error = try #require(throws: DDSError.self) { try DDSEnvironment([name: value]) }
        #expect(error.description.hasPrefix("\(name): expected ") && error.isUsage)
        #expect(throws: Never.self) { try DDSEnvironment([name: "false"]) }
    }

    @Test("a file that is none is named")
    func noLibrary() throws {
        let error = try #require(throws: DDSError.self) {
            try CycloneLibrary.load(["MAPEVERYTHING_DDSC": "/nowhere/libddsc.so"])
        }
        #expect(error.description.contains("/nowhere/libddsc.so: cannot open shared object file"), "\(error)")
        #expect(error.advice?.contains("libddsc0debian") == true)
    }
}
