import Foundation
import Testing

@Suite("Documents")
struct DocumentTests {
    @Test("links in Markdown files lead to files and headings that exist")
    func links() throws {
        let documents = try Repository.files(endings: [".md"])
        #expect(documents.count > 10)
        for document in documents {
            for target in Markdown.links(in: document.text)
            where !target.contains("://") && !target.hasPrefix("mailto:") {
                let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path = parts[0].isEmpty ? document.path : Self.resolve(String(parts[0]), from: document.path)
                #expect(Repository.exists(path), "\(document): \(target)")
                guard parts.count == 2, path.hasSuffix(".md"), Repository.exists(path) else { continue }
                let anchors = Markdown.anchors(in: try Repository.file(path).text)
                #expect(anchors.contains(String(parts[1])), "\(document): \(target)")
            }
        }
    }

    @Test("the README is read in two minutes")
    func readme() throws {
        let lines = try Repository.file("README.md").lines
        #expect(lines.count <= 150 && lines.prefix(8).contains { $0.contains("docs/images/live.gif") })
        // What a page on the web loads before anything else.
        let film = try Data(contentsOf: Repository.root.appending(path: "docs/images/live.gif"))
        #expect(film.starts(with: Array("GIF89a".utf8)) && film.count < 2_000_000)
    }

    @Test(
        "pages that are read as a whole have at most so many words",
        arguments: [
            ("docs/architecture.md", 2000), ("docs/performance.md", 2000), ("docs/scale.md", 2000),
            ("docs/testing.md", 2000), ("TODO.md", 1200),
        ]
    )
    func words(page: String, most: Int) throws {
        let count = try Repository.file(page).text.split { $0.isWhitespace }.count
        #expect(count <= most, "\(page): \(count)")
    }

    @Test("every target but those of tests is in the table of docs/architecture.md, and nothing else is")
    func targets() throws {
        let section = Markdown.section("Targets", of: try Repository.file("docs/architecture.md").text)
        let named = section.filter { $0.hasPrefix("|") }.flatMap { row in
            row.split(separator: "|").first?.matches(of: /`(\w+)`/).map { String($0.output.1) } ?? []
        }
        let targets = try Manifest.targets().filter { !$0.hasSuffix("Tests") }
        #expect(targets.count > 20)
        #expect(named.sorted() == targets.sorted())
    }

    @Test("the picture in docs/architecture.md has every library")
    func picture() throws {
        let page = try Repository.file("docs/architecture.md").text
        let section = Markdown.section("Two worlds and one bridge", of: page)
        let words = Set(section.joined(separator: " ").matches(of: /\w+/).map { String($0.output) })
        let libraries = try Manifest.targets().filter { !$0.hasSuffix("Tests") }
        let others = ["autobahn", "bench", "EntryPoint", "fuzz", "FuzzTargets", "throughput", "TestSupport"]
        for name in libraries where !others.contains(name) {
            #expect(words.contains(name), "\(name)")
        }
    }

    @Test("what a newcomer reads first are at most 700 lines: the README, a page, and the files that it lists")
    func readingList() throws {
        let page = Markdown.section("In, product, out", of: try Repository.file("docs/architecture.md").text)
        let paths = page.filter { $0.first?.isNumber == true }.flatMap { line in
            line.matches(of: /`(Sources\/[^`]+)`/).map { String($0.output.1) }
        }
        #expect(paths.count >= 3)
        let lines = try (["README.md"] + paths).map { try Repository.file($0).lines.count }
        #expect(lines.reduce(page.count, +) <= 700, "\(lines)")
    }

    @Test("every file that a document names exists")
    func namedFiles() throws {
        for document in try Repository.files(endings: [".md"]) {
            for match in document.text.matches(of: /`((?:Sources|Tests|tools|docs|ros2)\/[\w\/+.-]+\.\w+)`/) {
                #expect(Repository.exists(String(match.output.1)), "\(document): \(match.output.1)")
            }
        }
    }

    @Test("docs/formats/session.md tells of every kind of damage what the program tells")
    func damage() throws {
        let source = try Repository.file("Sources/Capture/Sessions/Problem.swift").text
        let explanations = source.matches(of: /case \.(\w+): "([^"]+)"/)
        let declared = source.split(separator: "package enum Severity")[0]
        let kinds = declared.matches(of: /\n    case (\w+)/).map { String($0.output.1) }
        #expect(kinds.count > 20)
        #expect(kinds.sorted() == explanations.map { String($0.output.1) }.sorted())
        let rows = try Repository.file("docs/formats/session.md").lines
        for match in explanations {
            let (kind, text) = (match.output.1, match.output.2)
            #expect(rows.contains { $0.hasPrefix("| `\(kind)` |") && $0.hasSuffix("| \(text) |") }, "\(kind)")
        }
    }

    @Test("every decision is in the list of decisions, and has the parts of one")
    func decisions() throws {
        let list = try Repository.file("docs/decisions/README.md").text
        let pages = try Repository.files("docs/decisions").filter { $0.name != "README.md" }
        #expect(!pages.isEmpty)
        for page in pages {
            #expect(page.name.contains(/^\d{3}-[a-z0-9-]+\.md$/), "\(page)")
            #expect(list.contains("(\(page.name))"), "\(page)")
            for part in ["# \(page.name.prefix(3)): ", "**Question.**", "**Choice.**", "**What would change it.**"] {
                #expect(page.text.contains(part), "\(page): \(part)")
            }
        }
    }

    @Test("no file names a place that only one machine has")
    func machinePaths() throws {
        // The rule's own words are split, so that this file keeps it.
        let homes = ["/ho" + "me/", "/ro" + "ot/", "/Us" + "ers/", "/wo" + "rk/"]
        for file in try Repository.files() {
            for (number, line) in file.lines.enumerated() {
                for home in homes where Self.names(line, home) {
                    Issue.record("\(file):\(number + 1): \(home): \(line)")
                }
            }
        }
    }

    /// Whether an absolute path begins here: the same words inside of a longer path or URL are something else.
    private static func names(_ line: Substring, _ home: String) -> Bool {
        line.ranges(of: home).contains { range in
            guard range.lowerBound > line.startIndex else { return true }
            let before = line[line.index(before: range.lowerBound)]
            return !(before.isLetter || before.isNumber || "._-~/$}".contains(before))
        }
    }

    private static func resolve(_ target: String, from document: String) -> String {
        var parts = document.split(separator: "/").dropLast().map { String($0) }
        for part in target.split(separator: "/") {
            if part == ".." { _ = parts.popLast() } else if part != "." { parts.append(String(part)) }
        }
        return parts.joined(separator: "/")
    }
}
