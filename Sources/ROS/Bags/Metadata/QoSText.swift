package import Messages

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
