import Testing
import Text

@Suite struct PrintableTextTests {
    @Test func plainTextStaysAsItIs() {
        for text in ["", "a b", "/mapping/pose\n\tß 漢字 🚀", "\"quoted\" \\u0041"] {
            #expect(text.withControlsEscaped == text)
        }
    }

    /// What moves a cursor, changes colours, hides or turns around what stands beside it.
    @Test(arguments: [
        ("\u{1B}[31mred", "\\u001B[31mred"), ("a\rb", "a\\u000Db"), ("\u{7}", "\\u0007"), ("\u{7F}", "\\u007F"),
        ("\u{9B}2J", "\\u009B2J"), ("\u{202E}abc", "\\u202Eabc"), ("\u{2028}", "\\u2028"), ("a\u{0}b", "a\\u0000b"),
        ("\u{E0041}", "\\uDB40\\uDC41"),
    ])
    func whatATerminalObeysIsEscaped(text: String, escaped: String) throws {
        #expect(text.withControlsEscaped == escaped && text.asOneLine == escaped)
        // Inside of a JSON string the escapes mean what stood there.
        #expect(try JSONValue.parse(Array("\"\(escaped)\"".utf8)).string == text)
    }

    @Test func aCellIsOneLine() {
        #expect("a\nb\tc".asOneLine == "a\\u000Ab\\u0009c")
        #expect("a\nb\tc".withControlsEscaped == "a\nb\tc")
    }
}
