import Text

/// Forms that the argument parser does not know: options whose value may be left out (`--loop`, `--clock`, `--dense`), numbers below 0,
/// times as people write them, `--help-all`, and a path in place of a command.
enum CommandLineRewriting {
    private static let defaults: [String: (value: String, isValue: @Sendable (String) -> Bool)] = [
        "--loop": ("0", isNumber), "-l": ("0", isNumber), "--clock": ("40", isNumber),
        "--dense": ("960", { $0 == "off" || $0.wholeMatch(of: /\d+(x\d+)?/) != nil }),
    ]

    /// Gives the bare word its default value; `--loop=3` and `--loop 3` stay what they are.
    static func rewritten(_ arguments: [String]) -> [String] {
        var result = CommandHints.isPath(arguments.first) ? [GlanceCommand.name] : []
        var index = 0
        while index < arguments.count {
            let argument = arguments[index]
            index += 1
            if argument == "--" { return result + arguments[(index - 1)...] }
            let next = index < arguments.count ? arguments[index] : ""
            if let option = defaults[argument] {
                result.append(argument)
                if !option.isValue(next) { result.append(option.value) }
            } else if argument.hasPrefix("--"), let equals = argument.firstIndex(of: "=") {
                let value = String(argument[argument.index(after: equals)...])
                result.append(argument[...equals] + seconds(value, of: String(argument[..<equals]), arguments))
            } else if argument.hasPrefix("--"), next.hasPrefix("-"), isNumber(next) {
                // Alone it would be taken for an option.
                result.append("\(argument)=\(next)")
                index += 1
            } else {
                result.append(argument == "--help-all" ? "--help-hidden" : argument)
                let value = seconds(next, of: argument, arguments)
                guard value != next else { continue }
                result.append(value)
                index += 1
            }
        }
        return result
    }

    @Sendable private static func isNumber(_ text: String) -> Bool { Double(text) != nil }

    /// A value as seconds, where it is a time with a unit or with colons, and that of an option in seconds; else as it is.
    private static func seconds(_ value: String, of option: String, _ arguments: [String]) -> String {
        guard let seconds = ReadableTime.seconds(value), CommandHints.takesSeconds(option, arguments) else {
            return value
        }
        return "\(seconds)"
    }
}

/// Lengths of time as people write them.
enum ReadableTime {
    private static let units: [(name: String, seconds: Double)] = [
        ("ms", 0.001), ("min", 60), ("s", 1), ("m", 60), ("h", 3600),
    ]

    /// `3s`, `1.5h`, `1500ms`, `2min`, `0:03`, `1:02:03.5`; nil for everything else, also for a plain number.
    static func seconds(_ text: String) -> Double? {
        if let unit = units.first(where: { text.hasSuffix($0.name) }) {
            return digits(text.dropLast(unit.name.count)).map { $0 * unit.seconds }
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let last = parts.last, last.prefix(while: { $0 != "." }).count == 2 else {
            return nil
        }
        var sum = 0.0
        for (place, part) in parts.enumerated() {
            guard let value = digits(part), place == parts.count - 1 || !part.contains("."), place == 0 || value < 60
            else {
                return nil
            }
            sum = sum * 60 + value
        }
        return sum
    }

    private static func digits(_ text: Substring) -> Double? {
        guard text.first?.isASCII ?? false, text.first?.isNumber ?? false, text.allSatisfy({ $0.isNumber || $0 == "." })
        else {
            return nil
        }
        return Double(text)
    }
}
