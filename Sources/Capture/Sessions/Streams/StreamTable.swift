import Text

/// The fields of one stream of JSON lines, each listed once: parsing, check and repair read this list.
struct StreamTable<Line: Sendable>: Sendable {
    let file: String
    let fields: [StreamField<Line>]
    /// The name of the object that the fields are in, which precedes theirs in problems.
    private let prefix: String
    /// The values of fields that are absent.
    private let blank: Line
    /// The kinds of problem where a required field is absent, or does not read.
    private let damage: (missing: ProblemKind, bad: ProblemKind)
    /// The place of the first field among those of the whole line.
    private let firstPlace: Int
    /// Takes the members of a line that are no fields, as JSON text; `nil` where they mean nothing.
    private let storeOthers: (@Sendable (inout Line, String) -> Void)?

    /// - Parameters:
    ///   - firstPlace: more than 0 where fields of another table stand before these in the same line.
    ///   - others: takes the members of a line that are no fields, as JSON text without braces.
    init(
        file: String,
        prefix: String = "",
        blank: Line,
        missing: ProblemKind = .badOptionalField,
        bad: ProblemKind = .badOptionalField,
        firstPlace: Int = 0,
        others: (@Sendable (inout Line, String) -> Void)? = nil,
        _ fields: [StreamField<Line>]
    ) {
        storeOthers = others
        self.file = file
        self.prefix = prefix
        self.blank = blank
        self.damage = (missing, bad)
        self.firstPlace = firstPlace
        self.fields = fields
    }

    var names: [StaticString] { fields.map(\.name) }

    var keepsOthers: Bool { storeOthers != nil }

    /// True if the first field, the time, is there.
    func hasTime(_ values: LineValues) -> Bool { values[firstPlace] != nil }

    /// Reads all fields; an optional one that does not read is absent.
    ///
    /// - Throws: what is wrong with the first required field that is absent or does not read.
    func read(_ values: LineValues) throws(Problem) -> Line {
        var line = blank
        for (index, field) in fields.enumerated() {
            guard let text = values[firstPlace + index] else {
                guard field.isRequired, !hasSubstitute(field, values) else { continue }
                throw problem(damage.missing, field, values, field.expected, "no such field")
            }
            if let both = values.contradiction(firstPlace + index) {
                guard field.isRequired else { continue }
                throw problem(damage.bad, field, values, "the key once", both)
            }
            do throws(Problem) {
                if try field.store(text, &line) || !field.isRequired { continue }
            } catch {
                throw problem(error.kind, field, values, error.expected, error.found)
            }
            throw problem(damage.bad, field, values, field.expected, LineValues.excerpt(text))
        }
        if let storeOthers, !values.others.isEmpty { storeOthers(&line, values.othersText) }
        return line
    }

    private func hasSubstitute(_ field: StreamField<Line>, _ values: LineValues) -> Bool {
        guard let key = field.substitute?.description else { return false }
        return fields.firstIndex { $0.key == key }.map { values[firstPlace + $0] != nil } ?? false
    }

    /// Reads a file that is one object, where each line of the table has a file of its own.
    ///
    /// - Returns: the line, and the optional values that do not read.
    func read(_ bytes: [UInt8], of file: String) throws(Problem) -> (line: Line, odd: [Problem]) {
        let result = bytes.withUnsafeBytes { text in
            Result { () throws(Problem) in
                let values = try LineValues(text, names: names, file: file, line: nil)
                return (line: try read(values), odd: optionalProblems(values))
            }
        }
        func named(_ problem: Problem) -> Problem {
            var named = problem
            named.file = file
            return named
        }
        do throws(Problem) {
            let (line, odd) = try result.get()
            return (line, odd.map(named))
        } catch {
            throw named(error)
        }
    }

    /// The optional values that are there and do not read; `null` is as good as absent.
    func optionalProblems(_ values: LineValues) -> [Problem] {
        var line = blank
        var problems: [Problem] = []
        for (index, field) in fields.enumerated() where !field.isRequired {
            guard let text = values[firstPlace + index], !text.elementsEqual("null".utf8) else { continue }
            if let both = values.contradiction(firstPlace + index) {
                problems.append(problem(.badOptionalField, field, values, "the key once", both))
            } else if (try? field.store(text, &line)) != true {
                let found = LineValues.excerpt(text)
                problems.append(problem(.badOptionalField, field, values, field.expected, found))
            }
        }
        return problems
    }

