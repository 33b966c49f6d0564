import JSONText
import Recording

extension FrameParser {
    /// The optional values of a line that is a frame, as far as they do not read.
    static func fieldProblems(_ fields: FrameFields) -> [Problem] {
        [
            fields.unreadable(.trackingState, "a word") { scanner throws(JSONError) in try scanner.string() },
            fields.unreadable(.deviceOrientation, ImageOrientation.words) { scanner throws(JSONError) in
                ImageOrientation(rawValue: try scanner.string())
            },
            fields.unreadable(.hasDepth, "true or false") { scanner throws(JSONError) in try scanner.bool() },
            fields.unreadable(.depthResolution, "[width, height]") { scanner throws(JSONError) in
                try scanner.gridSize(limit: maximumSide)
            },
            fields.unreadable(.relativeDepthResolution, "[width, height]") { scanner throws(JSONError) in
                try scanner.gridSize(limit: maximumSide)
            },
            fields.unreadable(.exposureDuration, "a number") { scanner throws(JSONError) in try scanner.number() },
            fields.unreadable(.frameSharpness, "a number") { scanner throws(JSONError) in try scanner.number() },
            fields.unreadable(.attitudeQuaternion, JSONScanner.unitQuaternionText) { scanner throws(JSONError) in
                try scanner.unitQuaternion()
            },
            fields.unreadable(.magneticField, JSONScanner.vectorText) { scanner throws(JSONError) in
                try scanner.vector3()
            },
        ].compactMap { $0 }
    }
}

extension MotionLine {
    /// The optional values of a line that is a sample, as far as they do not read.
    static func fieldProblems(_ bytes: UnsafeRawBufferPointer, line: Int) -> [Problem] {
        guard (try? parse(bytes, line: line)) != nil,
            let fields = try? SampleFields(bytes, file: file, line: line, kind: .badOptionalField)
        else { return [] }
        return [
            fields.unreadable("attitude_quaternion", JSONScanner.unitQuaternionText) { scanner throws(JSONError) in
                try scanner.unitQuaternion()
            },
            fields.unreadable("magnetic_field", JSONScanner.vectorText) { scanner throws(JSONError) in
                try scanner.vector3()
            },
        ].compactMap { $0 }
    }
}

extension LocationLine {
    /// The optional values of a line that is a fix, as far as they do not read.
    static func fieldProblems(_ bytes: UnsafeRawBufferPointer, line: Int) -> [Problem] {
        guard (try? parse(bytes, line: line)) != nil,
            let fields = try? SampleFields(bytes, file: file, line: line, kind: .badOptionalField)
        else { return [] }
        let numbers = [
            "altitude", "ellipsoidal_altitude", "horizontal_accuracy", "vertical_accuracy", "speed", "speed_accuracy",
            "course", "course_accuracy",
        ]
        var problems = numbers.map { name in
            fields.unreadable(name, "a number from -1e9 to 1e9") { scanner throws(JSONError) in
                let value = try scanner.number()
                return abs(value) <= 1e9 ? value : nil
            }
        }
        problems.append(
            fields.unreadable("unix_time", "seconds above 0") { scanner throws(JSONError) in
                let time = try scanner.decimalNanoseconds()
                return time > 0 ? time : nil
            }
        )
        problems.append(
            fields.unreadable("floor", "a whole number") { scanner throws(JSONError) in try scanner.wholeNumber() }
        )
        return problems.compactMap { $0 }
    }
}

extension FrameFields {
    /// What is wrong with an optional value that is there and does not read; `null` is as good as absent.
    func unreadable<Value>(
        _ key: Key,
        _ expected: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) -> Problem? {
        guard let text = text(key), !text.elementsEqual("null".utf8), optional(key, read) == nil else { return nil }
        if let both = contradiction(key) {
            return problem(.badOptionalField, key, expected: "the key once", found: both)
        }
        return problem(.badOptionalField, key, expected: expected, found: Self.excerpt(text))
    }
}

extension SampleFields {
    /// The same of a sample.
    func unreadable<Value>(
        _ name: String,
        _ expected: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) -> Problem? {
        guard let text = text(name), !text.elementsEqual("null".utf8), optional(name, read) == nil else { return nil }
        let both = contradiction(name)
        return Problem(
            .badOptionalField,
            file: file,
            line: line,
            field: name,
            expected: both == nil ? expected : "the key once",
            found: both ?? String(decoding: text.prefix(60), as: UTF8.self)
        )
    }
}

extension JSONScanner {
    fileprivate static var unitQuaternionText: String { "4 numbers, of unit length to 1 %" }
    fileprivate static var vectorText: String { "3 numbers from -1e6 to 1e6" }
}

extension ImageOrientation {
    fileprivate static var words: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
