/// Forms that the argument parser does not know: options whose value may be left out (`--loop`, `--clock`), `--help-all`, and a path
/// in place of a command.
enum CommandLineRewriting {
    private static let defaults = ["--loop": "0", "-l": "0", "--clock": "40"]

    /// Gives the bare word its default value; `--loop=3` and `--loop 3` stay what they are.
    static func rewritten(_ arguments: [String]) -> [String] {
        var result = CommandHints.isPath(arguments.first) ? [GlanceCommand.name] : []
        for (index, argument) in arguments.enumerated() {
            result.append(argument == "--help-all" ? "--help-hidden" : argument)
            if argument == "--" { return result + arguments[(index + 1)...] }
            guard let value = defaults[argument] else { continue }
            let next = index + 1 < arguments.count ? arguments[index + 1] : ""
            if Double(next) == nil { result.append(value) }
        }
        return result
    }
}
