package import Text

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
