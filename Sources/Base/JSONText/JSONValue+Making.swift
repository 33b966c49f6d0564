import JSONText

/// JSON of what reports are made of; nil becomes null.
extension JSONValue {
    static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    static func integer(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

    static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

    static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

    static func string(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    /// Members in the order of their keys.
    static func object<Value>(sorted values: [String: Value], _ json: (Value) -> JSONValue) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }
}
