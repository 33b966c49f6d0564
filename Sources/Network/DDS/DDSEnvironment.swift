/// The domain and the reach of discovery, as the variables of ROS 2 say them.
package struct DDSEnvironment: Sendable, Hashable {
    /// Who is met: `ROS_AUTOMATIC_DISCOVERY_RANGE`; a value that is none of these counts as localhost, as in rmw_cyclonedds.
    package enum Range: String, Sendable, CaseIterable {
        case subnet = "SUBNET"
        case localhost = "LOCALHOST"
        case off = "OFF"
        case systemDefault = "SYSTEM_DEFAULT"
    }

    package let domain: Int
    package let range: Range
    package let peers: [String]
    /// `CYCLONEDDS_URI`, which counts after what is said here.
    package let ownConfiguration: String
    /// `ROS_DISTRO`, in lower case; empty where it is not set.
    package let distribution: String

    /// The variables that are looked at.
    package static let names = [
        "ROS_DOMAIN_ID", "ROS_AUTOMATIC_DISCOVERY_RANGE", "ROS_STATIC_PEERS", "ROS_LOCALHOST_ONLY", "CYCLONEDDS_URI",
        "ROS_SECURITY_ENABLE", "RMW_IMPLEMENTATION", "ROS_DISTRO", "MAPEVERYTHING_DDSC",
    ]

    /// The last domain whose ports 7400 + 250 * domain + 11 + 2 * 32 are ports.
    package static let domains = 0...232

    /// - Parameters:
    ///   - domain: The domain that an option names; it counts more than `ROS_DOMAIN_ID`.
    package init(_ variables: [String: String], domain: Int? = nil) throws(DDSError) {
        func value(_ name: String) -> String? { variables[name].flatMap { $0.isEmpty ? nil : $0 } }
        if let other = value("RMW_IMPLEMENTATION"), other.hasPrefix("rmw_zenoh") {
            let expected = "an implementation that speaks DDS, such as rmw_cyclonedds_cpp or rmw_fastrtps_cpp"
            throw .variable(name: "RMW_IMPLEMENTATION", expected: expected, found: other)
        }
        if value("ROS_SECURITY_ENABLE")?.lowercased() == "true" {
            let expected = "no security, which is not built in"
            throw .variable(name: "ROS_SECURITY_ENABLE", expected: expected, found: "true")
        }
        let said = domain.map { ("--domain", "\($0)") } ?? value("ROS_DOMAIN_ID").map { ("ROS_DOMAIN_ID", $0) }
        if let (name, text) = said {
            guard let number = Int(text), Self.domains.contains(number) else {
                throw .variable(name: name, expected: "a domain from 0 to \(Self.domains.upperBound)", found: text)
            }
            self.domain = number
        } else {
            self.domain = 0
        }
        let range = value("ROS_AUTOMATIC_DISCOVERY_RANGE").map { Range(rawValue: $0.uppercased()) ?? .localhost }
        self.range = value("ROS_LOCALHOST_ONLY") == "1" ? .localhost : range ?? .subnet
        peers = (value("ROS_STATIC_PEERS") ?? "").split(separator: ";").map { String($0) }
        ownConfiguration = value("CYCLONEDDS_URI") ?? ""
        distribution = value("ROS_DISTRO")?.lowercased() ?? ""
    }

    /// The size of gids in messages about nodes: 24 bytes up to Humble, 16 from Iron on; nil where no distribution is known.
    package var gidBytes: Int? {
        guard !distribution.isEmpty else { return nil }
        return ["dashing", "eloquent", "foxy", "galactic", "humble"].contains(distribution) ? 24 : 16
    }

    /// True if nothing leaves this machine.
    package var isLocal: Bool { range == .localhost || range == .off }

    /// True if the trace, which alone tells of participants without a usable address, can be read here: it then goes to no file, so
    /// that one whom a configuration asks to trace keeps it.
    var tracesDiscovery: Bool {
        ownConfiguration.isEmpty
            || (ownConfiguration.contains("<") && !ownConfiguration.lowercased().contains("tracing"))
    }

    /// Cyclone's configuration, as rmw_cyclonedds of Jazzy makes it, for the writer of many large messages.
    ///
    /// - Parameter processID: Part of the tag that keeps participants from discovering each other with `OFF`.
    package func configuration(processID: Int32) -> String {
        var general = ""
        var discovery = ""
        var tuning = ""
        switch range {
        case .systemDefault: break
        case .off:
            general += "<AllowMulticast>false</AllowMulticast>"
            discovery += "<ParticipantIndex>none</ParticipantIndex><Tag>ros_discovery_off_\(processID)</Tag>"
        case .subnet, .localhost:
            if range == .localhost { general += "<AllowMulticast>false</AllowMulticast>" }
            discovery +=
                "<ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32</MaxAutoParticipantIndex>"
            let all = peers + (range == .localhost ? ["localhost"] : [])
            if !all.isEmpty {
                discovery += "<Peers>\(all.map { "<Peer Address=\"\(Self.escaped($0))\"/>" }.joined())</Peers>"
            }
        }
        if isLocal {
            // Large datagrams, which nothing cuts here, of one fragment each, and few on the way, so that a receiver with the system's
            // small buffer loses none of them.
            general += "<MaxMessageSize>25000B</MaxMessageSize><FragmentSize>24000B</FragmentSize>"
            // Readers are asked often what they have, so that little is open when one is lost.
            tuning = "<Internal><Watermarks><WhcHigh>100kB</WhcHigh><WhcLow>1B</WhcLow></Watermarks>"
            tuning += "<HeartbeatInterval min=\"2ms\" minsched=\"5ms\" max=\"8s\">5ms</HeartbeatInterval></Internal>"
        }
        if tracesDiscovery {
            tuning += "<Tracing><Category>discovery</Category><OutputFile>/dev/null</OutputFile></Tracing>"
        }
        func element(_ name: String, _ content: String) -> String {
            content.isEmpty ? "" : "<\(name)>\(content)</\(name)>"
        }
        let domain = element("General", general) + element("Discovery", discovery) + tuning
        let ours = "<CycloneDDS><Domain Id=\"any\">\(domain)</Domain></CycloneDDS>"
        return ownConfiguration.isEmpty ? ours : "\(ours),\(ownConfiguration)"
    }

    /// By scalars: a mark that combines with a character does not hide it.
    private static func escaped(_ text: String) -> String {
        let entities: [Unicode.Scalar: String] = ["&": "&amp;", "<": "&lt;", "\"": "&quot;"]
        return text.unicodeScalars.map { entities[$0] ?? String($0) }.joined()
    }
}
