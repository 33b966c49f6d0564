/// What rosbag2's recorder of a distribution writes, as far as distributions differ.
///
/// `any` is version 8 with numbers for policies: Humble refuses the list of version 9 and names; Jazzy refuses fields
/// that are missing, and reads the numbers.
struct DistributionForm: Sendable {
    let metadataVersion: Int
    /// 4 has type hashes and message definitions, 3 has neither.
    let schemaVersion: Int
    let policies: QoSProfile.Style
    /// What `ros_distro` says.
    let name: String
    /// Whether an .mcap file repeats the bag's metadata in a record of its own.
    let hasSerializedMetadata: Bool

    var hasDefinitions: Bool { schemaVersion >= 4 }

    init(_ distribution: BagOptions.Distribution) {
        name = distribution == .any ? "rolling" : distribution.rawValue
        schemaVersion = distribution == .humble ? 3 : 4
        hasSerializedMetadata = distribution != .humble
        switch distribution {
        case .any: (metadataVersion, policies) = (8, .numbers)
        case .humble: (metadataVersion, policies) = (5, .numbers)
        case .iron: (metadataVersion, policies) = (7, .numbers)
        case .jazzy, .kilted, .rolling: (metadataVersion, policies) = (9, .names)
        }
    }

    /// The topic as this form shows it.
    func shown(_ topic: BagTopic) -> BagTopic {
        var shown = topic
        shown.qosText = QoSProfile.text(topic.qosText, in: policies)
        return shown
    }
}
