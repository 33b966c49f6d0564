import Foundation
import TestSupport
import Testing
import Text

@Suite("YAML as nodes")
struct YAMLNodeTests {
    @Test("values know their line, their style and what aliases stand for")
    func values() throws {
        let text = "a: &x [1, 'two', \"thr\\u0065e\"]\nb:\n  c: *x\n  ? d\n  : |\n    e\n    f\n'1': ~\n"
        let root = try #require(try YAMLNode.parse(text))
        let list = try #require(root["a"]?.sequence)
        #expect(list.map(\.scalar) == ["1", "two", "three"])
        #expect(list.map(\.isPlain) == [true, false, false])
        #expect(root["b"]?["c"] == root["a"])
        #expect(root["b"]?["d"]?.scalar == "e\nf\n" && root["b"]?["d"]?.isPlain == false)
        #expect(root["b"]?.line == 3 && root["b"]?["d"]?.line == 5)
        #expect(root["1"]?.scalar == "~" && root["1"]?.isPlain == true)
        #expect(root["c"] == nil && root["a"]?["a"] == nil)
        #expect(try YAMLNode.parse("") == nil && YAMLNode.parse("# nothing\n") == nil)
        #expect(try YAMLNode.parse("---\n")?.scalar == "")
        let levels = String(repeating: "[", count: 999) + String(repeating: "]", count: 999)
        let deep = try #require(try YAMLNode.parse(levels))
        #expect(try YAMLNode.parse(try deep.text()) == deep)
    }

    static let damaged: [(text: String, line: Int?, found: String)] = [
        ("a: [1, 2\nb: 3\n", 2, "did not find expected ',' or ']'"),
        ("a: b\n c: d\n", 2, "mapping values are not allowed in this context"),
        ("a: *b\n", 1, "found undefined alias"),
        ("a: 1\nb: 2\na: 3\n", nil, "the key \"a\" twice"),
        ("[{x: 1, 'x': 2}]", nil, "the key \"x\" twice"),
        ("a: 1\n---\nb: 2\n", 2, "but found another document"),
        ("a: \"b\n", 2, "found unexpected end of stream"),
        ("a: \u{7}\n", nil, "control characters are not allowed"),
        (String(repeating: "[", count: 1_000_000), 1, "more than 1000 levels"),
        (String(repeating: "- ", count: 100_000), 1, "more than 1000 levels"),
        (String(repeating: "{a: ", count: 100_000), 1, "more than 1000 levels"),
        (String(repeating: "? ", count: 1_100), 1, "more than 1000 levels"),
    ]

    @Test("what is no YAML is refused by line and reason", arguments: damaged)
    func refusals(text: String, line: Int?, found: String) {
        #expect {
            try YAMLNode.parse(text)
        } throws: { error in
            (error as? YAMLError).map { ($0.line, $0.found) == (line, found) } ?? false
        }
    }

    /// Documents of every style that libyaml reads and writes.
    static let documents = [
        "[]", "{}", "''", "a", "- - - a\n    - b\n- {c: [d, {e: f}]}", "? [a, b]\n: c\n? {d: e}\n: f",
        "a: >\n  folded\n  text\n\n  more\nb: >-\n  stripped\nc: |+\n  kept\n\n",
        "text: \"quotes \\\" and \\n and \\x41 and \\u00e9 and \\U0001F600\"\nother: 'it''s'",
        "- 'no: mapping'\n- \"- no list\"\n- '#no comment'\n- '& * ! | > % @ `'\n- ' spaces '\n- ''",
        "long: " + [String](repeating: "word", count: 60).joined(separator: " "),
        "a: \u{e9}\u{1F600}\u{20ac}\nb: \"tab\\tand\\0zero\"",
        "%YAML 1.1\n---\na: b\n...\n", "&a a: &b [*a, {*a : c}]",
        "plain text\n over two lines", "- !!str 1\n- !own 2\n- !!seq [a]",
        "{a, b: , c: []}",
        "- history: 3\n  depth: 0\n  deadline:\n    sec: 9223372036\n    nsec: 854775807\n  avoid: false\n",
    ]

    @Test(
        "what is read and written again is what PyYAML reads",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func judged() throws {
        let nodes = try Self.documents.map { try #require(try YAMLNode.parse($0), "\($0)") }
        let pairs = try zip(Self.documents, nodes).map { [$0, try $1.text(), Self.tree($1)] }
        let script = """
            import json, sys, yaml
            def tree(node):
                if isinstance(node, yaml.ScalarNode): return node.value
                if isinstance(node, yaml.SequenceNode): return [tree(item) for item in node.value]
                return {"pairs": [[tree(key), tree(value)] for key, value in node.value]}
            for text, written, ours in json.load(sys.stdin):
                ours = json.loads(ours)
                assert tree(yaml.compose(text, yaml.BaseLoader)) == ours, (text, ours)
                assert tree(yaml.compose(written, yaml.BaseLoader)) == ours, (written, ours)
            """
        _ = try PeerPython.run(["-c", script], input: JSONEncoder().encode(pairs)).outputOfSuccess()
    }

    /// A node as JSON of texts, lists and pairs.
    private static func tree(_ node: YAMLNode) -> String {
        func value(_ node: YAMLNode) -> Any {
            switch node.content {
            case .scalar(let text): text
            case .sequence(let nodes): nodes.map(value)
            case .mapping(let pairs): ["pairs": pairs.map { [value($0.key), value($0.value)] }]
            }
        }
        let data = try? JSONSerialization.data(withJSONObject: value(node), options: .fragmentsAllowed)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}
