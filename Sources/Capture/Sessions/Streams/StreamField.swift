import Recording
import Text

/// One field of the lines of a stream: its key, its values, and where they go.
struct StreamField<Line: Sendable>: Sendable {
    let name: StaticString
    /// True if the line is of no use without the field.
    let isRequired: Bool
    /// The field that may stand in its place.
    let substitute: StaticString?
    /// Its values in words, with unit and range.
    let expected: String
    /// Puts the value into the line; false where it does not read.
    let store: @Sendable (UnsafeRawBufferPointer, inout Line) throws(Problem) -> Bool

    var key: String { name.description }

    private init<Value>(
        _ name: StaticString,
        isRequired: Bool,
        substitute: StaticString? = nil,
        _ kind: FieldKind<Value>,
        _ set: @escaping @Sendable (inout Line, Value) throws(Problem) -> Void
    ) {
        self.name = name
        self.isRequired = isRequired
        self.substitute = substitute
        expected = kind.expected
        store = { text, line throws(Problem) in
            var scanner = JSONScanner(text, allowsNonFinite: true)
            guard let value = try? kind.read(&scanner) else { return false }
            try set(&line, value)
            return true
        }
    }

    /// A field without which the line is of no use.
    ///
    /// - Parameter substitute: another field, which may be there instead.
    static func required<Value>(
        _ name: StaticString,
        or substitute: StaticString? = nil,
        _ kind: FieldKind<Value>,
        _ set: @escaping @Sendable (inout Line, Value) throws(Problem) -> Void
    ) -> Self {
        Self(name, isRequired: true, substitute: substitute, kind, set)
    }

    /// A field that may be absent; a value that does not read costs only itself.
    static func optional<Value>(
        _ name: StaticString,
        _ kind: FieldKind<Value>,
        _ set: @escaping @Sendable (inout Line, Value) -> Void
    ) -> Self {
        Self(name, isRequired: false, kind, set)
    }
}

/// The values that a field takes.
struct FieldKind<Value>: Sendable {
    /// In words, with unit and range.
    let expected: String
    /// Reads one value; `nil` where it is JSON but none of these.
    let read: @Sendable (inout JSONScanner) throws(JSONError) -> Value?
}

extension FieldKind where Value == Timestamp {
    /// Seconds on the session's clock, as a number or as a decimal string, exact to the nanosecond.
    ///
    /// They count from when the device booted, or from 1970 in sessions of other writers.
    static var captureTime: Self {
        Self(expected: "seconds from 0 to 9.2e9") { scanner throws(JSONError) in
            let nanoseconds = try scanner.decimalNanoseconds()
            return nanoseconds >= 0 ? Timestamp(nanoseconds: nanoseconds) : nil
        }
    }
}

extension FieldKind where Value == Int64 {
    /// Seconds, as a number or as a decimal string, in nanoseconds.
    static func nanoseconds(_ expected: String, above least: Int64 = .min) -> Self {
        Self(expected: expected) { scanner throws(JSONError) in
            let time = try scanner.decimalNanoseconds()
            return time > least ? time : nil
        }
    }
}

extension FieldKind where Value == Int {
    static var wholeNumber: Self {
        Self(expected: "a whole number") { scanner throws(JSONError) in Int(try scanner.wholeNumber()) }
    }

    static func wholeNumber(_ text: String, _ range: ClosedRange<Int64>) -> Self {
        Self(expected: text) { scanner throws(JSONError) in
            let number = try scanner.wholeNumber()
            return range.contains(number) ? Int(number) : nil
        }
    }
}

extension FieldKind where Value == Int {
    /// Pixels along a side of a picture.
    static var side: Self { wholeNumber("a whole number from 1 to 16384", 1...16_384) }
}

extension GridSize {
    /// A size of which a side may be unknown.
    init?(width: Int?, height: Int?) {
        guard let width, let height else { return nil }
        self.init(width: width, height: height)
    }
}

extension FieldKind where Value == Bool {
    static var bool: Self {
        Self(expected: "true or false") { scanner throws(JSONError) in try scanner.bool() }
    }
}

extension FieldKind where Value == String {
    static func text(_ expected: String) -> Self {
        Self(expected: expected) { scanner throws(JSONError) in try scanner.string() }
    }

    /// An object, or a string that is to hold one, as text.
    static var objectText: Self {
        Self(expected: "an object, or one as a string") { scanner throws(JSONError) in
            guard try scanner.peek() == .object else { return try scanner.string() }
            return String(decoding: try scanner.rawValue(), as: UTF8.self)
        }
    }
}

