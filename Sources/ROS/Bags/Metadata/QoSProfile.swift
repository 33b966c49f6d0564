package import Messages

/// One profile of `offered_qos_profiles`, complete: bags recorded by others keep what no topic of ours sets.
struct QoSProfile: Hashable, Sendable {
    /// A duration as rmw has it; zero means that none was set.
    struct Span: Hashable, Sendable {
        /// rmw's infinity.
        static let infinite = Span(seconds: 9_223_372_036, nanoseconds: 854_775_807)

        var seconds: UInt64
        var nanoseconds: UInt64
    }

    /// The notation of a policy: its number (up to Iron) or its name (from Jazzy on).
    enum Style: Sendable {
        case numbers
        case names
    }

    /// rmw's policies by number, as `rmw_qos_history_policy_to_str` and its siblings name them.
    private enum Policies {
        static let history = ["system_default", "keep_last", "keep_all", "unknown"]
        static let reliability = ["system_default", "reliable", "best_effort", "unknown", "best_available"]
        static let durability = ["system_default", "transient_local", "volatile", "unknown", "best_available"]
        static let liveliness = [
            "system_default", "automatic", "manual_by_node", "manual_by_topic", "unknown", "best_available",
        ]
    }

    private(set) var history: Int
    private(set) var depth: UInt64
    private(set) var reliability: Int
    private(set) var durability: Int
    private(set) var deadline: Span
    private(set) var lifespan: Span
    private(set) var liveliness: Int
    private(set) var livelinessLease: Span
    private(set) var avoidsNamespaceConventions: Bool

    /// The profiles of a text in either style; none in a text that is empty or no list of profiles.
    static func profiles(_ text: String) -> [QoSProfile] {
        guard !text.isEmpty, let list = try? MetadataNode.parse(text) else { return [] }
        return list.elements.filter(\.isMap).map(QoSProfile.init)
    }

    /// The text of `offered_qos_profiles` in a style; what cannot be read stays as it is.
    static func text(_ text: String, in style: Style) -> String {
        let profiles = profiles(text)
        return profiles.isEmpty ? text : profiles.flatMap { $0.lines(style) }.joined(separator: "\n")
    }

    private init(_ map: MetadataNode) {
        func policy(_ key: String, _ names: [String], _ fallback: Int) -> Int {
            guard let text = map[key].writtenText else { return fallback }
            guard let number = Int(text) else { return names.firstIndex(of: text) ?? fallback }
            return names.indices.contains(number) ? number : fallback
        }
        history = policy("history", Policies.history, 3)
        depth = map["depth"].unsigned
        reliability = policy("reliability", Policies.reliability, 3)
        durability = policy("durability", Policies.durability, 3)
        deadline = Span(map["deadline"])
        lifespan = Span(map["lifespan"])
        liveliness = policy("liveliness", Policies.liveliness, 4)
        livelinessLease = Span(map["liveliness_lease_duration"])
        avoidsNamespaceConventions = map["avoid_ros_namespace_conventions"].writtenText?.lowercased() == "true"
    }

    /// True if late subscribers get the topic's last message, of any age.
    ///
    /// rosbridge offers every topic as transient local with a lifespan of one second: that is no latched topic.
    var isLatched: Bool {
        durability == 1 && (lifespan == Span(seconds: 0, nanoseconds: 0) || lifespan.seconds >= 86_400)
    }

    /// The profile as an element of a YAML list, laid out as rosbag2 does.
    func lines(_ style: Style) -> [String] {
        func policy(_ number: Int, _ names: [String]) -> String {
            style == .numbers ? "\(number)" : names[number]
        }
        let policies = [
            "- history: \(policy(history, Policies.history))", "  depth: \(depth)",
            "  reliability: \(policy(reliability, Policies.reliability))",
            "  durability: \(policy(durability, Policies.durability))", "  deadline:",
        ]
        let lease = ["  liveliness: \(policy(liveliness, Policies.liveliness))", "  liveliness_lease_duration:"]
        let names = ["  avoid_ros_namespace_conventions: \(avoidsNamespaceConventions)"]
        let parts: [[String]] = [
            policies, deadline.lines, ["  lifespan:"], lifespan.lines, lease, livelinessLease.lines, names,
        ]
        return parts.flatMap(\.self)
    }
}

extension QoSProfile.Span {
    fileprivate init(_ map: MetadataNode) {
        seconds = map["sec"].unsigned
        nanoseconds = map["nsec"].unsigned
    }

    fileprivate var lines: [String] { ["    sec: \(seconds)", "    nsec: \(nanoseconds)"] }
}

extension MetadataNode {
    /// Zero for what is no such number.
    fileprivate var unsigned: UInt64 { writtenText.flatMap { UInt64($0) } ?? 0 }
}

extension QoS {
    /// The first profile of `offered_qos_profiles`, with numbers (Humble, Iron) or names (Jazzy) as values.
    ///
    /// An empty or unreadable text, or a value that only a system default could fill, gives reliable, volatile, keep
    /// the last 10.
    package init(rosbag2Text text: String) {
        self.init(QoSProfile.profiles(text).first)
    }

    /// A profile as far as topics of ours have one.
    init(_ profile: QoSProfile?) {
        self = .reliable(depth: 10)
        guard let profile else { return }
        history = History(rawValue: profile.history) ?? history
        reliability = Reliability(rawValue: profile.reliability) ?? reliability
        durability = Durability(rawValue: profile.durability) ?? durability
        if let stored = Int(exactly: profile.depth), stored > 0 { depth = stored }
    }
}
