package import Text

/// Reads the `msg` object of rosbridge into a message of a layout, by the rules of rosbridge's own conversion.
struct DynamicJSONReader {
    private(set) var scanner: JSONScanner
    private(set) var unknown: UnknownFields
    /// The fields that lead to the object being read, without indices.
    private var path: [String] = []
    private var remainingMessages = SchemaLimits.nestedMessages

    init(scanner: JSONScanner, unknown: UnknownFields) {
        self.scanner = scanner
        self.unknown = unknown
    }

    /// Reads the object that comes next; what it does not have keeps its default.
    mutating func message(_ layout: MessageLayout) throws(JSONMismatch) -> DynamicMessage {
        guard remainingMessages > 0 else {
            throw JSONMismatch(scanner.unexpected("at most \(SchemaLimits.nestedMessages) nested messages"))
        }
        remainingMessages -= 1
        if let now = unknown.now, layout.typeName == Time.typeName,
            try reading(&scanner, { (scanner) throws(JSONError) in try scanner.passNow() })
        {
            return layout.time(now)
        }
        var slots = [DynamicValue?](repeating: nil, count: layout.fields.count)
        if let now = unknown.now, layout.typeName == Header.typeName, let index = layout.index(of: "stamp"),
            case .message(let time) = layout.fields[index].element
        {
            slots[index] = .message(time.time(now))
        }
        var aliased: [(index: Int, alias: String, value: DynamicValue)] = []
        var expectedIndex = 0
        try reading(&scanner) { (scanner) throws(JSONError) in try scanner.beginObject() }
        while let key = try reading(&scanner, { (scanner) throws(JSONError) in try scanner.nextKey() }) {
            if let index = layout.index(of: key, near: expectedIndex) {
                slots[index] = try value(layout.fields[index])
                expectedIndex = index + 1
            } else if !layout.aliases.isEmpty, let index = layout.index(ofAlias: key.string) {
                aliased.append((index, key.string, try value(layout.fields[index])))
            } else {
                try notice(key.string, in: layout)
                try reading(&scanner) { (scanner) throws(JSONError) in try scanner.skipValue() }
            }
        }
        for (index, alias, value) in aliased {
            if slots[index] == nil { slots[index] = value } else { try notice(alias, in: layout) }
        }
        return DynamicMessage(layout: layout, values: try filled(slots, layout))
    }

    /// Judges a key that no field has.
    private mutating func notice(_ key: String, in layout: MessageLayout) throws(JSONMismatch) {
        if unknown.isStrict {
            let expected = "a field of \(layout.typeName)"
            throw JSONMismatch(JSONError(offset: scanner.offset, expected: expected, found: quoted(key)))
        }
        unknown.count((path + [key]).joined(separator: "."))
    }

    /// The values with defaults where there are none.
    private func filled(_ slots: [DynamicValue?], _ layout: MessageLayout) throws(JSONMismatch) -> [DynamicValue] {
        var values: [DynamicValue] = []
        values.reserveCapacity(slots.count)
        for index in slots.indices {
            guard let value = slots[index] ?? layout.fields[index].defaultValue else {
                let expected = "a value, as its default of fixed arrays is too large"
                throw JSONMismatch(
                    path: layout.fields[index].name,
                    JSONError(offset: scanner.offset, expected: expected, found: "none")
                )
            }
            values.append(value)
        }
        return values
    }

    private mutating func value(_ field: FieldLayout) throws(JSONMismatch) -> DynamicValue {
        do throws(JSONMismatch) {
            switch (field.element, field.shape) {
            case (.number(let kind), .single): return try number(kind.storage)
            case (.number(let kind), _): return try numbers(kind, field)
            case (.string(let bound), .single): return .string(try string(bound))
            case (.string(let bound), _):
                return .strings(try list(field) { (reader) throws(JSONMismatch) in try reader.string(bound) })
            case (.message(let layout), let shape):
                path.append(field.name)
                defer { path.removeLast() }
                if shape == .single { return .message(try message(layout)) }
                return .messages(try messages(layout, field))
            }
        } catch { throw error.inside(field.name) }
    }

    private mutating func number<P: PackedPrimitive>(_ type: P.Type) throws(JSONMismatch) -> DynamicValue {
        P.value(try reading(&scanner) { (scanner) throws(JSONError) in try P.decode(from: &scanner) })
    }

    /// Reads an array of numbers: base64 or a list for uint8[] and char[], a list for all others.
    private mutating func numbers(_ kind: NumberKind, _ field: FieldLayout) throws(JSONMismatch) -> DynamicValue {
        let start = scanner.offset
        var fixedCount: Int?
        if case .array(let count) = field.shape {
            // No element takes less than a byte of text.
            guard count <= scanner.bytes.count - scanner.offset else {
                throw JSONMismatch(scanner.unexpected("an array of \(count)"))
            }
            fixedCount = count
        }
        let value: DynamicValue
        if kind == .byte {
            let bytes = try reading(&scanner) { (scanner) throws(JSONError) in
                try ROSByte.decodeArray(count: fixedCount, from: &scanner)
            }
            value = .bytes(bytes.map(\.rawValue))
        } else {
            value = try packed(kind.storage, fixedCount)
        }
        if case .sequence(let limit?) = field.shape, let count = value.count, count > limit {
            let expected = "an array of at most \(limit)"
            throw JSONMismatch(JSONError(offset: start, expected: expected, found: "\(count) elements"))
        }
        return value
    }