extension FieldKind where Value == [String] {
    static var words: Self {
        Self(expected: "an array of strings") { scanner throws(JSONError) in
            var words: [String] = []
            try scanner.beginArray()
            while try scanner.nextElement() { words.append(try scanner.string()) }
            return words
        }
    }
}

extension FieldKind where Value: RawRepresentable & SendableMetatype, Value.RawValue == String {
    /// One of the words of an enumeration.
    static func word(_ expected: String) -> Self {
        Self(expected: expected) { scanner throws(JSONError) in Value(rawValue: try scanner.string()) }
    }
}

extension FieldKind where Value == Double {
    static var number: Self {
        Self(expected: "a number") { scanner throws(JSONError) in try scanner.number() }
    }

    static func number(_ unit: String, limit: Double, _ limitText: String) -> Self {
        Self(expected: "\(unit) from -\(limitText) to \(limitText)") { scanner throws(JSONError) in
            let value = try scanner.number()
            return abs(value) <= limit ? value : nil
        }
    }
}

extension FieldKind where Value == [Double] {
    /// An array of exactly so many finite numbers.
    static func numbers(_ count: Int, _ meaning: String) -> Self {
        Self(expected: "\(count) finite numbers, \(meaning)") { scanner throws(JSONError) in
            try scanner.finiteNumbers(count)
        }
    }
}

extension FieldKind where Value == [Double] {
    /// An array of so many rows, each of so many finite numbers; the numbers by rows.
    static func matrix(_ rows: Int, _ columns: Int, _ meaning: String) -> Self {
        Self(expected: "\(rows) rows of \(columns) finite numbers, \(meaning)") { scanner throws(JSONError) in
            var numbers: [Double] = []
            try scanner.beginArray()
            while try scanner.nextElement() {
                guard numbers.count < rows * columns, let row = try scanner.finiteNumbers(columns) else { return nil }
                numbers += row
            }
            return numbers.count == rows * columns ? numbers : nil
        }
    }
}

extension FieldKind where Value == GridSize {
    /// The largest side of an image or grid that is believed.
    static var maximumSide: Int { 16384 }

    static func gridSize(_ expected: String = "[width, height]") -> Self {
        Self(expected: expected) { scanner throws(JSONError) in
            guard let numbers = try scanner.finiteNumbers(2) else { return nil }
            let limit = Double(maximumSide)
            guard numbers.allSatisfy({ $0 >= 1 && $0 <= limit && $0 == $0.rounded() }) else { return nil }
            return GridSize(width: Int(numbers[0]), height: Int(numbers[1]))
        }
    }
}

extension FieldKind where Value == Vector3 {
    /// Three numbers of a size that a phone's sensors may give, so that no product of them overflows later.
    static var vector: Self {
        Self(expected: "3 numbers from -1e6 to 1e6") { scanner throws(JSONError) in
            guard let numbers = try scanner.finiteNumbers(3), numbers.allSatisfy({ abs($0) <= 1e6 }) else { return nil }
            return Vector3(numbers[0], numbers[1], numbers[2])
        }
    }
}

extension FieldKind where Value == Quaternion {
    /// x, y, z, w.
    static var unitQuaternion: Self {
        Self(expected: "4 numbers, of unit length to 1 %") { scanner throws(JSONError) in
            guard let numbers = try scanner.finiteNumbers(4) else { return nil }
            let q = Quaternion(x: numbers[0], y: numbers[1], z: numbers[2], w: numbers[3])
            return abs(q.norm - 1) < 0.01 ? q.normalized : nil
        }
    }
}

extension FieldKind where Value == UnsafeRawBufferPointer {
    /// The text of an object, to be taken apart by a table of its own.
    static var object: Self {
        Self(expected: "an object") { scanner throws(JSONError) in
            try scanner.peek() == .object ? try scanner.rawValue() : nil
        }
    }
}

extension JSONScanner {
    /// An array of exactly `count` finite numbers; `nil` where it is anything else.
    fileprivate mutating func finiteNumbers(_ count: Int) throws(JSONError) -> [Double]? {
        var numbers: [Double] = []
        try beginArray()
        while try nextElement() {
            guard numbers.count < count else { return nil }
            let number = try number()
            guard number.isFinite else { return nil }
            numbers.append(number)
        }
        return numbers.count == count ? numbers : nil
    }
}
