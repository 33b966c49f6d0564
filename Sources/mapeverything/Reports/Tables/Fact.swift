import JSONText

/// One thing that a report says: a line for people, a member of an object for programs.
struct Fact {
    /// Nil where only JSON has it.
    let title: String?
    /// Empty where there is nothing to tell people.
    let text: String
    /// Nil where only the text has it.
    let key: String?
    let json: JSONValue

    init(_ title: String?, _ text: String, _ key: String? = nil, _ json: JSONValue = .null) {
        self.title = title
        self.text = text
        self.key = key
        self.json = json
    }

    /// A fact that only JSON has.
    static func json(_ key: String, _ value: JSONValue) -> Fact { Fact(nil, "", key, value) }

    /// An array that only JSON has.
    static func json<Item>(_ key: String, each items: [Item], _ json: (Item) -> JSONValue) -> Fact {
        .json(key, .array(items.map(json)))
    }

    /// The fact with line breaks escaped.
    var asOneLine: Fact { Fact(title, text.asOneLine, key, json) }
}

extension [Fact] {
    /// A line for each fact that has text, the titles in a column of their own.
    var text: String {
        let lines = compactMap { fact in fact.title.map { ($0, fact.text) } }
        let width = (lines.map(\.0.count).max() ?? 0) + 2
        return lines.filter { !$0.1.isEmpty }
            .map { $0.0 + String(repeating: " ", count: width - $0.0.count) + $0.1 }
            .joined(separator: "\n")
    }

    /// A sentence for each fact that has text, in which the title says what kind of fact it is.
    var sentences: [String] {
        compactMap { fact in fact.title.map { ($0, fact.text) } }.filter { !$0.1.isEmpty }.map { "\($0): \($1)" }
    }

    var members: [(String, JSONValue)] { compactMap { fact in fact.key.map { ($0, fact.json) } } }
}
