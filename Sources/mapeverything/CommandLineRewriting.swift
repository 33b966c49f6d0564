import Files

/// What the argument parser does not know: options whose value may be left out (`--loop`, `--clock`), and `export --format`, which
/// other programs call what is `--to` here.
enum CommandLineRewriting {
    private static let defaults = ["--loop": "0", "-l": "0", "--clock": "40"]

    /// What was given, without the command itself; paths that are no UTF-8 lead where they lead.
    static var arguments: [String] {
        (1..<max(1, Int(CommandLine.argc))).compactMap { place in
            CommandLine.unsafeArgv[place].map { ForeignPath.text($0) }
        }
    }

    /// Gives the bare word its default value; `--loop=3` and `--loop 3` stay what they are.
    static func rewritten(_ arguments: [String]) -> [String] {
        var result: [String] = []
        for (index, argument) in arguments.enumerated() {
            result.append(arguments.first == "export" && argument == "--format" ? "--to" : argument)
            if argument == "--" { return result + arguments[(index + 1)...] }
            guard let value = defaults[argument] else { continue }
            let next = index + 1 < arguments.count ? arguments[index + 1] : ""
            if Double(next) == nil { result.append(value) }
        }
        return result
    }
}
