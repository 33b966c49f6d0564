extension JSONValue {
    /// How many values a tree may have unless the caller says otherwise.
    package static let defaultValueLimit = 1_000_000

    /// Reads a whole text as one value.
    ///
    /// Nesting is limited by ``JSONScanner/maximumDepth``, the number of values by `valueLimit`: a tree takes many times
    /// the bytes of its text.
    package static func parse(
        _ bytes: UnsafeRawBufferPointer,
        valueLimit: Int = defaultValueLimit,
        allowsNonFinite: Bool = false
    ) throws(JSONError) -> JSONValue {
        var scanner = JSONScanner(bytes, allowsNonFinite: allowsNonFinite)
        let value = try scanner.value(limit: valueLimit)
        try scanner.finish()
        return value
    }

    /// Reads a whole text as one value.
    package static func parse(
        _ bytes: [UInt8],
        valueLimit: Int = defaultValueLimit,
        allowsNonFinite: Bool = false
    ) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            try parse(UnsafeRawBufferPointer(buffer), valueLimit: valueLimit, allowsNonFinite: allowsNonFinite)
        }
    }

    /// Reads a whole text as one value.
    package static func parse(
        _ text: String,
        valueLimit: Int = defaultValueLimit,
        allowsNonFinite: Bool = false
    ) throws(JSONError) -> JSONValue {
        try parse(Array(text.utf8), valueLimit: valueLimit, allowsNonFinite: allowsNonFinite)
    }
}

extension JSONScanner {
    /// Reads the next value of any kind as a tree of at most `limit` values.
    package mutating func value(limit: Int = JSONValue.defaultValueLimit) throws(JSONError) -> JSONValue {
        var remaining = limit
        return try value(remaining: &remaining, limit: limit)
    }

    private mutating func value(remaining: inout Int, limit: Int) throws(JSONError) -> JSONValue {
        let kind = try peek()
        guard remaining > 0 else { throw unexpected("at most \(limit) values") }
        remaining -= 1
        switch kind {
        case .object:
            var members: [JSONObject.Member] = []
            try beginObject()
            while let key = try nextKey()?.string {
                members.append(JSONObject.Member(key: key, value: try value(remaining: &remaining, limit: limit)))
            }
            return .object(JSONObject(members))
        case .array:
            var values: [JSONValue] = []
            try beginArray()
            while try nextElement() { values.append(try value(remaining: &remaining, limit: limit)) }
            return .array(values)
        case .string: return .string(try string())
        case .bool: return .bool(try bool())
        case .number: return try numberValue()
        case .null:
            try null()
            return .null
        }
    }

    private mutating func numberValue() throws(JSONError) -> JSONValue {
        guard isAtNumber else { return .number(try number()) }
        let start = offset
        let decimal = try scanNumber()
        let end = offset
        offset = start
        // "-0" is the one integer that only a floating-point number can hold.
        guard decimal.isInteger, decimal.significand > 0 || !decimal.isNegative else { return .number(try number()) }
        if let value = try? integer() { return .integer(value) }
        offset = start
        if let value = try? unsignedInteger(), offset == end { return .unsignedInteger(value) }
        offset = start
        return .number(try number())
    }
}
