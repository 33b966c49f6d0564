import Bags
import Messages

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
