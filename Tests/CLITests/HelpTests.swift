import Foundation
import Testing

/// Helps and tables as people read them: on a screen of 80 columns, and in terminals of any width.
@Suite(.serialized) struct HelpTests {
    /// Every command, as it is called.
    private func commands() async throws -> [[String]] {
        var found: [[String]] = []
        for top in try await subcommands(of: []) {
            let below = try await subcommands(of: [top])
            found += below.isEmpty ? [[top]] : below.map { [top, $0] }
        }
        return found
    }

    private func help(_ command: [String], _ option: String = "--help") async throws -> String {
        try await Command.run(command + [option]).output
    }

    private func subcommands(of command: [String]) async throws -> [String] {
        let text = try await help(command)
        guard let list = text.components(separatedBy: "\nSUBCOMMANDS:\n").dropFirst().first else { return [] }
        return list.components(separatedBy: "\n\n")[0].split(separator: "\n")
            .compactMap { $0.firstMatch(of: /^  ([a-z]+)/).map { String($0.1) } }
    }

    @Test("a help has 60 lines at most, says where the rest is, and breaks no example")
    func helps() async throws {
        let commands = try await commands()
        #expect(commands.count > 20 && commands.contains(["bag"]) && commands.contains(["tags", "map"]), "\(commands)")
        for command in commands {
            let text = try await help(command)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 61, "\(command): \(lines.count)")
            for line in lines { #expect(line.count <= 80, "\(command): \(line)") }
            #expect(
                text.contains("\nAll options: mapeverything \(command.joined(separator: " ")) --help-all"),
                "\(text)"
            )
            let all = try await help(command, "--help-all")
            #expect(all.count > text.count - 80 && !all.contains("All options:"), "\(command)")
            // In a wide terminal nothing has to be broken: each example is there in the same form.
            let wide = try await Command.run(command + ["--help"], columns: 400).output
            let examples = wide.split(separator: "\n").filter { $0.hasPrefix("  mapeverything ") }
            for example in examples { #expect(lines.contains(example), "\(command): \(example)") }
            #expect(!examples.isEmpty, "\(command)")
        }
    }

    @Test("every help is as it was when it was last looked at")
    func golden() async throws {
        var text = ""
        for command in try await commands() {
            text += "$ mapeverything \(command.joined(separator: " ")) --help\n" + (try await help(command)) + "\n"
        }
        let path = Repository.path("Tests/Vectors/help.txt")
        let golden = try String(contentsOfFile: path, encoding: .utf8)
        let lines = (text.split(separator: "\n"), golden.split(separator: "\n"))
        let first = zip(lines.0, lines.1).first { $0 != $1 }
        // UPDATE_HELP=1 writes what it is now, to be read before it is committed.
        if ProcessInfo.processInfo.environment["UPDATE_HELP"] != nil {
            try text.write(toFile: path, atomically: true, encoding: .utf8)
        }
        #expect(text == golden, "now: \(first?.0 ?? "more or less"), before: \(first?.1 ?? "more or less")")
    }

    @Test("a help has the defaults of its own command alone, and no name of before")
    func ownDefaults() async throws {
        for command in try await commands() {
            let all = try await help(command, "--help-all")
            let words = all.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(!words.contains("replay: record"), "\(command)")
            #expect(words.contains("lerobot: 30") == (command == ["export"]), "\(command)")
            guard words.contains("--profile <profile>") else { continue }
            let profile = command == ["replay"] ? "record" : "data"
            #expect(words.contains("or a YAML file. Default: \(profile)."), "\(command)")
            #expect(words.contains("no times (transforms.json). Default: 10."), "\(command)")
        }
        #expect(try await !help(["trim"], "--help-all").contains("--rate"))
        #expect(try await !help(["map"], "--help-all").contains("--every"))
    }

