/// The format of rosbag2's recorder in a distribution, as far as distributions differ.
///
/// `any` is version 8 with numbers for policies: Humble refuses policy names and the list of version 9. Jazzy refuses
/// missing fields, and reads the numbers.
struct DistributionForm: Sendable {
    let metadataVersion: Int
    /// 4 has type hashes and message definitions, 3 has neither.
    let schemaVersion: Int
    let policies: QoSProfile.Style
    /// The value of `ros_distro`.
    let name: String
    /// True if an .mcap file contains the bag's metadata in a record.
    let hasSerializedMetadata: Bool

    var hasDefinitions: Bool { schemaVersion >= 4 }

    init(_ distribution: BagOptions.Distribution) {
        name = distribution.rawValue
        schemaVersion = distribution == .humble ? 3 : 4
        hasSerializedMetadata = distribution != .humble
        switch distribution {
        case .any: (metadataVersion, policies) = (8, .numbers)
        case .humble: (metadataVersion, policies) = (5, .numbers)
        case .iron: (metadataVersion, policies) = (7, .numbers)
        case .jazzy, .kilted, .rolling: (metadataVersion, policies) = (9, .names)
        }
    }

    /// The topic as this format stores it.
    func shown(_ topic: BagTopic) -> BagTopic {
        var shown = topic
        shown.qosText = QoSProfile.text(topic.qosText, in: policies)
        return shown
    }
}
