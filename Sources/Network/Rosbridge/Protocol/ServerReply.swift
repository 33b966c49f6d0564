import JSONText

/// What a service said, as far as a publisher asks rosapi.
package struct CallAnswer: Equatable, Sendable {
    /// Whether there is such a service.
    package var isAnswered: Bool
    /// What `/rosapi/subscribers` lists.
    package var subscribers: [String]?
    /// The type of each topic that `/rosapi/topics` lists.
    package var topics: [String: String]?

    package init(isAnswered: Bool, subscribers: [String]? = nil, topics: [String: String]? = nil) {
        self.isAnswered = isAnswered
        self.subscribers = subscribers
        self.topics = topics
    }
}

/// What a rosbridge server says to a publisher; everything else it may send is of no interest.
package enum ServerReply: Equatable, Sendable {
    /// The answer to a call, whether the service exists or not.
    case serviceResponse(id: String, CallAnswer)
    /// A remark of servers other than ROS 2's own, such as a refused publish.
    case status(level: String, text: String)
    case other

    /// Reads a frame; what is not JSON or not an operation is `other`.
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
