package import Text

/// Reads the `msg` object of rosbridge into a message, by the rules of rosbridge's own conversion.
///
/// Keys in the order of the .msg file are read in one pass. At the first that is not, the rest of the object is passed
/// over once to learn where its values are.
struct JSONMessageDecoder: FieldVisitor {
    typealias Failure = JSONMismatch

    private(set) var scanner: JSONScanner
    private(set) var unknown: UnknownFields
    /// The fields that lead to this object, without indices.
    private let path: [StaticString]
    /// The key whose value the scanner stands before.
    private var pending: JSONString?
    /// Members that were passed over, and where their values are.
    private var passed: [(key: JSONString, offset: Int)] = []
    private var aliases: [JSONAlias] = []
    /// True if a value was read where it stood, before what follows was known.
    private var hasReadInOrder = false

    init(scanner: JSONScanner, unknown: UnknownFields, path: [StaticString] = []) {
        self.scanner = scanner
        self.unknown = unknown
        self.path = path
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) throws(JSONMismatch) {
        try member(name) { (scanner, _) throws(JSONMismatch) in
            value = try reading { () throws(JSONError) in try P.decode(from: &scanner) }
        }
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) throws(JSONMismatch) {
        try member(name) { (scanner, _) throws(JSONMismatch) in
            values = try reading { () throws(JSONError) in try P.decodeArray(count: nil, from: &scanner) }
        }
    }

    mutating func field<let count: Int, P: Primitive>(
        _ name: StaticString,
        _ values: inout [count of P]
    ) throws(JSONMismatch) {
        try member(name) { (scanner, _) throws(JSONMismatch) in
            let decoded = try reading { () throws(JSONError) in try P.decodeArray(count: count, from: &scanner) }
            for index in 0..<count { values[index] = decoded[index] }
        }
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) throws(JSONMismatch) {
        let path = path + [name]
        try member(name) { (scanner, unknown) throws(JSONMismatch) in
            try decodeObject(&value, from: &scanner, unknown: &unknown, path: path)
        }
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) throws(JSONMismatch) {
        let path = path + [name]
        try member(name) { (scanner, unknown) throws(JSONMismatch) in
            values = try decodeObjects(count: nil, from: &scanner, unknown: &unknown, path: path)
        }
    }

    mutating func field<let count: Int, M: Message>(
        _ name: StaticString,
        _ values: inout [count of M]
    ) throws(JSONMismatch) {
        let path = path + [name]
        try member(name) { (scanner, unknown) throws(JSONMismatch) in
            let decoded: [M] = try decodeObjects(count: count, from: &scanner, unknown: &unknown, path: path)
            for index in 0..<count { values[index] = decoded[index] }
        }
    }

    /// Reads one object into the message, and judges the keys that no field asked for.
    fileprivate mutating func decode<M: Message>(_ message: inout M) throws(JSONMismatch) {
        aliases = M.jsonAliases
        let start = (scanner: scanner, unknown: unknown, message: message)
        try begin()
        try message.visit(&self)
        try passRest()
        if hasReadInOrder, passedField(of: M.self) {
            // Of a key that comes twice the last one counts, as in a dictionary that is made of an object.
            (scanner, unknown, message) = start
            passed.removeAll()
            try begin()
            try passRest()
            try message.visit(&self)
        }
        for (key, offset) in passed {
            if unknown.isStrict {
                let found = "\"\(key.string)\""
                throw JSONMismatch(JSONError(offset: offset, expected: "a field of \(M.typeName)", found: found))
            }
            unknown.count((path.map(\.description) + [key.string]).joined(separator: "."))
        }
    }

    private mutating func begin() throws(JSONMismatch) {
        try reading { () throws(JSONError) in
            try scanner.beginObject()
            pending = try scanner.nextKey()
        }
    }

    /// True if a member that no field asked for has the name of one: it came before.
    private func passedField<M: Message>(of type: M.Type) -> Bool {
        guard !passed.isEmpty else { return false }
        let names = CompiledDefinition(of: type).fieldNames
        return passed.contains { names.contains($0.key.string) }
    }

