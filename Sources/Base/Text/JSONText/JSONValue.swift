/// A JSON value as a tree, for small documents: settings, reports, status messages.
package indirect enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer above the largest `Int64`.
    case unsignedInteger(UInt64)
    /// A number with a fraction or an exponent, or an integer of more than 64 bits.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    /// An object with its members in the order given.
    package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(key: $0.key, value: $0.value) }))
    }

    /// The member of that name, if this is an object that has one.
    package subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    package var string: String? {
        if case .string(let value) = self { value } else { nil }
    }

    package var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    package var array: [JSONValue]? {
        if case .array(let values) = self { values } else { nil }
    }

    package var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The value of any number.
    package var number: Double? {
        switch self {
        case .number(let value): value
        case .integer(let value): Double(value)
        case .unsignedInteger(let value): Double(value)
        default: nil
        }
    }

    /// The value of an integer; 640.0 is none.
    package var integer: Int64? {
        if case .integer(let value) = self { value } else { nil }
    }

    package var isNull: Bool { self == .null }
}

/// The members of a JSON object, in the order of the text.
package struct JSONObject: Hashable, Sendable {
    package struct Member: Hashable, Sendable {
        package var key: String
        package var value: JSONValue

        package init(key: String, value: JSONValue) {
            self.key = key
            self.value = value
        }
    }

    package var members: [Member]

    package init(_ members: [Member] = []) {
        self.members = members
    }

    package var keys: [String] { members.map(\.key) }

    /// The value of a key; the last one, as most readers have it, if the text names the key twice.
    package subscript(key: String) -> JSONValue? {
        members.last { $0.key == key }?.value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(nilLiteral: ()) { self = .null }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }
}

/// Values of optionals and of pairs; nil becomes null.
extension JSONValue {
    package static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    package static func integer(_ value: Int?) -> JSONValue { value.map { .integer(Int64($0)) } ?? .null }

    package static func integer(_ value: Int64?) -> JSONValue { value.map { .integer($0) } ?? .null }

    package static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }

    package static func string(_ value: String?) -> JSONValue { value.map { .string($0) } ?? .null }

    package static func numbers(_ values: [Double]) -> JSONValue { .array(values.map { .number($0) }) }

    package static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }

    package static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    /// Members in the order of their keys.
    package static func object<Value>(sorted values: [String: Value], _ json: (Value) -> JSONValue) -> JSONValue {
        .object(values.sorted { $0.key < $1.key }.map { ($0.key, json($0.value)) })
    }
}
