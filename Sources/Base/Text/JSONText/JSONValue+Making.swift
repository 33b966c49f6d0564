/// Values of optionals and of pairs; nil becomes null.
extension JSONValue {
    package static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    package static func integer(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

    package static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

    package static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

    package static func string(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    package static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    /// Members in the order of their keys.
    package static func object<Value>(sorted values: [String: Value], _ json: (Value) -> JSONValue) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }
}
