extension QoS {
    /// The profile as rosbag2 keeps it in text: a YAML list of one map, with numbers for the policies.
    ///
    /// Humble and Jazzy both read the numbers; names are read by Jazzy alone. Infinite durations are rmw's.
    package var rosbag2Text: String {
        let infinite = ["    sec: 9223372036", "    nsec: 854775807"]
        let lines =
            ["- history: \(history.rawValue)", "  depth: \(depth)", "  reliability: \(reliability.rawValue)"]
            + ["  durability: \(durability.rawValue)", "  deadline:"] + infinite + ["  lifespan:"] + infinite
            + ["  liveliness: 1", "  liveliness_lease_duration:"] + infinite
            + ["  avoid_ros_namespace_conventions: false"]
        return lines.joined(separator: "\n")
    }
}
