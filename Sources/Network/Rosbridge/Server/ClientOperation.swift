import Platform
package import Text

/// An operation of a rosbridge client (rosbridge protocol 2), as far as a recorder needs it.
package enum ClientOperation: Equatable {
    case advertise(topic: String, type: String, isLatched: Bool, queueSize: Int)
    case unadvertise(topic: String?)
    /// The message stays in the text: this is its offset, or `nil` if there is none.
    case publish(topic: String, messageOffset: Int?)
    case fragment(id: String, number: Int, total: Int, data: [UInt8])
    /// A service call, and the topic in its arguments, if any.
    case callService(String, topic: String?)
    /// An operation that a recorder ignores, such as `set_level` or `status`.
    case ignored
    /// An operation that a recorder does not support.
    case unsupported(String)

    /// An operation with the id from its sender, as JSON.
    package struct Envelope {
        package var operation: ClientOperation
        package var id: JSONValue?
    }

    /// Parses the text of a frame in one pass; the message of a publish is skipped, and checked when it is decoded.
    package static func parse(_ bytes: UnsafeRawBufferPointer) throws(Refusal) -> Envelope {
        var fields = Fields()
        do throws(JSONError) {
            var scanner = JSONScanner(bytes, allowsNonFinite: true)
            try scanner.beginObject()
            while let key = try scanner.nextKey() { try fields.read(key, from: &scanner) }
            try scanner.finish()
        } catch {
            throw Refusal(topic: fields.topic, "\(error)")
        }
        return Envelope(operation: try operation(fields), id: fields.id)
    }

    private static func operation(_ fields: Fields) throws(Refusal) -> ClientOperation {
        switch fields.op {
        case "publish":
            return .publish(topic: try fields.require(fields.topic, "topic"), messageOffset: fields.messageOffset)
        case "advertise":
            return .advertise(
                topic: try fields.require(fields.topic, "topic"),
                type: try fields.require(fields.type, "type"),
                isLatched: fields.isLatched,
                queueSize: Int(clamping: fields.queueSize ?? 100)
            )
        case "unadvertise":
            return .unadvertise(topic: fields.topic)
        case "fragment":
            guard let id = fields.id?.string ?? fields.id?.integer.map(String.init), let number = fields.number,
                let total = fields.total, let data = fields.data
            else { throw Refusal("fragment: expected id, num, total and data, found less") }
            return .fragment(id: id, number: Int(clamping: number), total: Int(clamping: total), data: data)
        case "call_service":
            return .callService(try fields.require(fields.service, "service"), topic: fields.argumentTopic)
        case "set_level", "status", "unsubscribe", "service_response":
            return .ignored
        case let op?:
            return .unsupported(op)
        case nil:
            let found = fields.isOfArvos ? "a message of Arvos, which `record --arvos` receives" : "none"
            throw Refusal("operation: expected \"op\", found \(found)")
        }
    }
}

/// The members of any operation that matter here.
private struct Fields {
    var op: String?
    var id: JSONValue?
    var topic: String?
    var type: String?
    var service: String?
    var argumentTopic: String?
    var isLatched = false
    var isOfArvos = false
    var queueSize: Int64?
    var messageOffset: Int?
    var number: Int64?
    var total: Int64?
    var data: [UInt8]?

    mutating func read(_ key: JSONString, from scanner: inout JSONScanner) throws(JSONError) {
        switch key {
        case "op": op = try scanner.string()
        case "id": id = try scanner.value(limit: 10)
        case "topic": topic = try scanner.string()
        case "type": type = try scanner.string()
        case "service": service = try scanner.string()
        case "args": argumentTopic = try Self.topic(inArguments: &scanner)
        case "latch": isLatched = try scanner.value(limit: 10).bool ?? false
        case "sensorType":
            isOfArvos = true
            try scanner.skipValue()
        case "queue_size": queueSize = try scanner.value(limit: 10).integer
        case "msg":
            _ = try scanner.peek()
            messageOffset = scanner.offset
            try scanner.skipValue()
        case "num": number = try scanner.integer()
        case "total": total = try scanner.integer()
        case "data": data = Array(try scanner.string().utf8)
        default: try scanner.skipValue()
        }
    }

    /// Reads `{"topic": NAME}` or `[NAME]`, and skips everything else.
    private static func topic(inArguments scanner: inout JSONScanner) throws(JSONError) -> String? {
        var topic: String?
        switch try scanner.peek() {
        case .object:
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if key == "topic", try scanner.peek() == .string {
                    topic = try scanner.string()
                } else {
                    try scanner.skipValue()
                }
            }
        case .array:
            try scanner.beginArray()
            while try scanner.nextElement() {
                if topic == nil, try scanner.peek() == .string {
                    topic = try scanner.string()
                } else {
                    try scanner.skipValue()
                }
            }
        default: try scanner.skipValue()
        }
        return topic
    }

    func require(_ value: String?, _ name: String) throws(Refusal) -> String {
        guard let value, !value.isEmpty else {
            throw Refusal(topic: topic, "\(op ?? "operation"): expected \"\(name)\", found none")
        }
        return value
    }
}

/// The services of a recorder: the few of rosapi that a publisher calls.
struct ServiceAnswer {
    /// The node name that the recorder reports as subscriber.
    static let nodeName = "/mapeverything_record"

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
