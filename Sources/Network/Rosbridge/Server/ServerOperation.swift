import JSONText

/// The operations that a server sends to its clients.
enum ServerOperation {
    /// The response to a service call.
    ///
    /// Every call is answered in order, because clients use calls as barriers. Without values the service does not
    /// exist.
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

    /// The status message for a refused operation.
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
