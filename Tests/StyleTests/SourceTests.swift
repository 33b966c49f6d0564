import Testing

@Suite("House rules of the sources")
struct SourceTests {
    private struct Rule {
        /// What every match contains, so that files without it are not searched.
        var word: String
        var pattern: Regex<Substring>
        var reason: String
    }

    /// What may not stand in the code of Sources, and why.
    private static var rules: [Rule] {
        let crossing = "the compiler checks what crosses tasks"
        let lock = "actors instead of locks"
        return [
            Rule(word: "Foundation", pattern: /\bimport\s+Foundation/, reason: "it costs start-up time and memory"),
            Rule(word: "try!", pattern: /\btry!/, reason: "an error is thrown or recorded"),
            Rule(word: "as!", pattern: /\bas!/, reason: "a cast may fail"),
            Rule(word: "fatalError", pattern: /\bfatalError\b/, reason: "input never ends the process"),
            Rule(word: "@unchecked", pattern: /@unchecked\s+Sendable/, reason: crossing),
            Rule(word: "(unsafe)", pattern: /\bnonisolated\(unsafe\)/, reason: crossing),
            Rule(word: "Lock", pattern: /\b(?:NSLock|NIOLock\w*)\b/, reason: lock),
            Rule(word: "Mutex", pattern: /\bMutex\b/, reason: lock),
            Rule(word: "pthread_", pattern: /\bpthread_\w+/, reason: lock),
            Rule(word: "public", pattern: /\bpublic\b/, reason: "what crosses a target is package"),
        ]
    }

    @Test("few tests start the command: others run command lines in their own process")
    func starts() throws {
        let calls = try Repository.files("Tests/CLITests", endings: [".swift"]).reduce(0) { sum, file in
            sum + file.text.matches(of: /\bBinary\.(?:run|succeed|json|start)\(/).count
        }
        #expect((100..<450).contains(calls), "\(calls)")
    }

    @Test("nothing forbidden stands in the code")
    func forbiddenCode() throws {
        let rules = Self.rules
        for file in try Repository.files("Sources", endings: [".swift"]) {
            for rule in rules where file.text.contains(rule.word) {
                for (number, line) in file.code.enumerated() where line.contains(rule.pattern) {
                    Issue.record("\(file):\(number + 1): \(rule.reason): \(line)")
                }
            }
        }
    }

    @Test("what is to be done stands in TODO.md, not in the sources")
    func unfinishedWork() throws {
        let words = ["TODO", "FIXME", "XXX", "HACK"]
        let files = try Repository.files("Sources") + Repository.files("tools")
        for file in files where words.contains(where: { file.text.contains($0) }) {
            for (number, line) in file.lines.enumerated() where line.contains(/\b(?:TODO|FIXME|XXX|HACK)\b/) {
                Issue.record("\(file):\(number + 1): \(line)")
            }
        }
    }

    @Test("no file has more than 300 lines")
    func fileLength() throws {
        for file in try Repository.files("Sources", endings: [".swift"]) {
            let count = file.lines.count - (file.text.hasSuffix("\n") ? 1 : 0)
            #expect(count <= 300, "\(file)")
        }
    }

    @Test("placeholders are gone")
    func placeholders() throws {
        for file in try Repository.files("Sources") { #expect(!file.name.hasPrefix("Placeholder"), "\(file)") }
    }

    @Test("at the top of the repository there is only what belongs there")
    func topLevel() throws {
        let allowed: Set<String> = [
            "LICENSE", "Package.swift", "README.md", "Sources", "TODO.md", "Tests", "docs", "ros2", "tools",
        ]
        for name in try Repository.names(in: "") where !name.hasPrefix(".") {
            #expect(allowed.contains(name), "\(name)")
        }
    }

    @Test("the rules see code, and neither comments nor texts")
    func strippingOfSource() {
        let source = """
            let a = "try! \\" as!" // try!
            let b = value as! Int  /// fatalError
            """
        #expect(SwiftCode.lines(of: source) == ["let a = \"\" ", "let b = value as! Int  "])
        let text = "let c = \"\"\"\n    try! as!\n    \"\"\"\nlet d = 1"
        #expect(SwiftCode.lines(of: text) == ["let c = ", "", "", "let d = 1"])
    }
}
