import Files
import JSONText

/// The services of a recorder: the few of rosapi that a publisher calls.
struct ServiceAnswer {
    /// The node name that the recorder reports as subscriber.
    static let nodeName = "/mapeverything_record"

    /// The known topics with their types.
    var topics: [(name: String, type: String)]
    /// Whether a topic with this name would be recorded, known or not.
    var isRecorded: (String) -> Bool

    /// The values of the response; `nil` for an unknown service.
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
