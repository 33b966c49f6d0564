import Foundation
import Testing
import mapeverything

/// What holds for the options of every command, which are found in the tree of the commands.
struct OptionTests {
    struct Tested: Sendable, CustomTestStringConvertible {
        struct Option: Sendable {
            var names: [String]
            /// The name of its value; nil for a flag.
            var value: String?
        }

        var path: [String]
        /// What the command cannot do without, operands first.
        var needs: [String]
        var options: [Option]

        var testDescription: String { path.joined(separator: " ") }

        func has(_ name: String) -> Bool { options.contains { $0.names.contains(name) } }
    }

    private struct Tree: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                var kind: String
                var name: String
            }
            var kind: String
            var isOptional: Bool
            var names: [Name]?
            var valueName: String?

            var long: [String] { (names ?? []).filter { $0.kind == "long" }.map { "--" + $0.name } }
        }

        struct Node: Decodable {
            var commandName: String
            var shouldDisplay: Bool
            var subcommands: [Node]?
            var arguments: [Argument]?
        }

        var command: Node
    }

    static let commands: [Tested] = {
        let text = Data(WrittenPaths.commandTree.utf8)
        guard let tree = try? JSONDecoder().decode(Tree.self, from: text) else { return [] }
        return (tree.command.subcommands ?? []).flatMap { commands(of: $0, []) }
    }()

    private static func commands(of node: Tree.Node, _ parents: [String]) -> [Tested] {
        guard node.shouldDisplay, node.commandName != "help" else { return [] }
        let path = parents + [node.commandName]
        let below = node.subcommands ?? []
        guard below.isEmpty else { return below.flatMap { commands(of: $0, path) } }
        let arguments = node.arguments ?? []
        let needed = arguments.filter { !$0.isOptional }
        let operands = needed.filter { $0.kind == "positional" }.map { _ in "nowhere" }
        let options = needed.filter { $0.kind == "option" }.flatMap { option -> [String] in
            guard let name = option.long.first else { return [] }
            return [name, name != "--to" ? "new" : path == ["export"] ? "tum" : "bag"]
        }
        let named = arguments.filter { $0.kind != "positional" && !$0.long.isEmpty }.map {
            Tested.Option(names: $0.long, value: $0.kind == "option" ? $0.valueName : nil)
        }
        return [Tested(path: path, needs: operands + options, options: named)]
    }

    /// What the parser says of a command line; nil where it reads it.
    ///
    /// No command is run.
    private func refusal(_ arguments: [String]) async throws -> String? {
        do {
            try WrittenPaths.claim(arguments)
            return nil
        } catch {
            // An error of ours is about the paths.
            guard WrittenPaths.text(of: error).isEmpty else { return nil }
            return try await Command.run(arguments).errors
        }
    }

    @Test func allAreFound() {
        #expect(Self.commands.count > 20)
        for name in ["--dense", "--tag-map", "--poses", "--ping", "--duration"] {
            #expect(Self.commands.contains { $0.has(name) }, "\(name)")
        }
    }

    @Test(
        "every option in seconds takes times as people write them, and says in the same words what is none",
        arguments: commands
    )
    func times(command: Tested) async throws {
        let forms = ["3", "3.5", "3s", "1500ms", "2m", "2min", "1h", "0:03", "1:02:03", "1:02:03.5"]
        for option in command.options {
            let name = option.names[0]
            let isPlace = ["--start", "--end"].contains(name)
            guard isPlace || option.value == "seconds" else { continue }
            let isShared = isPlace || name == "--duration"
            for form in (isShared ? forms : ["3s", "0:03"]) + (isPlace ? ["frame:7", "2026-03-27T14:22:33Z"] : []) {
                let said = try await refusal(command.path + command.needs + [name, form])
                #expect(said == nil, "\(name) \(form)")
            }
            // Which is read together with the others of the connection, as it may be a word.
            guard name != "--reconnect" else { continue }
            for text in ["3x", "1:2", "-3", "nan"] {
                let said = try await refusal(command.path + command.needs + [name, text]) ?? ""
                #expect(said.hasPrefix("mapeverything: \(name): expected a time "), "\(text): \(said)")
                #expect(
                    said.contains(" 0 s") && said.contains("such as 3, 3.5s, 1500ms, 2m, 1h, 0:03 or 1:02:03"),
                    "\(said)"
                )
                #expect(said.contains(", found \(text)"), "\(said)")
            }
        }
    }

    @Test("a number below 0 is taken for a value, not for an option", arguments: commands)
    func numbersBelow0(command: Tested) async throws {
        let numbers: Set = [
            "hz", "metres", "seconds", "count", "degrees", "factor", "times", "n", "threads", "port", "percent", "size",
            "id",
            "area", "level",
        ]
        for option in command.options where numbers.contains(option.value ?? "") {
            for number in ["-1", "-0.5"] {
                let said = try await refusal(command.path + command.needs + [option.names[0], number])
                #expect(
                    said?.contains("Missing value") != true && said?.contains("nvalid option") != true,
                    "\(said ?? "")"
                )
                #expect(said?.contains(number) != false, "\(option.names[0]): \(said ?? "")")
            }
        }
    }

    @Test("--dense takes no path", arguments: commands.filter { $0.has("--dense") })
    func dense(command: Tested) async throws {
        for words in [["--dense"], ["--dense", "640x480"], ["--dense", "960"], ["--dense=off"]] {
            let said = try await refusal(command.path + words + command.needs)
            #expect(said == nil, "\(words)")
        }
    }

    @Test("an unknown letter is named, with the command that has none of that name", arguments: commands)
    func unknownLetters(command: Tested) async throws {
        let expected =
            "expected an option of mapeverything \(command.path.joined(separator: " ")), found none of that name"
        for word in ["-Z", "-Z5"] {
            let outcome = try await Command.run(command.path + command.needs + [word])
            #expect(outcome.status == 2 && outcome.errors.hasPrefix("mapeverything: -Z: \(expected)"), "\(outcome)")
        }
    }

    @Test("options of poses and depth stand in the help of each command that takes them", arguments: commands)
    func posesAndDepth(command: Tested) async throws {
        var shared = ["--refine", "--poses", "--depth", "--dense", "--tag-map"].filter(command.has)
        if command.path == ["refine"] { shared.removeAll { ["--refine", "--poses"].contains($0) } }
        let help = try await Command.succeed(command.path + ["--help"])
        #expect(help.contains("\nPOSES AND DEPTH:\n") == !shared.isEmpty, "\(help)")
        for name in shared { #expect(help.contains(name), "\(name): \(help)") }
    }

    @Test("completions have every option, also those that few need")
    func completions() async throws {
        let bash = try await Command.succeed(["completions", "bash"])
        for command in Self.commands {
            let start = "\n_mapeverything_\(command.path.joined(separator: "_"))() {\n"
            let function = bash.components(separatedBy: start).dropFirst().first?.components(separatedBy: "\n}\n").first
            let words = Set(
                try #require(function, "\(command.path)").split { " \n()|'".contains($0) }.map { String($0) }
            )
            let missing = command.options.flatMap(\.names).filter { !words.contains($0) }
            #expect(missing.isEmpty, "\(command.path): \(missing)")
        }
        for shell in ["zsh", "fish"] {
            let script = try await Command.succeed(["completions", shell])
            for word in ["poses", "tag-map", "stall-timeout"] { #expect(script.contains(word), "\(shell): \(word)") }
        }
        // They do not show in a help from then on.
        #expect(!(try await Command.succeed(["replay", "--help"])).contains("--stall-timeout"))
    }

    @Test("map takes the grid that its advice names, for files that have heights on the Earth")
    func geoidOfMap() async throws {
        let session = try await Samples.plain.value
        let folder = try Scratch()
        for (file, words) in [("x.las", "a geoid grid in GTX format"), ("x.ply", "a map on the Earth")] {
            try await Command.run(["map", session, "-o", folder(file), "--geoid", "/nope"])
                .expectError(2, naming: "--geoid: expected \(words)")
        }
    }
}
