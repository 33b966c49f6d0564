import Bags

/// The demands of rosbag2's readers on metadata.yaml: a key that is missing, or of the wrong form, makes them refuse
/// the bag.
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
        /// True if it is the version as such that is too new, and nothing is missing.
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

    private mutating func check(_ map: MetadataNode) {
        let version = map["version"].integer ?? 0
        integer(map["version"])
        scalar(map["storage_identifier"])
        times(map)
        integer(map["message_count"])
        list(map["relative_file_paths"])
        list(map["topics_with_message_count"])
        for topic in map["topics_with_message_count"].elements { check(topic: topic, version) }
        if version >= 3 {
            scalar(map["compression_format"])
            scalar(map["compression_mode"])
        }
        if version >= 5 {
            list(map["files"])
            for file in map["files"].elements {
                scalar(file["path"])
                times(file)
                integer(file["message_count"])
            }
        }
        if version >= 6, distribution.readsHashes {
            let custom = map["custom_data"]
            if !custom.exists { reasons.append("missing custom_data") }
            if !custom.isNull, !custom.isMap { reasons.append("custom_data is not a map") }
        }
        if version >= 8, distribution.readsVersionNine { scalar(map["ros_distro"]) }
    }

    private mutating func check(topic: MetadataNode, _ version: Int64) {
        integer(topic["message_count"])
        let metadata = topic["topic_metadata"]
        guard metadata.isMap else { return reasons.append("missing \(metadata.place)") }
        for key in ["name", "type", "serialization_format"] { scalar(metadata[key]) }
        if version >= 4 { check(qos: metadata["offered_qos_profiles"], version) }
        if version >= 7, distribution.readsHashes { scalar(metadata["type_description_hash"]) }
    }

    private mutating func check(qos: MetadataNode, _ version: Int64) {
        guard qos.exists else { return reasons.append("missing \(qos.place)") }
        if distribution.readsVersionNine, version >= 9 {
            if !qos.isList { reasons.append("\(qos.place) is not a list") }
        } else if qos.isList || qos.isMap {
            reasons.append("\(qos.place) is not a text")
            if version >= 9, qos.isList { versionReasons += 1 }
        }
    }

    private mutating func times(_ map: MetadataNode) {
        for (outer, inner) in [("duration", "nanoseconds"), ("starting_time", "nanoseconds_since_epoch")] {
            if map[outer].isMap {
                integer(map[outer][inner])
            } else {
                reasons.append("missing \(map[outer].place)")
            }
        }
    }

    private mutating func integer(_ value: MetadataNode) {
        if value.isNull {
            reasons.append("missing \(value.place)")
        } else if let number = value.integer {
            // Read as unsigned.
            if number < 0 { reasons.append("\(value.place) is negative") }
        } else {
            reasons.append("\(value.place) is no integer")
        }
    }

    private mutating func scalar(_ value: MetadataNode) {
        if !value.exists {
            reasons.append("missing \(value.place)")
        } else if value.string == nil {
            reasons.append("\(value.place) is no text")
        }
    }

    private mutating func list(_ value: MetadataNode) {
        if value.isNull {
            reasons.append("missing \(value.place)")
        } else if !value.isList {
            reasons.append("\(value.place) is no list")
        }
    }
}
