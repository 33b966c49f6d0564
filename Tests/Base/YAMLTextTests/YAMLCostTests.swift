import Testing
import Text

@Suite("What YAML costs")
struct YAMLCostTests {
    /// Each node ten times the one before: a thousand million words in half a kilobyte.
    static let bomb = (1...8).reduce("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n") { text, level in
        text + "a\(level): &a\(level) [" + [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            + "]\n"
    }

    @Test("aliases of aliases are refused before anything is parsed")
    func nested() {
        #expect(throws: YAMLError.self) { try YAMLCost.check(Self.bomb) }
        // A name that is given again still stands for the old node inside of the new one.
        let shadowed = [String](repeating: "- &a [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\n", count: 9).joined()
        #expect(throws: YAMLError.self) { try YAMLCost.check("- &a x\n" + shadowed) }
        // As a key of a flow mapping, and in the middle of a line.
        #expect(throws: YAMLError.self) { try YAMLCost.check(Self.bomb + "? {*a8: 1}\n: *a8\n") }
    }

    @Test("keys in keys are refused where all of a long text may be in each")
    func keysInKeys() throws {
        let nested = [("{? ", " : 1}"), ("{?", " : 1}"), ("- ? ", "\n")]
        for (start, end) in nested {
            let levels = [String](repeating: start, count: 900).joined()
            let rest = [String](repeating: end, count: 900).joined()
            let words = "[" + [String](repeating: "x", count: 100_000).joined(separator: ",") + "]"
            #expect(throws: YAMLError.self) { try YAMLCost.check(levels + words + rest) }
            try YAMLCost.check(levels + "x" + rest)
        }
        // Questions, however many, are no keys.
        try YAMLCost.check([String](repeating: "Is it? Why? - ", count: 100_000).joined())
    }

    @Test("what recorders write is taken: profiles that many topics share, and signs in strings")
    func harmless() throws {
        let profile = "&id001\n- history: keep_last\n  depth: 10\n  reliability: reliable\n"
        let topics = (0..<2_000).map { "- {name: /topic\($0), type: std_msgs/msg/String, qos: *id001}\n" }.joined()
        try YAMLCost.check("qos: \(profile)topics:\n\(topics)")
        try YAMLCost.check("a: 'R&D *not an alias*, 3 * 4 & 5'\nb: \"**\"\nc: &\n")
        try YAMLCost.check(String(repeating: "& * ", count: 100_000))
        try YAMLCost.check("")
    }
}
