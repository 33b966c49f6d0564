import Messages
import Text

/// The text messages of a server.
enum FoxgloveText {
    static func serverInfo(_ options: FoxgloveOptions) -> [UInt8] {
        let player = ["playbackControl", "parameters", "parametersSubscribe"]
        var members: [(String, JSONValue)] = [
            ("op", "serverInfo"), ("name", .string(options.name)),
            ("capabilities", .strings(["time"] + (options.span == nil ? [] : player))),
            ("metadata", .object(options.metadata.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("sessionId", .string(options.sessionID)),
        ]
        if let span = options.span {
            members += [("dataStartTime", time(span.lowerBound)), ("dataEndTime", time(span.upperBound))]
        }
        return bytes(.object(members))
    }

    /// At most a hundred channels a message, as the SDK has it; the channel of a topic is its place in the list, from 1.
    static func advertisements(_ topics: [Topic], _ places: Range<Int>) -> [[UInt8]] {
        stride(from: places.lowerBound, to: places.upperBound, by: 100).map { start in
            let channels = (start..<min(start + 100, places.upperBound)).map { index in
                JSONValue.object([
                    ("id", .integer(index + 1)), ("topic", .string(topics[index].name)), ("encoding", "cdr"),
                    ("schemaName", .string(topics[index].typeName)), ("schemaEncoding", "ros2msg"),
                    ("schema", .string(topics[index].type.definitionText)),
                ])
            }
            return bytes(.object([("op", "advertise"), ("channels", .array(channels))]))
        }
    }

    static func status(_ problem: FoxgloveProblem, id: String? = nil) -> [UInt8] {
        var members: [(String, JSONValue)] = [
            ("op", "status"), ("level", .integer(problem.level)), ("message", .string(problem.message)),
        ]
        if let id { members.append(("id", .string(id))) }
        return bytes(.object(members))
    }

    static func removeStatus(_ id: String) -> [UInt8] {
        bytes(.object([("op", "removeStatus"), ("statusIds", .strings([id]))]))
    }

    static func parameters(_ values: [(name: String, value: JSONValue)], id: String?) -> [UInt8] {
        let parameters = values.map { name, value in
            var members: [(String, JSONValue)] = [("name", .string(name)), ("value", value)]
            if value.number != nil { members.append(("type", "float64")) }
            return JSONValue.object(members)
        }
        var members: [(String, JSONValue)] = [("op", "parameterValues"), ("parameters", .array(parameters))]
        if let id { members.append(("id", .string(id))) }
        return bytes(.object(members))
    }

    private static func time(_ nanoseconds: Int64) -> JSONValue {
        let (seconds, rest) = max(0, nanoseconds).quotientAndRemainder(dividingBy: 1_000_000_000)
        return .object([("sec", .integer(seconds)), ("nsec", .integer(rest))])
    }

    private static func bytes(_ value: JSONValue) -> [UInt8] { Array(value.text().utf8) }
}
