import ArgumentParser
import Bags
import Platform
import Sessions
import SystemPackage
import Text

/// Hints for a command line that is refused: what was probably meant.
enum CommandHints {
    private static let forSessions: Set<String> = ["bag"]
    private static let forBags: Set<String> = ["convert"]

    /// What other programs call what is a command here.
    private static let elsewhere = [
        "view": "serve", "show": "serve", "open": "serve", "live": "serve", "publish": "replay", "fix": "repair",
        "recover": "repair", "reindex": "repair", "doctor": "check", "validate": "check", "verify": "check",
        "ls": "list",
        "mesh": "map", "slam": "refine", "cut": "trim", "filter": "convert", "merge": "convert", "version": "--version",
    ]

    /// The right command for what is at the path, where the wrong one was given.
    static func wrongInput(_ arguments: [String]) -> String? {
        guard let command = arguments.first else { return nil }
        for path in arguments.dropFirst() where !path.hasPrefix("-") {
            if forSessions.contains(command), BagReader.looksLikeBag(FilePath(path)) {
                return
                    "\(path) is a bag: `inspect`, `check`, `report`, `replay`, `serve`, `convert` and `export` take any bag."
            }
            if forBags.contains(command), SessionFormats.likeness(of: path) == .session, !isOtherArchive(path) {
                return "\(path) is a session: `mapeverything bag \(path) -o DIR` writes a bag from it."
            }
        }
        return nil
    }

    /// True for an archive of something else than a session, such as a bag: only its files tell.
    private static func isOtherArchive(_ path: String) -> Bool {
        guard FileType(of: FilePath(path)) == .regular else { return false }
        do {
            _ = try SessionFormats.open(path: path)
        } catch SessionError.notASession {
            return true
        } catch {}
        return false
    }

    /// A command that there is not, with the nearest one that there is; `nil` where the first word is one.
    static func unknownCommand(_ arguments: [String]) -> String? {
        guard !isPath(arguments.first) else { return nil }
        let asksForHelp = arguments.first == "help"
        let words = asksForHelp ? Array(arguments.dropFirst()) : arguments
        var commands = MapEverything.configuration.subcommands
        var known = ["help"] + (asksForHelp ? HelpTopic.allCases.map(\.rawValue) : [])
        for word in words {
            guard !word.hasPrefix("-"), !commands.isEmpty else { return nil }
            known += commands.flatMap(CommandOptions.names)
            if let next = commands.first(where: { CommandOptions.names($0).contains(word) }) {
                (commands, known) = (next.configuration.subcommands, [])
                continue
            }
            guard !known.contains(word) else { return nil }
            return "\(word): expected a command, found none of that name\(hint(word, among: known))"
        }
        return nil
    }

    /// An option that the command has not, with the nearest one that it has: it is worth more than what is missing.
    static func unknownOption(_ arguments: [String]) -> String? {
        let options = CommandOptions(arguments)
        guard let unknown = options.unknown(in: CommandLineRewriting.renamed(arguments)) else { return nil }
        let expected = "an option of \(options.command)"
        let hint = unknown.hasPrefix("--") ? hint(unknown, among: options.names.sorted()) : ""
        return "\(unknown): expected \(expected), found none of that name\(hint)"
    }

    /// A word that is none of those that an option takes, with all of them where they are few, and the nearest.
    ///
    /// - Parameter text: what the argument parser says of it.
    static func unknownChoice(_ text: String, _ arguments: [String]) -> String? {
        guard let refusal = text.firstMatch(of: /The value '(.*)' is invalid for '(-[a-z0-9-]+)/) else { return nil }
        let (word, option) = (String(refusal.1), refusal.2)
        // Wide, for an option's words to be in one piece.
        let options = CommandOptions(arguments, columns: 10_000)
        let entry = options.help.split(separator: "\n  -").first { entry in
            "-\(entry)".prefix { $0 != "<" && $0 != "\n" }.matches(of: /-[a-z0-9-]+/).contains { $0.output == option }
        }
        guard let words = entry?.firstMatch(of: /\(values: ([^;)]+)/)?.1 else { return nil }
        let known = words.split(separator: ", ").map { String($0) }
        let page = option == "--format" ? "mapeverything help formats" : "\(options.command) --help-all"
        let expected = known.count <= 5 ? known.listed : "a word that `\(page)` lists"
        return "\(option): expected \(expected), found \(word)\(hint(word, among: known))"
    }

    /// Advice on a command line that the argument parser refuses.
    static func misreading(_ text: String, _ arguments: [String]) -> String? {
        guard text.contains("Missing expected argument '<"),
            let option = arguments.first(where: { ["--topics", "--exclude-topics", "--remap"].contains($0) })
        else { return nil }
        return "\(option) takes every word after it: put the path before it."
    }

    /// True for a word that names no command, and something that is there.
    static func isPath(_ word: String?) -> Bool {
        guard let word, !word.hasPrefix("-"), word != "help" else { return false }
        return !MapEverything.configuration.subcommands.flatMap(CommandOptions.names).contains(word)
            && !FileEntry(at: word).isAbsent
    }

    static func hint(_ word: String, among known: [String]) -> String {
        if known.contains("serve"), let command = elsewhere[word] { return "; did you mean \(command)?" }
        return Spelling.nearest(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
    }
}

/// The options of the command that a command line is for, as its help has them.
struct CommandOptions {
    /// The command with those that it is below of, as it is called.
    let command: String
    private(set) var names: Set<String> = ["--help-all"]
    /// Those that have a value.
    private(set) var valued: Set<String> = []

    /// All of the command's help.
    let help: String

    /// - Parameter columns: the width of the help; nil for that of the terminal.
    init(_ arguments: [String], columns: Int? = nil) {
        let isGlance = CommandHints.isPath(arguments.first)
        var type: any ParsableCommand.Type = isGlance ? GlanceCommand.self : MapEverything.self
        var words = ["mapeverything"]
        for word in arguments {
            guard let next = type.configuration.subcommands.first(where: { Self.names($0).contains(word) }) else {
                break
            }
            type = next
            words.append(next.configuration.commandName ?? word)
        }
        command = words.joined(separator: " ")
        help = MapEverything.helpMessage(for: type, includeHidden: true, columns: columns)
        for line in help.split(separator: "\n") where line.hasPrefix("  -") {
            let label = line.split(separator: " ").prefix { $0.hasPrefix("-") || $0.hasPrefix("<") }
            let found = label.flatMap { $0.split { ",/".contains($0) } }.filter { $0.hasPrefix("-") }.map { String($0) }
            names.formUnion(found)
            if label.last?.hasPrefix("<") == true { valued.formUnion(found) }
        }
    }

    static func names(_ command: any ParsableCommand.Type) -> [String] {
        [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
    }

    /// The first word, or letter of a word, that is no option of the command.
    func unknown(in arguments: [String]) -> String? {
        for word in arguments.prefix(while: { $0 != "--" }) where word.hasPrefix("-") {
            let name = String(word.prefix { $0 != "=" })
            if name.hasPrefix("--") {
                if !names.contains(name) { return name }
                continue
            }
            for letter in name.dropFirst() {
                // No option is called by a digit: it is part of a number, as in -1 and -j4.
                guard letter.isLetter else { break }
                if !names.contains("-\(letter)") { return "-\(letter)" }
            }
        }
        return nil
    }
}
