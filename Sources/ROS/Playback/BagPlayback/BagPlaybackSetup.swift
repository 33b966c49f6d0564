package import Bags
package import Messages
package import SystemPackage

/// A plan applied to a bag: what will be published, and what cannot be.
package struct BagPlaybackSetup: Sendable {
    package let reader: BagReader
    package let plan: BagPlaybackPlan
    /// Every topic, sorted by name.
    package let topics: [Topic]
    /// Topics that were selected and are not published, sorted by name.
    package let leftOut: [SkippedTopic]
    /// Topics that were asked for by name and are not in the bag, a line each.
    package let unmatched: [String]
    /// The first and the last time that are wanted and there.
    package let span: ClosedRange<Int64>
    /// The time of the bag's first message, which seconds count from.
    let firstTime: Int64
    /// Indexed by the topic numbers of the bag's rows; nil for a topic that is not published.
    let published: [PublishedTopic?]
    let intervalNanoseconds: Int64
    /// `/clock`, where it is asked for.
    private let clockTopic: Topic?

    /// Opens a bag and decides what is done with each topic; nothing is sent yet.
    ///
    /// - Throws: `BagError` for a bag that cannot be read or does not hold what it says; ``BagPlaybackError`` for a plan that
    ///   this bag cannot fulfil, and where no topic can be published.
    package init(opening path: FilePath, plan: BagPlaybackPlan) throws {
        let reader = try BagReader(
            opening: path,
            tolerating: plan.acceptsDamage ? .everything : [],
            unpacking: plan.unpackLimit
        )
        try reader.refuseIfNothingOpens()
        try reader.refuseDifferences()
        self.reader = reader
        self.plan = plan
        let routing = try Routing(reader, plan)
        leftOut = routing.leftOut
        unmatched = routing.unmatched
        guard let times = reader.times else { throw BagPlaybackError.empty(path) }
        firstTime = max(0, min(times.first, PublishedTopic.latestTime))
        let names = routing.sourceNames
        span = try SpanOfBag(reader: reader, topics: names, first: firstTime, last: times.last).resolve(plan)
        let sample = try BagSample(
            reader.rowsPassingDamage(BagQuery(topics: names, first: span.lowerBound, last: span.upperBound))
        )
        intervalNanoseconds = sample.intervalNanoseconds
        topics = routing.topics(largeIn: sample)
        let topics = topics
        published = routing.published(topics)
        clockTopic =
            plan.clockHertz == nil ? nil : Topic(name: plan.naming.name("/clock"), type: ClockMessage.self)
    }

    /// True if every message of the bag was asked for.
    var isUnfiltered: Bool {
        plan.start == nil && plan.end == nil && plan.durationSeconds == nil
            && reader.topics.allSatisfy { plan.selection.contains(TopicDecision.name($0)) }
    }

    var playback: PlaybackOptions {
        var options = plan.playback
        options.clock = clockTopic.flatMap { topic in plan.clockHertz.map { (topic, $0) } }
        return options
    }

    /// Where a mirror of the bag comes from: what the bag says of itself, but for remarks on its form, and the version.
    package func provenance(version: String) -> [String: String] {
        reader.metadata.customData.filter { !$0.key.hasPrefix("mapeverything.serialization_") }
            .merging(["mapeverything.version": version, "mapeverything.source": "replay"]) { $1 }
    }

    /// The rows of a pass that begins at a time.
    ///
    /// Where no part of the bag is asked for, rows whose times fit in no stamp belong to it: they are counted.
    func rows(from time: Int64) -> BagQuery {
        let hasStart = plan.start != nil || time > span.lowerBound
        let hasEnd = plan.end != nil || plan.durationSeconds != nil
        return BagQuery(
            topics: sourceNames,
            first: hasStart ? time : .min,
            last: hasEnd ? max(time, span.upperBound) : .max
        )
    }

    var sourceNames: Set<String> { Set(published.compactMap(\.?.sourceName)) }

    /// Those of which late subscribers get the last message.
    var latchedNames: Set<String> {
        Set(published.compactMap { $0?.isLatched == true ? $0?.sourceName : nil })
    }
}

/// A topic of the bag that is published, and how its rows are decoded.
struct PublishedTopic: Sendable {
    /// The latest time that a ROS stamp holds, in nanoseconds.
    static let latestTime: Int64 = 2_147_483_647_999_999_999

    /// Index into the published topics.
    var topic: Int
    var sourceName: String
    var selectionName: String
    /// Decodes with a `ResolvedType`: messages keep the CDR of their rows.
    var decoder: RowDecoder
    var isLatched: Bool
    /// True if its messages add up, each child frame for itself.
    var isStaticTree: Bool { isLatched && decoder.type.typeName == TFMessage.typeName }
}
