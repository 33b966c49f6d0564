import JSONText
import Testing

@Suite("YAML aliases")
struct YAMLAliasTests {
    /// Each node ten times the one before: a thousand million words in half a kilobyte.
    static let bomb = (1...8).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
        text + "a\(level): &a\(level) [" + [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            + "]\n"
    }

    @Test("aliases of aliases are refused before anything is parsed")
    func nested() {
        #expect(throws: YAMLAliasError.self) { try YAMLAliases.check(Self.bomb) }
        // A name that is given again still stands for the old node inside of the new one.
        let shadowed = [String](repeating: "- &a [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n", count: 9).joined()
        #expect(throws: YAMLAliasError.self) { try YAMLAliases.check("- &a x\n" + shadowed) }
        // As a key of a flow mapping, and in the middle of a line.
        #expect(throws: YAMLAliasError.self) { try YAMLAliases.check(Self.bomb + "? {*a8: 1}\n: *a8\n") }
    }

    @Test("what recorders write is taken: profiles that many topics share, and signs in strings")
    func harmless() throws {
        let profile = "&id001\n- history: keep_last\n  depth: 10\n  reliability: reliable\n"
        let topics = (0..<2_000).map { "- {name: /topic\($0), type: std_msgs/msg/String, qos: *id001}\n" }.joined()
        try YAMLAliases.check("qos: \(profile)topics:\n\(topics)")
        try YAMLAliases.check("a: 'R&D *not an alias*, 3 * 4 & 5'\nb: \"**\"\nc: &\n")
        try YAMLAliases.check(String(repeating: "& * ", count: 100_000))
        try YAMLAliases.check("")
    }
}
