import Messages
package import Text

/// Binary frames of Foxglove's WebSocket protocol, little endian (its specification of 2025; the SDK 0.30 sends the same).
package enum FoxgloveFrames {
    /// The header before the CDR of a message: 0x01, the subscription, and the time in nanoseconds since 1970.
    package static func messageHead(subscription: UInt32, timeNanoseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(13)
        bytes.append(0x01)
        append(subscription, to: &bytes)
        append(UInt64(bitPattern: timeNanoseconds), to: &bytes)
        return bytes
    }

    /// 0x02: the time of what follows.
    package static func time(_ nanoseconds: Int64) -> [UInt8] {
        var bytes: [UInt8] = [0x02]
        append(UInt64(bitPattern: nanoseconds), to: &bytes)
        return bytes
    }

    /// 0x05: how the playback stands.
    package static func state(_ state: FoxglovePlaybackState) -> [UInt8] {
        var bytes: [UInt8] = [0x05, state.status.rawValue]
        append(UInt64(bitPattern: state.timeNanoseconds), to: &bytes)
        append(Float(state.speed).bitPattern, to: &bytes)
        bytes.append(state.didSeek ? 1 : 0)
        append(UInt32(clamping: state.requestID.utf8.count), to: &bytes)
        bytes += state.requestID.utf8
        return bytes
    }

    private static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
    }
}

/// How a playback stands, as clients are told.
package struct FoxglovePlaybackState: Sendable, Hashable {
    package enum Status: UInt8, Sendable {
        case playing = 0
        case paused = 1
        case ended = 3
    }

    package var status: Status
    package var timeNanoseconds: Int64
    package var speed: Double
    package var didSeek = false
    /// That of the request it answers; empty for none.
    package var requestID = ""

    package init(status: Status, timeNanoseconds: Int64, speed: Double) {
        self.status = status
        self.timeNanoseconds = timeNanoseconds
        self.speed = speed
    }
}