    /// Finds the member of that name and has its value read; without one the field keeps its default.
    private mutating func member(
        _ name: StaticString,
        _ read: (inout JSONScanner, inout UnknownFields) throws(JSONMismatch) -> Void
    ) throws(JSONMismatch) {
        do throws(JSONMismatch) {
            if let key = pending, key == name {
                hasReadInOrder = true
                try read(&scanner, &unknown)
                pending = try reading { () throws(JSONError) in try scanner.nextKey() }
                return
            }
            try passRest()
            guard let index = passed.lastIndex(where: { $0.key == name }) ?? indexOfAlias(name) else { return }
            var inner = scanner.scanner(at: passed.remove(at: index).offset)
            try read(&inner, &unknown)
        } catch { throw error.inside(name.description) }
    }

    private func indexOfAlias(_ name: StaticString) -> Int? {
        guard !aliases.isEmpty, let alias = aliases.first(where: { $0.field == name.description })?.alias else {
            return nil
        }
        return passed.lastIndex { $0.key.string == alias }
    }

    /// Passes over the members that are left, noting where they are.
    private mutating func passRest() throws(JSONMismatch) {
        try reading { () throws(JSONError) in
            while let key = pending {
                passed.append((key, scanner.offset))
                try scanner.skipValue()
                pending = try scanner.nextKey()
            }
        }
    }
}

/// Reads the object that comes next.
private func decodeObject<M: Message>(
    _ value: inout M,
    from scanner: inout JSONScanner,
    unknown: inout UnknownFields,
    path: [StaticString]
) throws(JSONMismatch) {
    if let now = unknown.now {
        if M.self == Time.self, try reading({ () throws(JSONError) in try scanner.passNow() }), let now = now as? M {
            return value = now
        }
        if M.self == Header.self, let stamped = Header(stamp: now, frameID: "") as? M { value = stamped }
    }
    var decoder = JSONMessageDecoder(scanner: scanner, unknown: unknown, path: path)
    try decoder.decode(&value)
    scanner = decoder.scanner
    unknown = decoder.unknown
}

extension JSONScanner {
    /// Passes over the text "now"; returns false before anything but a text.
    mutating func passNow() throws(JSONError) -> Bool {
        guard try peek() == .string else { return false }
        let start = offset
        guard try string() == "now" else {
            throw JSONError(offset: start, expected: "a time, or \"now\"", found: "another text")
        }
        return true
    }
}

/// Reads the array of objects that comes next, of exactly `count` if one is given.
private func decodeObjects<M: Message>(
    count: Int?,
    from scanner: inout JSONScanner,
    unknown: inout UnknownFields,
    path: [StaticString]
) throws(JSONMismatch) -> [M] {
    let start = scanner.offset
    var values: [M] = []
    try reading { () throws(JSONError) in try scanner.beginArray() }
    while try reading({ () throws(JSONError) in try scanner.nextElement() }) {
        var value = M()
        do throws(JSONMismatch) {
            try decodeObject(&value, from: &scanner, unknown: &unknown, path: path)
        } catch { throw error.inside("[\(values.count)]") }
        values.append(value)
        // What is left out takes its room all the same: a few bytes of text must not become very many.
        let room = values.count * MemoryLayout<M>.stride
        guard values.count <= 64 || room <= 4 * (scanner.offset - start) else {
            let found = "\(values.count) nearly empty ones"
            throw JSONMismatch(JSONError(offset: start, expected: "elements with fields", found: found))
        }
    }
    if let count, values.count != count {
        let found = "\(values.count) elements"
        throw JSONMismatch(JSONError(offset: start, expected: "an array of \(count)", found: found))
    }
    return values
}

/// Turns an error of the text into one of the message; paths are added on the way up.
private func reading<Result>(_ body: () throws(JSONError) -> Result) throws(JSONMismatch) -> Result {
    do throws(JSONError) {
        return try body()
    } catch { throw JSONMismatch(error) }
}

extension Message {
    package static func decoding(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> Self {
        var message = Self()
        try decodeObject(&message, from: &scanner, unknown: &unknown, path: [])
        return message
    }

    /// Reads a text that is one rosbridge object, and collects the keys that are no fields.
    package static func decoding(
        json bytes: UnsafeRawBufferPointer,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> Self {
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        let message = try decoding(json: &scanner, unknown: &unknown)
        try reading { () throws(JSONError) in try scanner.finish() }
        return message
    }
}
