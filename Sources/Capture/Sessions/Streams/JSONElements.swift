import JSONText

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
