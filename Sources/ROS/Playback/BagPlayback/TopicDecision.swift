import Bags
import Messages

/// The decision on one topic of the bag.
enum TopicDecision {
    /// Messages of its type keep their bytes.
    case publish(Topic)
    case leaveOut(reason: String)

    /// Why a recorded clock is left out, which is no loss.
    static let replacedClock = "--clock publishes it"

    /// The name of a topic of the bag as it is selected and renamed by: a legacy name brought up to date, and absolute.
    static func name(_ topic: BagTopic) -> String {
        LegacyNames.topic(topic.name.hasPrefix("/") ? topic.name : "/" + topic.name)
    }

    /// Decides by what the bag says of the topic.
    ///
    /// - Throws: `UnknownType` where no definition of its type is known, ``BagPlaybackError`` for a name
    ///   that was asked for and cannot be one.
    static func of(_ topic: BagTopic, _ plan: BagPlaybackPlan) throws -> TopicDecision {
        let own = name(topic)
        let published = plan.naming.name(own)
        if plan.clockHertz != nil, published == plan.naming.name("/clock") {
            return .leaveOut(reason: replacedClock)
        }
        guard published == own || Topic.isValidName(published) else { throw BagPlaybackError.badName(published) }
        let typeName = LegacyNames.type(plan.types[own] ?? plan.types[topic.name] ?? topic.typeName)
        if let reason = refusal(name: published, typeName: typeName) { return .leaveOut(reason: reason) }
        guard BagOptions.Serialization(rawValue: topic.serializationFormat) != nil else {
            return .leaveOut(reason: "its messages are in the form \"\(topic.serializationFormat)\"")
        }
        do {
            let kind = try plan.resolver.resolve(TypeClaim(topic, as: typeName))
            guard !kind.schema.layout.hasWideStrings else {
                return .leaveOut(reason: "\(typeName) has a wstring, which rosbridge does not take")
            }
            let isLatched = topic.isLatched || own == "/tf_static" || published == "/tf_static"
            return .publish(
                Topic(
                    name: published,
                    type: kind,
                    qos: qos(topic, isLatched: isLatched),
                    delivery: isLatched ? .control : bulkTypes.contains(typeName) ? .latest : .every
                )
            )
        } catch {
            guard topic.definitionEncoding == "ros2idl", !plan.skipsUnknown else { throw error }
            return .leaveOut(reason: "\(typeName) is defined in IDL (ros2idl), which is not read")
        }
    }

    /// Types of which a live sink may drop the oldest.
    private static let bulkTypes: Set<String> = [
        "sensor_msgs/msg/Image", "sensor_msgs/msg/CompressedImage", "sensor_msgs/msg/PointCloud2",
        "sensor_msgs/msg/PointCloud",
    ]

    /// Why rosbridge would not take such a topic, which it does not report.
    private static func refusal(name: String, typeName: String) -> String? {
        let parts = typeName.split(separator: "/", omittingEmptySubsequences: false)
        if name.hasSuffix("/_service_event") || (parts.count == 3 && parts[1] == "srv") {
            return "it holds calls of a service"
        }
        if name.contains("/_action/") || (parts.count == 3 && parts[1] == "action") {
            return "it belongs to an action"
        }
        guard Topic.isValidName(name) else {
            return "\(name) is no ROS name (letters, digits and _ between slashes)"
        }
        return name.contains("/_") ? "it is hidden (a part of its name begins with _)" : nil
    }

    private static func qos(_ topic: BagTopic, isLatched: Bool) -> QoS {
        var qos = QoS(rosbag2Text: topic.qosText)
        qos.durability = isLatched ? .transientLocal : .volatile
        // A server keeps as many messages of each topic as it is told to.
        qos.depth = min(qos.depth, 10_000)
        return qos
    }
}
