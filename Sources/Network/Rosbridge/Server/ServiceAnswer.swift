import Files
import JSONText

/// What the services of a recorder answer: the few of rosapi that a publisher asks.
struct ServiceAnswer {
    /// The name under which the recorder subscribes to what it records.
    static let nodeName = "/mapeverything_record"

    /// The topics that are known, with their types.
    var topics: [(name: String, type: String)]
    /// Whether a topic of this name would be recorded, known or not.
    var isRecorded: (String) -> Bool

    /// The values of a call's answer; `nil` for a service that there is not.
    func values(of service: String, topic: String?) -> JSONValue? {
        switch service.hasPrefix("/") ? service : "/" + service {
        case "/rosapi/get_time":
            let (sec, nanosec) = WallClock.nowNanoseconds().quotientAndRemainder(dividingBy: 1_000_000_000)
            return ["time": ["sec": .integer(sec), "nanosec": .integer(nanosec)]]
        case "/rosapi/topics":
            return [
                "topics": .array(topics.map { .string($0.name) }),
                "types": .array(topics.map { .string($0.type) }),
            ]
        case "/rosapi/subscribers":
            let isSubscriber = topic.map { isRecorded(TopicRegistry.absolute($0)) } ?? false
            return ["subscribers": isSubscriber ? [.string(Self.nodeName)] : []]
        default: return nil
        }
    }
}