/// A client's request for the playback, applied in this order: the place, the speed, playing or pausing.
package struct FoxglovePlaybackRequest: Sendable, Hashable {
    package var plays: Bool
    package var speed: Double
    package var seekNanoseconds: Int64?
    package var requestID: String

    private static let longestID = 1000

    /// The request that a parameter stands for.
    init(plays: Bool, speed: Double, seekNanoseconds: Int64) {
        self.plays = plays
        self.speed = speed
        self.seekNanoseconds = seekNanoseconds
        requestID = ""
    }

    /// - Parameter bytes: A frame without its first byte, which was 0x03.
    /// - Throws: a ``FoxgloveProblem`` for what is no request.
    package init(_ bytes: ArraySlice<UInt8>) throws(FoxgloveProblem) {
        var rest = bytes
        func take(_ count: Int) throws(FoxgloveProblem) -> UInt64 {
            guard rest.count >= count else {
                let found = "expected 18 bytes, found \(bytes.count)"
                throw FoxgloveProblem("Invalid message: playback control request: \(found)")
            }
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        let command = try take(1)
        guard command <= 1 else { throw FoxgloveProblem("Invalid message: playback command \(command)") }
        plays = command == 0
        speed = Double(Float(bitPattern: UInt32(truncatingIfNeeded: try take(4))))
        let hasSeek = try take(1) != 0
        let place = try take(8)
        seekNanoseconds = hasSeek ? Int64(clamping: place) : nil
        let length = try take(4)
        guard rest.count >= length else {
            throw FoxgloveProblem("Invalid message: request id: expected \(length) bytes, found \(rest.count)")
        }
        // All clients are told of it.
        guard length <= Self.longestID else {
            throw FoxgloveProblem(
                "Invalid message: request id: expected at most \(Self.longestID) bytes, found \(length)"
            )
        }
        guard let requestID = String(validating: rest.prefix(Int(length)), as: UTF8.self) else {
            throw FoxgloveProblem("Invalid message: request id: expected UTF-8, found other bytes")
        }
        self.requestID = requestID
    }
}

/// A problem with a request; the client is told, and stays connected.
package struct FoxgloveProblem: Error, Hashable {
    /// The level of a status: 0 for information, 1 for a warning, 2 for an error.
    package var level = 2
    package var message: String

    package init(_ message: String, level: Int = 2) { (self.message, self.level) = (message, level) }
}

/// A request that a client sends as text.
package enum FoxgloveRequest: Sendable, Equatable {
    package struct Subscription: Sendable, Hashable {
        package var id: UInt32
        package var channel: UInt64

        package init(id: UInt32, channel: UInt64) { (self.id, self.channel) = (id, channel) }
    }

    /// The entries that can be read, and how many cannot.
    case subscribe([Subscription], unreadable: Int)
    case unsubscribe([UInt32])
    case getParameters(names: [String], id: String?)
    case setParameters([Parameter], id: String?)
    case subscribeParameters(names: [String])
    case unsubscribeParameters(names: [String])
    /// Known to the protocol, and not offered here.
    case notOffered(op: String)

    package struct Parameter: Sendable, Equatable {
        package var name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) { (self.name, self.value) = (name, value) }
    }

    private static let mostEntries = 10_000

    /// - Throws: a ``FoxgloveProblem`` for what is no request.
    package init(_ bytes: [UInt8]) throws(FoxgloveProblem) {
        let root: JSONValue
        do throws(JSONError) {
            root = try JSONValue.parse(bytes, valueLimit: 100_000)
        } catch {
            throw FoxgloveProblem("Invalid message: \(error)")
        }
        guard let op = root["op"]?.string else { throw FoxgloveProblem("Invalid message: missing op") }
        let id = root["id"]?.string
        switch op {
        case "subscribe":
            let entries = try Self.list(root, "subscriptions")
            let readable = entries.compactMap { entry -> Subscription? in
                guard let id = entry["id"]?.integer.flatMap(UInt32.init(exactly:)),
                    let channel = entry["channelId"]?.integer.flatMap(UInt64.init(exactly:))
                else { return nil }
                return Subscription(id: id, channel: channel)
            }
            self = .subscribe(readable, unreadable: entries.count - readable.count)
        case "unsubscribe":
            let ids = try Self.list(root, "subscriptionIds")
            self = .unsubscribe(ids.compactMap { $0.integer.flatMap(UInt32.init(exactly:)) })
        case "getParameters": self = .getParameters(names: try Self.names(root), id: id)
        case "setParameters":
            let parameters = try Self.list(root, "parameters").compactMap { entry in
                entry["name"]?.string.map { Parameter(name: $0, value: entry["value"] ?? .null) }
            }
            self = .setParameters(parameters, id: id)
        case "subscribeParameterUpdates": self = .subscribeParameters(names: try Self.names(root))
        case "unsubscribeParameterUpdates": self = .unsubscribeParameters(names: try Self.names(root))
        case "advertise", "unadvertise", "fetchAsset", "subscribeConnectionGraph", "unsubscribeConnectionGraph":
            self = .notOffered(op: op)
        default: throw FoxgloveProblem("Invalid message: unknown op \(op.prefix(100))")
        }
    }

    private static func list(_ root: JSONValue, _ key: String) throws(FoxgloveProblem) -> [JSONValue] {
        guard let list = root[key]?.array, list.count <= mostEntries else {
            throw FoxgloveProblem("Invalid message: expected a list of at most \(mostEntries) \(key)")
        }
        return list
    }

    private static func names(_ root: JSONValue) throws(FoxgloveProblem) -> [String] {
        try list(root, "parameterNames").compactMap(\.string)
    }
}

/// The text messages of a server.
enum FoxgloveText {
    static func serverInfo(_ options: FoxgloveOptions) -> [UInt8] {
        let parameters = ["parameters", "parametersSubscribe"]
        let more = options.span != nil ? ["playbackControl"] + parameters : options.recording != nil ? parameters : []
        var members: [(String, JSONValue)] = [
            ("op", "serverInfo"), ("name", .string(options.name)),
            ("capabilities", .strings(["time"] + more)),
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
