import Platform
import Text

/// The services of a recorder: the few of rosapi that a publisher calls.
struct ServiceAnswer {
    /// The node name that the recorder reports as subscriber.
    static let nodeName = "/mapeverything_record"

    /// The known topics with their types.
    var topics: [(name: String, type: String)]
    /// True if a topic with this name would be recorded, known or not.
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

/// The operations that a server sends to its clients.
enum ServerOperation {
    /// The response to a service call.
    ///
    /// Every call is answered in order, because clients use calls as barriers. Without values the service does not
    /// exist.
    static func serviceResponse(to service: String, id: JSONValue?, values: JSONValue?) -> [UInt8] {
        let members: [(String, JSONValue)] =
            [("op", "service_response")] + (id.map { [("id", $0)] } ?? []) + [
                ("service", .string(service)),
                ("values", values ?? .string("Service \(service) does not exist")), ("result", .bool(values != nil)),
            ]
        return Array(JSONValue.object(members).text().utf8)
    }

    /// The status message for a refused operation.
    static func status(_ text: String, id: JSONValue?) -> [UInt8] {
        let members: [(String, JSONValue)] =
            [("op", "status"), ("level", "error"), ("msg", .string(text))] + (id.map { [("id", $0)] } ?? [])
        return Array(JSONValue.object(members).text().utf8)
    }
}
