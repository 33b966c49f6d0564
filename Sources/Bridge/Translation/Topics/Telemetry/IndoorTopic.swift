import Messages
import Recording
import Text

/// `/mapping/indoor_localization`: positions by an indoor positioning service, with how far they can be relied on.
struct IndoorTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.indoor)
    let rateHertz: Double?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.indoorLocalization) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.indoorLocalization)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .indoor(let sample) = item.record else { return }
        let (position, heading) = (sample.position, sample.heading)
        var message = IndoorLocalization()
        message.header = Header(stampNanoseconds: stamp, frameID: context.axes.locationFrame)
        message.position = ServicePosition(position, service: sample.service)
        message.floorAvailable = position.floor != nil
        message.floorLevel = Int32(clamping: position.floor ?? 0)
        message.headingAvailable = heading.trueDegrees != nil || heading.magneticDegrees != nil
        message.trueHeading = heading.trueDegrees ?? ServicePosition.unknown
        message.magneticHeading = heading.magneticDegrees ?? ServicePosition.unknown
        message.headingAccuracy = heading.accuracyDegrees ?? ServicePosition.unknown
        message.source = sample.sourceJSON ?? "{}"
        message.registrationQuality = sample.qualityJSON ?? RegistrationQuality(sample).text
        message.timestamp = CalendarText.utc(nanoseconds: position.unixNanoseconds ?? stamp)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// The app's scores of an indoor position, from 0 to 1, by its accuracies and where it comes from.
struct RegistrationQuality {
    let indoor: Double
    let global: Double

    init(_ sample: IndoorSample) {
        let (position, heading) = (sample.position, sample.heading)
        let source = Self.trust(inSource: sample.sourceJSON)
        let horizontal = position.horizontalAccuracyMetres
        let hasHeading = heading.trueDegrees != nil || heading.magneticDegrees != nil
        func headingScore(_ good: Double, _ bad: Double, without: Double) -> Double {
            hasHeading ? Self.score(heading.accuracyDegrees, good, bad) : without
        }
        // 0.10 for a fix that is not old: it is of the time of the message.
        indoor =
            0.38 * Self.score(horizontal, 3, 25) + 0.24 * (position.floor == nil ? 0.35 : 1)
            + 0.18 * headingScore(8, 60, without: 0.25) + 0.10 + 0.10 * source
        // 0.20 for a place that is a number.
        global =
            0.34 * Self.score(horizontal, 5, 60) + 0.20 * Self.score(position.verticalAccuracyMetres, 8, 80)
            + 0.16 * headingScore(10, 90, without: 0.3) + 0.20 + 0.10 * source
    }

    var text: String {
        let value: JSONValue = [
            "global": .number(global), "global_label": .string(Self.label(global)),
            "indoor": .number(indoor), "indoor_label": .string(Self.label(indoor)),
        ]
        return value.text()
    }

    /// 1 for an accuracy that is good, 0 for one that is bad or not known, and linear in between.
    private static func score(_ accuracy: Double?, _ good: Double, _ bad: Double) -> Double {
        guard let accuracy, accuracy >= 0 else { return 0 }
        return min(1, max(0, (bad - accuracy) / (bad - good)))
    }

    /// Returns the trust in a position: little in a simulated one, less in an accessory's than in the phone's own.
    private static func trust(inSource text: String?) -> Double {
        guard let text, let source = (try? JSONValue.parse(text))?.object else { return 1 }
        if source["simulated_by_software"]?.bool == true { return 0.2 }
        return source["produced_by_accessory"]?.bool == true ? 0.8 : 1
    }

    private static func label(_ score: Double) -> String {
        score >= 0.8 ? "high" : score >= 0.5 ? "medium" : score >= 0.25 ? "low" : "unusable"
    }
}
