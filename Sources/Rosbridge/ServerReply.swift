import JSONText

/// What a rosbridge server says to a publisher; everything else it may send is of no interest.
package enum ServerReply: Equatable, Sendable {
    /// The answer to a call, whether the service exists or not; with what `/rosapi/subscribers` lists.
    case serviceResponse(id: String, result: Bool, subscribers: [String]? = nil)
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
            self = .serviceResponse(
                id: id,
                result: value["result"]?.bool ?? true,
                subscribers: value["values"]?["subscribers"]?.array?.compactMap(\.string)
            )
        case "status":
            self = .status(level: value["level"]?.string ?? "error", text: value["msg"]?.string ?? "")
        default:
            return
        }
    }
}
