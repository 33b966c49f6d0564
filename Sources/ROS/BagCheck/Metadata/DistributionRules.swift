/// What rosbag2's readers of metadata.yaml demand: a key that is missing, or of the wrong form, makes them refuse the
/// bag.
///
/// Each field is owed from some version of the file on, and some fields are read by newer distributions alone; none of
/// them has an upper limit to the version.
struct DistributionRules {
    enum Distribution: String, CaseIterable {
        case humble, iron, jazzy, kilted, rolling

        /// Reads version 9's list of QoS profiles, and from version 8 on the distribution's name.
        var readsVersionNine: Bool { self != .humble && self != .iron }
        /// Reads custom_data and type hashes.
        var readsHashes: Bool { self != .humble }
    }

    struct Refusal: Hashable {
        var distribution: Distribution
        var reasons: [String]
        /// Whether it is the version as such that is too new, and nothing is missing.
        var isVersionAlone: Bool
    }

    private let distribution: Distribution
    private var reasons: [String] = []
    private var versionReasons = 0

    /// Which distributions would not open a bag with this map, and why.
    static func refusals(of map: MetadataNode) -> [Refusal] {
        Distribution.allCases.compactMap { distribution in
            var rules = DistributionRules(distribution: distribution)
            rules.check(map)
            guard !rules.reasons.isEmpty else { return nil }
            return Refusal(
                distribution: distribution,
                reasons: rules.reasons,
                isVersionAlone: rules.versionReasons == rules.reasons.count
            )
        }
    }

    private init(distribution: Distribution) {
        self.distribution = distribution
    }

    private mutating func check(_ map: MetadataNode) {
        let version = map["version"].integer ?? 0
        integer(map, "version", "")
        scalar(map, "storage_identifier", "")
        times(map, "")
        integer(map, "message_count", "")
        list(map, "relative_file_paths", "")
        list(map, "topics_with_message_count", "")
        for (index, topic) in map["topics_with_message_count"].elements.enumerated() {
            check(topic: topic, "topics_with_message_count[\(index)].", version)
        }
        if version >= 3 {
            scalar(map, "compression_format", "")
            scalar(map, "compression_mode", "")
        }
        if version >= 5 {
            list(map, "files", "")
            for (index, file) in map["files"].elements.enumerated() {
                scalar(file, "path", "files[\(index)].")
                times(file, "files[\(index)].")
                integer(file, "message_count", "files[\(index)].")
            }
        }
        if version >= 6, distribution.readsHashes {
            let custom = map["custom_data"]
            if !custom.exists { reasons.append("missing custom_data") }
            if custom.exists, !custom.isNull, !custom.isMap { reasons.append("custom_data is not a map") }
        }
        if version >= 8, distribution.readsVersionNine { scalar(map, "ros_distro", "") }
    }

    private mutating func check(topic: MetadataNode, _ place: String, _ version: Int64) {
        integer(topic, "message_count", place)
        let metadata = topic["topic_metadata"]
        guard metadata.isMap else {
            reasons.append("missing \(place)topic_metadata")
            return
        }
        for key in ["name", "type", "serialization_format"] { scalar(metadata, key, place) }
        if version >= 4 { check(qos: metadata["offered_qos_profiles"], place, version) }
        if version >= 7, distribution.readsHashes { scalar(metadata, "type_description_hash", place) }
    }

    private mutating func check(qos: MetadataNode, _ place: String, _ version: Int64) {
        let place = place + "offered_qos_profiles"
        guard qos.exists else {
            reasons.append("missing \(place)")
            return
        }
        if distribution.readsVersionNine, version >= 9 {
            if !qos.isList { reasons.append("\(place) is not a list") }
        } else if qos.isList || qos.isMap {
            reasons.append("\(place) is not a text")
            if version >= 9, qos.isList { versionReasons += 1 }
        }
    }

    private mutating func times(_ map: MetadataNode, _ place: String) {
        for (outer, inner) in [("duration", "nanoseconds"), ("starting_time", "nanoseconds_since_epoch")] {
            guard map[outer].isMap else {
                reasons.append("missing \(place)\(outer)")
                continue
            }
            integer(map[outer], inner, "\(place)\(outer).")
        }
    }

    private mutating func integer(_ map: MetadataNode, _ key: String, _ place: String) {
        let value = map[key]
        if value.isNull {
            reasons.append("missing \(place)\(key)")
        } else if value.integer == nil {
            reasons.append("\(place)\(key) is no integer")
        } else if let number = value.integer, number < 0 {
            // Read as unsigned.
            reasons.append("\(place)\(key) is negative")
        }
    }

    private mutating func scalar(_ map: MetadataNode, _ key: String, _ place: String) {
        if !map[key].exists {
            reasons.append("missing \(place)\(key)")
        } else if map[key].string == nil {
            reasons.append("\(place)\(key) is no text")
        }
    }

    private mutating func list(_ map: MetadataNode, _ key: String, _ place: String) {
        if map[key].isNull {
            reasons.append("missing \(place)\(key)")
        } else if !map[key].isList {
            reasons.append("\(place)\(key) is no list")
        }
    }
}
