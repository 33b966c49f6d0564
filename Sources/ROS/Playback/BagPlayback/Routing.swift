import Bags
import Messages
import Platform

/// The way of each topic of the bag to a topic that is published.
struct Routing {
    private struct Way {
        var index: Int
        var topic: Topic
    }

    private(set) var leftOut: [SkippedTopic] = []
    let unmatched: [String]
    private let reader: BagReader
    private var ways: [Way] = []

    init(_ reader: BagReader, _ plan: BagPlaybackPlan) throws {
        self.reader = reader
        unmatched = Self.unmatched(reader.topics, plan)
        var isAnySelected = false
        for (index, topic) in reader.topics.enumerated() where plan.selection.contains(TopicDecision.name(topic)) {
            isAnySelected = true
            let decision: TopicDecision
            do {
                decision = try .of(topic, plan)
            } catch let error as BagPlaybackError {
                throw error
            } catch {
                decision = .leaveOut(reason: "\(error)")
            }
            try take(decision, of: index, plan)
        }
        leftOut.sort { ($0.name, $0.typeName) < ($1.name, $1.typeName) }
        guard isAnySelected || reader.topics.isEmpty else { throw BagPlaybackError.noTopic(unmatched) }
        guard !ways.isEmpty || reader.topics.isEmpty else {
            throw BagPlaybackError.nothingLeft(reasons: leftOut.map { "\($0.name): \($0.reason)" })
        }
    }

    /// Topics that were asked for by name and are not in the bag; `/clock` counts as there where it is published.
    private static func unmatched(_ topics: [BagTopic], _ plan: BagPlaybackPlan) -> [String] {
        let stored = Set(topics.map(\.name))
        return plan.selection.unmatched(
            in: topics.map(TopicDecision.name) + (plan.clockHertz == nil ? [] : ["/clock"]),
            of: "the bag",
            remaps: plan.naming.remaps,
            types: plan.types.keys.filter { !stored.contains($0) }.sorted()
        )
    }

    private mutating func take(_ decision: TopicDecision, of index: Int, _ plan: BagPlaybackPlan) throws {
        let stored = reader.topics[index]
        switch decision {
        case .publish(let topic):
            if let other = ways.first(where: { $0.topic.name == topic.name && $0.topic.typeName != topic.typeName }) {
                let types = [other.topic.typeName, topic.typeName].sorted()
                guard plan.skipsUnknown, reader.topics[other.index].name == stored.name else {
                    throw BagPlaybackError.sameName(topic.name, types: types)
                }
                return leaveOut(index, "\(topic.name) is of type \(other.topic.typeName) already", isLoss: true)
            }
            ways.append(Way(index: index, topic: topic))
        case .leaveOut(let reason):
            leaveOut(index, reason, isLoss: reason != TopicDecision.replacedClock)
        }
    }

    private mutating func leaveOut(_ index: Int, _ reason: String, isLoss: Bool) {
        leftOut.append(
            SkippedTopic(
                reader.topics[index],
                reason: reason,
                messageCount: reader.heldCount(ofTopic: index),
                isLoss: isLoss
            )
        )
    }

    var sourceNames: Set<String> { Set(ways.map { reader.topics[$0.index].name }) }

    /// The published topics, sorted by name; topics of large messages are in the lane of what may be dropped, unless
    /// they are rare.
    func topics(largeIn sample: BagSample) -> [Topic] {
        var topics: [String: Topic] = [:]
        for way in ways {
            var topic = topics[way.topic.name] ?? way.topic
            // Of two publishers one may have kept its last message for late subscribers.
            if way.topic.isLatched { topic = way.topic }
            if topic.delivery == .every, sample.isLarge(way.index) { topic.delivery = .latest }
            if topic.delivery == .latest, isRare(reader.topics[way.index]) { topic.delivery = .every }
            topics[topic.name] = topic
        }
        return topics.values.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// True if there is one message, or less than one in ten seconds, as metadata.yaml counts them.
    private func isRare(_ topic: BagTopic) -> Bool {
        let record = reader.metadata.topics.first { $0.name == topic.name && $0.typeName == topic.typeName }
        guard let count = record?.messageCount, count > 0, let times = reader.times else { return false }
        let seconds = (Double(times.last) - Double(times.first)) / 1e9
        return count == 1 || Double(count - 1) < seconds * Delivery.rarestBulkHertz
    }

    /// Indexed by the topic numbers of the bag's rows.
    func published(_ topics: [Topic]) -> [PublishedTopic?] {
        var published = [PublishedTopic?](repeating: nil, count: reader.topics.count)
        for way in ways {
            guard let topic = topics.firstIndex(where: { $0.name == way.topic.name }) else { continue }
            let stored = reader.topics[way.index]
            published[way.index] = PublishedTopic(
                topic: topic,
                sourceName: stored.name,
                selectionName: TopicDecision.name(stored),
                decoder: RowDecoder(way.topic.type, format: stored.serializationFormat),
                isLatched: topics[topic].isLatched
            )
        }
        return published
    }
}

enum TopicDecision {
    /// Its type is a `ResolvedType`, whose messages keep the CDR of their rows.
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

/// The first messages of a bag: enough to see which topics are large and how close its moments are.
struct BagSample {
    /// Messages above this many bytes are bulk, whatever their type.
    private static let largeBytes = 64 << 10
    private static let maximumRows = 512
    private static let maximumBytes = 16 << 20

    private var largest: [Int: Int] = [:]
    private var gaps: [Int64] = []

    init(_ cursor: BagRowCursor) throws(BagError) {
        var (count, bytes) = (0, 0)
        var last: Int64?
        while count < Self.maximumRows, bytes < Self.maximumBytes, let row = try cursor.next() {
            count += 1
            bytes += row.bytes.count
            largest[row.topic] = max(largest[row.topic] ?? 0, row.bytes.count)
            if let last, row.timeNanoseconds > last { gaps.append(row.timeNanoseconds &- last) }
            last = row.timeNanoseconds
        }
        gaps.sort()
    }

    func isLarge(_ topic: Int) -> Bool { largest[topic] ?? 0 > Self.largeBytes }

    /// The usual time from one moment to the next, at most a second; 0.1 s where nothing says.
    var intervalNanoseconds: Int64 {
        max(1, min(gaps.quantile(0.5) ?? 100_000_000, 1_000_000_000))
    }
}
