/// Forms that the argument parser does not know: options whose value may be left out (`--loop`, `--clock`, `--dense`, `--drift`),
/// values that begin with a minus, `--help-all`, names that options had before, and a path in place of a command.
enum CommandLineRewriting {
    private static let defaults = ["--loop": "0", "-l": "0", "--clock": "40", "--dense": "960", "--drift": "phone"]

    /// The names of before, which scripts have and no help shows, by command.
    private static let former = ["trim": ["--rate": "--max-hz"], "map": ["--every": "--all-frames"]]

    /// The arguments with the names that options have now.
    static func renamed(_ arguments: [String]) -> [String] {
        guard let former = former[arguments.first ?? ""] else { return arguments }
        let options = arguments.prefix { $0 != "--" }
        return options.map { word in
            let name = word.prefix { $0 != "=" }
            return former[String(name)].map { $0 + word.dropFirst(name.count) } ?? word
        } + arguments[options.count...]
    }

    /// Gives the bare word its default value; `--loop=3` and `--loop 3` stay what they are, and `--min-depth -1` becomes one word.
    static func rewritten(_ arguments: [String]) -> [String] {
        var result = CommandHints.isPath(arguments.first) ? [GlanceCommand.name] : []
        lazy var options = CommandOptions(arguments)
        let arguments = renamed(arguments)
        for (index, argument) in arguments.enumerated() {
            if argument == "--" { return result + arguments[index...] }
            if isNegative(argument), let option = result.last, option.hasPrefix("-"), options.valued.contains(option) {
                result[result.count - 1] += "=" + argument
                continue
            }
            result.append(argument == "--help-all" ? "--help-hidden" : argument)
            let next = index + 1 < arguments.count ? arguments[index + 1] : ""
            if let value = defaults[argument], !isValue(next, of: argument) { result.append(value) }
        }
        return result
    }

    /// True for what the parser would take for an option, though none is called by a digit.
    private static func isNegative(_ word: String) -> Bool { word.prefixMatch(of: /-\.?[0-9]/) != nil }

    /// True for a word that is no path.
    private static func isValue(_ word: String, of option: String) -> Bool {
        if Double(word) != nil { return true }
        return switch option {
        case "--dense": word == "off" || word.wholeMatch(of: /[0-9]+x[0-9]+/) != nil
        case "--drift": word == "phone"
        default: false
        }
    }
}