    @Test("values are named by what they are, not by their option")
    func placeholders() async throws {
        var plain: Set<String> = []
        for command in try await commands() {
            let text = try await help(command, "--help-all")
            for match in text.matches(of: /--([a-z0-9-]+) <([a-z0-9-]+)>/) where match.1 == match.2 {
                plain.insert(String(match.1))
            }
        }
        // Where the option's name says it.
        #expect(
            plain.subtracting([
                "url", "profile", "topic", "family", "format", "orientation", "preset", "threads", "address", "port",
                "count",
                "token", "header",
            ]) == []
        )
    }

    private struct Seen: Decodable {
        var status: Int32
        var screen: [String]
    }

    @Test(
        "a table is no wider than the terminal, nor than 100 columns; --verbose shows all of it",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: [80, 100, 200]
    )
    func tables(columns: Int) async throws {
        let session = try await Samples.full.value
        func rows(_ options: [String]) async throws -> [String] {
            let arguments = ["replay", session, "--dry-run", "--profile", "full"] + options
            let process = try Peer.start("watch_terminal.py", ["\(columns)", "0", Binary.path] + arguments)
            let outcome = try await process.finish()
            let seen = try JSONDecoder().decode(Seen.self, from: Data(outcome.output.utf8))
            #expect(seen.status == 0)
            return seen.screen.filter { $0.hasPrefix("/") || $0.hasPrefix("topic") }
        }
        let narrow = try await rows([])
        #expect(narrow.count > 20 && narrow.allSatisfy { $0.count <= min(columns, 100) }, "\(narrow)")
        // Names stay whole where there is room; types lose their package.
        #expect(narrow.contains { $0.contains(" PoseStamped ") } && !narrow.joined().contains("geometry_msgs"))
        if columns >= 100 {
            #expect(narrow.contains { $0.hasPrefix("/mapping/camera/image/compressed ") }, "\(narrow)")
        }
        guard columns == 200 else { return }
        let wide = try await rows(["-v"])
        #expect(wide.contains { $0.contains("geometry_msgs/msg/PoseStamped") } && wide[0].contains("Mbit/s"), "\(wide)")
    }

    @Test(
        "a narrow list cuts no date and no last part of a path; its verdicts stand below; facts are wrapped",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: [80, 100]
    )
    func narrow(columns: Int) async throws {
        let folder = try Scratch()
        let below = folder("of many recordings/that have long paths")
        try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: true)
        for name in ["a_kitchen", "a_corridor_of_forty"] {
            let shape = ["--duration", "1", "--fps", "10", "--size", "160x120"]
            try await Command.succeed(["sample", "-o", "\(below)/\(name)"] + shape)
        }
        try FileManager.default.removeItem(atPath: "\(below)/a_kitchen/rgb/000003.jpg")
        func screen(_ arguments: [String]) async throws -> [String] {
            let process = try Peer.start("watch_terminal.py", ["\(columns)", "0", Binary.path] + arguments)
            let seen = try JSONDecoder().decode(Seen.self, from: Data(try await process.finish().output.utf8))
            #expect(seen.status == 0 && seen.screen.allSatisfy { $0.count <= columns }, "\(seen)")
            return seen.screen
        }
        let list = try await screen(["list", folder.path])
        for name in ["/a_kitchen", "/a_corridor_of_forty"] {
            let place = try #require(list.firstIndex { $0.contains("\(name) ") }, "\(list)")
            #expect(list[place].contains("2026-01-01T12:00:00Z"), "\(list)")
        }
        #expect(list.joined(separator: " ").contains(/damaged: 1 error: images: no image file/), "\(list)")
        let facts = try await screen(["inspect", "\(below)/a_kitchen"])
        let start = try #require(facts.firstIndex { $0.hasPrefix("depth ") }, "\(facts)")
        #expect(columns > 80 || facts[start + 1].hasPrefix("    "), "\(facts)")
    }

    @Test(
        "an unknown option is named before anything else is missing",
        arguments: [
            (["export", "S", "--formt", "colmap"], "--formt", "did you mean --format?"),
            (["bag", "--bogus"], "--bogus", "bag"),
            (["record", "--prt=1"], "--prt", "did you mean --port?"),
            (["bag", "S", "-Z"], "-Z", "bag"), (["bag", "S", "-qZ"], "-Z", "bag"),
            (["map", "S", "--nope"], "--nope", "map"),
        ]
    )
    func unknownOptions(arguments: [String], option: String, hint: String) async throws {
        let outcome = try await Command.run(arguments)
        #expect(
            outcome.status == 2 && outcome.errors.hasPrefix("mapeverything: \(option): expected an option"),
            "\(outcome)"
        )
        #expect(outcome.errors.contains(hint), "\(outcome)")
    }
}
