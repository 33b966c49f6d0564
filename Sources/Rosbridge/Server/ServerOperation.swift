import JSONText

/// What a server writes to its clients.
enum ServerOperation {
    /// The answer to a call.
    ///
    /// Every call is answered, in its turn: clients use calls to learn how far the server is.
    static func serviceResponse(to service: String, id: JSONValue?, topics: [(name: String, type: String)]) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("op", "service_response")
        if let id { writer.member("id", id) }
        writer.member("service", service)
        let values = values(of: service, topics: topics)
        writer.member("values", values ?? .string("Service \(service) does not exist"))
        writer.member("result", .bool(values != nil))
        writer.endObject()
        return writer.bytes
    }

    /// A remark on an operation that was refused.
    static func status(_ text: String, id: JSONValue?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("op", "status")
        writer.member("level", "error")
        writer.member("msg", text)
        if let id { writer.member("id", id) }
        writer.endObject()
        return writer.bytes
    }

    private static func values(of service: String, topics: [(name: String, type: String)]) -> JSONValue? {
        switch service {
        case "/rosapi/get_time", "rosapi/get_time":
            let (sec, nanosec) = WallClock.nowNanoseconds().quotientAndRemainder(dividingBy: 1_000_000_000)
            return ["time": ["sec": .integer(sec), "nanosec": .integer(nanosec)]]
        case "/rosapi/topics", "rosapi/topics":
            return [
                "topics": .array(topics.map { .string($0.name) }),
                "types": .array(topics.map { .string($0.type) }),
            ]
        default: return nil
        }
    }
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        append(value)
    }
}