    private mutating func packed<P: PackedPrimitive>(_ type: P.Type, _ count: Int?) throws(JSONMismatch) -> DynamicValue
    {
        P.value(
            try reading(&scanner) { (scanner) throws(JSONError) in
                try P.decodeArray(count: count, from: &scanner)
            }
        )
    }

    private mutating func string(_ bound: StringBound) throws(JSONMismatch) -> String {
        let start = scanner.offset
        let text = try reading(&scanner) { (scanner) throws(JSONError) in try scanner.string() }
        guard bound.admits(text) else {
            let expected = "a string of at most \(bound.limit ?? 0)"
            throw JSONMismatch(JSONError(offset: start, expected: expected, found: quoted(text)))
        }
        return text
    }

    /// Reads a list of messages, unless it would take many times the room of its text.
    private mutating func messages(
        _ layout: MessageLayout,
        _ field: FieldLayout
    ) throws(JSONMismatch) -> [DynamicMessage] {
        let start = scanner.offset
        var count = 0
        return try list(field) { (reader) throws(JSONMismatch) in
            let message = try reader.message(layout)
            count += 1
            // What is left out takes its room all the same: a few bytes of text must not become very many.
            let room = count.multipliedSaturating(by: layout.minimumSize)
            guard count <= 64 || room <= 4 * (reader.scanner.offset - start) else {
                let found = "\(count) nearly empty ones"
                throw JSONMismatch(JSONError(offset: start, expected: "elements with fields", found: found))
            }
            return message
        }
    }

    /// Reads a list of what `element` reads, of as many as the field may have.
    private mutating func list<Value>(
        _ field: FieldLayout,
        _ element: (inout DynamicJSONReader) throws(JSONMismatch) -> Value
    ) throws(JSONMismatch) -> [Value] {
        let start = scanner.offset
        var values: [Value] = []
        try reading(&scanner) { (scanner) throws(JSONError) in try scanner.beginArray() }
        while try reading(&scanner, { (scanner) throws(JSONError) in try scanner.nextElement() }) {
            do throws(JSONMismatch) {
                values.append(try element(&self))
            } catch { throw error.inside("[\(values.count)]") }
        }
        let expected: String
        switch field.shape {
        case .array(let count) where values.count != count: expected = "an array of \(count)"
        case .sequence(let limit?) where values.count > limit: expected = "an array of at most \(limit)"
        default: return values
        }
        throw JSONMismatch(JSONError(offset: start, expected: expected, found: "\(values.count) elements"))
    }
}

/// Turns an error of the text into one of the message; paths are added on the way up.
private func reading<Result>(
    _ scanner: inout JSONScanner,
    _ body: (inout JSONScanner) throws(JSONError) -> Result
) throws(JSONMismatch) -> Result {
    do throws(JSONError) {
        return try body(&scanner)
    } catch { throw JSONMismatch(error) }
}

extension MessageLayout {
    /// A message of this layout of `builtin_interfaces/msg/Time`.
    fileprivate func time(_ time: Time) -> DynamicMessage {
        let values = fields.map { field -> DynamicValue in
            field.name == "sec" ? .integer(Int64(time.sec)) : .unsigned(UInt64(time.nanosec))
        }
        return DynamicMessage(layout: self, values: values)
    }

    /// The field of a key, tried first where keys in the order of the definition have it.
    fileprivate func index(of key: JSONString, near expected: Int) -> Int? {
        if expected < fields.count, let bytes = key.bytes, bytes.elementsEqual(fields[expected].nameBytes) {
            return expected
        }
        return index(of: key.string)
    }

    fileprivate func index(ofAlias name: String) -> Int? {
        aliases.first { $0.alias == name }.flatMap { index(of: $0.field) }
    }
}

extension MessageSchema {
    /// Reads the rosbridge object that comes next as a message.
    ///
    /// Missing fields get their defaults; keys that no field has are collected, or refused if `unknown` is strict.
    package func decode(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> DynamicValue {
        var reader = DynamicJSONReader(scanner: scanner, unknown: unknown)
        defer {
            scanner = reader.scanner
            unknown = reader.unknown
        }
        return .message(try reader.message(layout))
    }

    /// Reads a text that is one rosbridge object.
    package func decode(
        json bytes: UnsafeRawBufferPointer,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> DynamicValue {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        let value = try decode(json: &scanner, unknown: &unknown)
        try reading(&scanner) { (scanner) throws(JSONError) in try scanner.finish() }
        return value
    }
}
