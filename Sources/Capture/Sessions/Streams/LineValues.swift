import JSONText

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
