import Glibc
import Platform
import Sessions
import SystemPackage
import Text
import Translation

/// The end of a command: sections of text for people, members of one object for programs, and the exit status.
struct Report: Sendable {
    private var sections: [String] = []
    var members: [(String, JSONValue)] = []
    /// The error that ends the command after everything was told.
    var ending: (any Error)?
    /// True if something was lost, which is status 1 under `--strict`.
    var hasLosses = false
    /// A line for standard error.
    var note: String?

    init() {}

    init(_ facts: [Fact]) { add(facts) }

    /// The result of work on a session: facts, and behind them the problems of the session.
    ///
    /// - Parameter limitedTracking: the number of frames that were left out; nil where the facts tell it.
    init(_ facts: [Fact], _ diagnostics: Diagnostics, limitedTracking: Int?, hasLosses: Bool = false) {
        add(facts)
        var leftOut = ReplayCounts()
        if let limitedTracking {
            leftOut.limitedTracking = limitedTracking
            json("left_out", JSONValue.object(leftOut.facts.members))
        }
        add(diagnostics, leftOut)
        self.hasLosses = hasLosses || diagnostics.lostCount > 0
    }

    // MARK: - Building

    mutating func add(_ facts: [Fact]) {
        say(facts.text)
        members += facts.members
    }

    /// Adds a table; one without rows stands in JSON alone, unless its header is wanted.
    mutating func add<Row>(_ table: Table<Row>, _ key: String, showsHeader: Bool = false) {
        say(showsHeader ? table.text : table.textOfRows)
        json(key, table.json)
    }

    /// Adds the problems of a session, and in the text what was left out without being damaged.
    mutating func add(_ diagnostics: Diagnostics, _ leftOut: ReplayCounts, none: String = "") {
        let text = diagnostics.text(leftOut)
        say(text.isEmpty ? none : text)
        json("problems", diagnostics.json)
    }

    mutating func warn(_ warnings: [String]) {
        say(Format.warnings(warnings))
        json("warnings", warnings)
    }

    /// Adds a section of text; nothing for an empty one.
    mutating func say(_ text: String?) {
        if let text, !text.isEmpty { sections.append(text) }
    }

    mutating func say(_ lines: [String]) { say(lines.joined(separator: "\n")) }

    mutating func json(_ key: String, _ value: some JSONRepresentable) { members.append((key, value.json)) }

    mutating func json(_ values: KeyValuePairs<String, any JSONRepresentable>) {
        members += values.map { ($0.key, $0.value.json) }
    }

    /// Adds all sections and members of another report.
    mutating func append(_ other: Report) {
        sections += other.sections
        members += other.members
    }

    // MARK: - Ending

    var text: String { sections.joined(separator: "\n\n") }

    var json: JSONValue { .object(members) }

    /// The object as it is printed and written: by its first member a file of --report is known for one.
    private var whole: JSONValue { .object([(ReportFile.mark, .string(Tool.version))] + members) }

    /// Writes the file of `--report`, prints, and throws what ends the command with another status than 0.
    func finish(json isJSON: Bool = false, file: String? = nil, strict: Bool = false) throws {
        do throws(ReportError) {
            try ReportFile.write(whole, to: file)
        } catch {
            throw ending.flatMap { $0 is ExitStatus ? nil : $0 } ?? error
        }
        if isJSON {
            Terminal.print(whole.text(style: .pretty))
        } else if !text.isEmpty, !GivenOptions.isQuiet || ending != nil || hasLosses {
            Terminal.print(text)
        }
        if let note, !GivenOptions.isQuiet { Terminal.printError(note) }
        if let ending, !(ending is ExitStatus) { throw ending }
        // What is told was perhaps not all there is.
        try SystemFault.check()
        if let ending { throw ending }
        if strict, hasLosses { throw ExitStatus.lossy }
    }

    func finish(_ options: ReportOptions, strict: Bool = false) throws {
        try finish(json: options.json.isGiven, file: options.report, strict: strict)
    }

    func finish(_ options: ReportingOptions) throws { try finish(options.told, strict: options.strict) }
}

/// One thing that a report says: a line for people, a member of an object for programs.
struct Fact: Sendable {
    /// Nil where only JSON has it.
    let title: String?
    /// Empty where there is nothing to tell people.
    let text: String
    /// Nil where only the text has it.
    let key: String?
    let json: JSONValue

    init(_ title: String?, _ text: String, _ key: String? = nil, _ json: JSONValue = .null) {
        (self.title, self.text, self.key, self.json) = (title, text, key, json)
    }