    private func problem(
        _ kind: ProblemKind,
        _ field: StreamField<Line>,
        _ values: LineValues,
        _ expected: String,
        _ found: String
    ) -> Problem {
        Problem(kind, file: file, line: values.line, field: prefix + field.key, expected: expected, found: found)
    }
}

/// The values of one line, or of another JSON object, as they stand in the text: it is sound JSON, no value is judged yet.
///
/// A key that comes twice with different values has none: which one is meant is unknown.
struct LineValues {
    /// From 1; `nil` for an object that is no line of a stream.
    let line: Int?
    /// As many as the longest table has fields, that of radio.jsonl.
    private var values: [36 of UnsafeRawBufferPointer?]
    /// Keys and values that no table knows, where they are asked for.
    private(set) var others: [(key: String, text: UnsafeRawBufferPointer)] = []
    /// Other values of keys that come again.
    private var contradictions: [(place: Int, text: UnsafeRawBufferPointer)] = []

    /// Scans the text once; keys other than these names are passed over, or kept as ``others``.
    init(
        _ bytes: UnsafeRawBufferPointer,
        names: [StaticString],
        file: String,
        line: Int?,
        keepsOthers: Bool = false
    ) throws(Problem) {
        self.line = line
        values = .init(repeating: nil)
        var scanner = JSONScanner(bytes, allowsNonFinite: true)
        do {
            try scanner.beginObject()
            var last = names.count - 1
            while let key = try scanner.nextKey() {
                let place = Self.place(of: key, in: names, after: last)
                let value = try scanner.rawValue()
                guard let place else {
                    if keepsOthers { others.append((key.string, value)) }
                    continue
                }
                last = place
                if let earlier = values[place] {
                    if !earlier.elementsEqual(value) { contradictions.append((place, value)) }
                } else {
                    values[place] = value
                }
            }
            try scanner.finish()
        } catch {
            let expected = "\(error.expected) at byte \(error.offset) of a JSON object"
            throw Problem(.unreadableLine, file: file, line: line, expected: expected, found: error.found)
        }
    }

    /// The lines of a stream have their keys in the same order, so that the next name is tried first.
    private static func place(of key: JSONString, in names: [StaticString], after last: Int) -> Int? {
        var place = last
        for _ in names {
            place = place + 1 < names.count ? place + 1 : 0
            if key == names[place] { return place }
        }
        return nil
    }

    /// The value of the field at a place of the list of names.
    subscript(place: Int) -> UnsafeRawBufferPointer? { values[place] }

    /// Both values of a key that comes twice with different ones.
    func contradiction(_ place: Int) -> String? {
        guard let other = contradictions.first(where: { $0.place == place }), let text = values[place] else {
            return nil
        }
        return "\(Self.excerpt(text)) and \(Self.excerpt(other.text))"
    }

    /// The other members, as they stand in the text.
    var othersText: String {
        others.map { "\(JSONValue.string($0.key).text()):\(String(decoding: $0.text, as: UTF8.self))" }
            .joined(separator: ",")
    }

    /// The value as text, shortened.
    static func excerpt(_ text: UnsafeRawBufferPointer) -> String {
        let limit = 60
        let start = String(decoding: text.prefix(limit), as: UTF8.self)
        return text.count > limit ? start + "…" : start
    }
}

/// The values of a JSON array one by one; there may be no array at all.
struct JSONElements {
    private var scanner: JSONScanner?

    init(_ text: UnsafeRawBufferPointer?) {
        guard let text else { return }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        guard (try? scanner.peek()) == .array, (try? scanner.beginArray()) != nil else { return }
        self.scanner = scanner
    }

    /// True if there is an array.
    var isThere: Bool { scanner != nil }

    /// The text of the next element; `nil` at the end.
    mutating func next() -> UnsafeRawBufferPointer? {
        guard var scanner, (try? scanner.nextElement()) == true, let value = try? scanner.rawValue() else { return nil }
        self.scanner = scanner
        return value
    }

    /// The next element as one kind of value: `nil` at the end, and `.some(nil)` where it is another.
    mutating func next<Value>(_ kind: FieldKind<Value>) -> Value?? {
        guard let text = next() else { return .none }
        var scanner = JSONScanner(text, allowsNonFinite: true)
        return .some((try? kind.read(&scanner)) ?? nil)
    }
}

extension UnsafeRawBufferPointer {
    /// True if the beginning of a JSON text has a key, whether or not the text is sound.
    func mentions(_ key: String) -> Bool { String(decoding: prefix(1 << 16), as: UTF8.self).contains("\"\(key)\"") }
}
