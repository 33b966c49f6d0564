import JSONText

/// The fields of one stream of JSON lines, each listed once: parsing, check and repair read this list.
struct StreamTable<Line: Sendable>: Sendable {
    let file: String
    let fields: [StreamField<Line>]
    /// What stands before the names of the fields in problems: that of the object that they are in.
    private let prefix: String
    /// What a line has where a field is absent.
    private let blank: Line
    /// What it is called that a required field is absent, or does not read.
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

    /// Whether the first field, the time, is there.
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
