import Text

/// The answer of a service, as far as a publisher needs it.
package struct CallAnswer: Equatable, Sendable {
    /// True if the service exists.
    package var isAnswered: Bool
    /// The subscribers that `/rosapi/subscribers` lists.
    package var subscribers: [String]?
    /// The type of each topic that `/rosapi/topics` lists.
    package var topics: [String: String]?

    package init(isAnswered: Bool, subscribers: [String]? = nil, topics: [String: String]? = nil) {
        self.isAnswered = isAnswered
        self.subscribers = subscribers
        self.topics = topics
    }
}

/// A message of a rosbridge server to a publisher.
package enum ServerReply: Equatable, Sendable {
    /// The response to a service call, whether the service exists or not.
    case serviceResponse(id: String, CallAnswer)
    /// A status message, such as a refused publish; rosbridge for ROS 2 sends none, other servers do.
    case status(level: String, text: String)
    case other

    /// Parses a frame; anything that is not JSON or not one of these operations is `other`.
    package init(_ bytes: [UInt8]) {
        self = .other
        guard let value = try? JSONValue.parse(bytes, valueLimit: 10_000, allowsNonFinite: true) else { return }
        switch value["op"]?.string {
        case "service_response":
            guard let id = value["id"]?.string ?? value["id"]?.integer.map(String.init) else { return }
            let values = value["values"]
            let names = values?["topics"]?.array?.map { $0.string ?? "" }
            let types = values?["types"]?.array?.map { $0.string ?? "" }
            let answer = CallAnswer(
                isAnswered: value["result"]?.bool ?? true,
                subscribers: values?["subscribers"]?.array?.compactMap(\.string),
                topics: names.flatMap { names in
                    types.map { Dictionary(zip(names, $0), uniquingKeysWith: { first, _ in first }) }
                }
            )
            self = .serviceResponse(id: id, answer)
        case "status":
            self = .status(level: value["level"]?.string ?? "error", text: value["msg"]?.string ?? "")
        default:
            return
        }
    }
}
