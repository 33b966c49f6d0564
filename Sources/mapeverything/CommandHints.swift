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

    private static func names(_ command: any ParsableCommand.Type) -> [String] {
        [command.configuration.commandName].compactMap(\.self) + command.configuration.aliases
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
            known += commands.flatMap(names)
            if let next = commands.first(where: { names($0).contains(word) }) {
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
        let (command, help) = help(of: arguments)
        let known = Set(help.matches(of: /--[a-z][a-z0-9-]*/).map { String($0.output) }).union(["--help-all"])
        let letters = Set(help.matches(of: /[ (\[]-([A-Za-z])\b/).map { String($0.1) })
        let given = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("-") }.map { String($0.prefix { $0 != "=" }) }
        let unknown = given.first { option in
            if option.hasPrefix("--") { return !known.contains(option) }
            return option.dropFirst().first.map { $0.isLetter && !letters.contains(String($0)) } ?? false
        }
        guard let unknown else { return nil }
        let near = unknown.hasPrefix("--") ? hint(unknown, among: known.sorted()) : ""
        return "\(unknown): expected an option of `mapeverything \(command)`, found none of that name\(near)"
    }

    /// True for an option whose value is a number of seconds, or a place in time.
    static func takesSeconds(_ option: String, _ arguments: [String]) -> Bool {
        let help = help(of: arguments).text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return help.matches(of: /((?:-[-a-z0-9]+,? )+)<(?:seconds|place)>/).contains { match in
            match.1.split(whereSeparator: { ", ".contains($0) }).contains { $0 == option }
        }
    }

    /// The name of a command line's command, and all of its help.
    private static func help(of arguments: [String]) -> (command: String, text: String) {
        var command: any ParsableCommand.Type = isPath(arguments.first) ? GlanceCommand.self : MapEverything.self
        for word in arguments {
            guard let next = command.configuration.subcommands.first(where: { names($0).contains(word) }) else { break }
            command = next
        }
        return (command.configuration.commandName ?? "", MapEverything.helpMessage(for: command, includeHidden: true))
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
        return !MapEverything.configuration.subcommands.flatMap(names).contains(word) && !FileEntry(at: word).isAbsent
    }

    private static func hint(_ word: String, among known: [String]) -> String {
        if known.contains("serve"), let command = elsewhere[word] { return "; did you mean \(command)?" }
        return Spelling.nearest(to: word, among: known).map { "; did you mean \($0)?" } ?? ""
    }
}
