import Text

/// Builds one JSON object as compact text, in the order in which its fields are added.
package struct JSONLine: Sendable {
    package private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    package init() {}

    /// The whole object.
    package var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Adds text that is JSON already.
    package mutating func add(_ key: String, json: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += "\"\(key)\":\(json)".utf8
    }

    package mutating func add(_ key: String, _ value: Int) { add(key, json: String(value)) }
    package mutating func add(_ key: String, _ value: Bool) { add(key, json: value ? "true" : "false") }
    package mutating func add(_ key: String, _ value: Double) { add(key, json: JSONLine.number(value)) }
    package mutating func add(_ key: String, _ values: [Double]) { add(key, json: JSONLine.array(values)) }
    package mutating func add(_ key: String, _ value: Vector3) { add(key, [value.x, value.y, value.z]) }
    package mutating func add(_ key: String, _ value: GridSize) { add(key, json: "[\(value.width),\(value.height)]") }
    package mutating func add(_ key: String, _ value: JSONLine) {
        add(key, json: String(decoding: value.closed, as: UTF8.self))
    }
    package mutating func add(_ key: String, string value: String) { add(key, json: JSONLine.quoted(value)) }

    package mutating func add(_ key: String, _ values: [JSONLine]) {
        add(key, json: "[" + values.map { String(decoding: $0.closed, as: UTF8.self) }.joined(separator: ",") + "]")
    }

    /// The shortest digits that read back as the same number; numbers here are always finite.
    package static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e15 ? String(Int(value)) : String(value)
    }

    package static func array(_ values: [Double]) -> String {
        "[" + values.map(number).joined(separator: ",") + "]"
    }

    package static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20: result += scalar.numberEscape()
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}

extension Double {
    /// The nearest single-precision number, as a phone that computes in those writes it.
    package var inSinglePrecision: Double { Double(Float(self)) }
}

/// Nanoseconds as seconds with all nine decimals, exact.
package func decimalSeconds(_ nanoseconds: Int64) -> String {
    let (seconds, rest) = nanoseconds.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
    return (nanoseconds < 0 ? "-" : "") + "\(seconds).\(padded(Int(rest), 9))"
}
