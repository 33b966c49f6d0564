import JSONText

/// What a server writes to its clients.
enum ServerOperation {
    /// The answer to a call.
    ///
    /// Every call is answered, in its turn: clients use calls to learn how far the server is. Without values the service
    /// is one that there is not.
    static func serviceResponse(to service: String, id: JSONValue?, values: JSONValue?) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("op", "service_response")
        if let id { writer.member("id", id) }
        writer.member("service", service)
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
}

extension JSONWriter {
    fileprivate mutating func member(_ key: String, _ value: JSONValue) {
        self.key(key)
        append(value)
    }
}