    init(_ title: String, _ text: String, _ key: String, _ value: some JSONRepresentable) {
        (self.title, self.text, self.key, json) = (title, text, key, value.json)
    }

    /// A fact that only JSON has.
    static func json(_ key: String, _ value: some JSONRepresentable) -> Fact { Fact(nil, "", key, value.json) }

    /// An array that only JSON has.
    static func json<Item>(_ key: String, each items: [Item], _ json: (Item) -> JSONValue) -> Fact {
        .json(key, items.map(json))
    }

    /// A number of things, which the text leaves out where there are none.
    static func count(_ title: String, _ count: Int, _ what: String, _ key: String) -> Fact {
        Fact(title, count == 0 ? "" : "\(count) \(what)", key, count)
    }

    static func count(_ title: String, _ count: Int, key: String) -> Fact {
        Fact(title, count == 0 ? "" : "\(count)", key, count)
    }

    /// A size that only the text has, which leaves it out where it is 0.
    static func bytes(_ title: String, _ count: Int) -> Fact { Fact(title, count == 0 ? "" : Format.bytes(count)) }

    /// The fact with line breaks escaped.
    var asOneLine: Fact { Fact(title, text.asOneLine, key, json) }
}

extension [Fact] {
    private var shown: [(title: String, text: String)] { compactMap { fact in fact.title.map { ($0, fact.text) } } }

    /// A line for each fact that has text, the titles in a column of their own; on a terminal as many lines as it takes.
    var text: String {
        let width = (shown.map(\.title.count).max() ?? 0) + 2
        let limit = Terminal.textColumns.map { Swift.max(30, $0 - width) } ?? .max
        return shown.filter { !$0.text.isEmpty }
            .map {
                let text = $0.text.count > limit ? $0.text.wrapped(to: limit, indent: width) : $0.text
                return $0.title + String(repeating: " ", count: width - $0.title.count) + text
            }
            .joined(separator: "\n")
    }

    /// A sentence for each fact that has text, in which the title says what kind of fact it is.
    var sentences: [String] { shown.filter { !$0.text.isEmpty }.map { "\($0.title): \($0.text)" } }

    var members: [(String, JSONValue)] { compactMap { fact in fact.key.map { ($0, fact.json) } } }
}

/// A value that JSON has a form for; nil is null.
protocol JSONRepresentable {
    var json: JSONValue { get }
}

extension JSONValue: JSONRepresentable {
    var json: JSONValue { self }

    /// An object with members of several types, in the order given.
    static func of(_ members: KeyValuePairs<String, any JSONRepresentable>) -> JSONValue {
        .object(members.map { ($0.key, $0.value.json) })
    }
}

extension Bool: JSONRepresentable { var json: JSONValue { .bool(self) } }
extension Int: JSONRepresentable { var json: JSONValue { .integer(self) } }
extension Int64: JSONRepresentable { var json: JSONValue { .integer(self) } }
extension Double: JSONRepresentable { var json: JSONValue { .number(self) } }
extension String: JSONRepresentable { var json: JSONValue { .string(self) } }

extension Array: JSONRepresentable where Element: JSONRepresentable {
    var json: JSONValue { .array(map(\.json)) }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    var json: JSONValue { map(\.json) ?? .null }
}

/// The file of `--report`.
enum ReportFile {
    static let mark = "mapeverything"

    /// Writes the object, where a file is asked for.
    ///
    /// A report that is there is replaced in one step; streams, pipes and devices are written as they are.
    static func write(_ json: JSONValue, to path: String?) throws(ReportError) {
        guard let path else { return }
        let bytes = Array((json.text(style: .pretty) + "\n").utf8)
        let claim = OutputClaim(path, .report, replaces: true)
        do {
            if let stream = claim.stream { return try stream.write(bytes) }
            try claim.check(outside: [])
            try NewFile.fill(claim.path) { try OutputFile.write(bytes, to: $0) }
        } catch {
            let refusal = (error as? FileError)?.errno ?? (error as? OutputError)?.errno ?? error as? Errno
            throw ReportError(path: path, found: refusal ?? (error is OutputRefusal ? .fileExists : .ioError))
        }
    }
}

extension OutputKind {
    /// A report that a run may replace without being asked to: it begins as those of this program do.
    static let report: OutputKind = {
        var kind = OutputKind(name: "a report of mapeverything's", type: .regular) { path in
            guard let head = try? RegularFile.head(of: path, byteCount: 64) else { return false }
            let text = String(decoding: head, as: UTF8.self).filter { !$0.isWhitespace }
            return head.isEmpty || text.hasPrefix("{\"\(ReportFile.mark)\":")
        }
        kind.takesStreams = true
        return kind
    }()
}
