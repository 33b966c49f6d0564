package import Text

/// A reading for people: one line.
extension ProgressMeter.Reading {
    /// Such as `checking  120 of 1800 frames  7 %  45 frames/s  37 s left`.
    package var text: String {
        var parts = [work.stage, amount].filter { !$0.isEmpty }
        if let share, !amount.isEmpty { parts.append("\((share * 100).text(decimals: 0)) %") }
        if let rate, rate > 0, work.unit != .steps { parts.append(rateText(rate)) }
        if let secondsLeft { parts.append("\(Self.duration(secondsLeft)) left") }
        return parts.joined(separator: "  ")
    }

    /// One step has no amount that says anything.
    private var amount: String {
        if work.unit == .steps, work.total == 1 { return "" }
        let total = work.total.map { " of \(number($0))" } ?? ""
        return "\(number(work.done))\(total) \(work.unit == .seconds ? "s" : work.unit.rawValue)"
    }

    private func number(_ value: Double) -> String { value.text(decimals: work.unit == .seconds ? 1 : 0) }

    /// Seconds of the recording a second are how many times as fast as the recording it goes.
    private func rateText(_ rate: Double) -> String {
        let number = rate.text(decimals: rate < 9.95 ? 1 : 0)
        return work.unit == .seconds ? "\(number)x" : "\(number) \(work.unit.rawValue)/s"
    }

    /// In two units at most.
    package static func duration(_ seconds: Double) -> String {
        guard seconds < 360_000 else { return "more than 99 h" }
        let whole = Int(max(0, seconds).rounded(.up))
        if whole < 60 { return "\(whole) s" }
        func padded(_ value: Int) -> String { value < 10 ? "0\(value)" : "\(value)" }
        if whole < 3600 { return "\(whole / 60) min \(padded(whole % 60)) s" }
        return "\(whole / 3600) h \(padded(whole / 60 % 60)) min"
    }

    /// A text that fits into a line of a terminal with so many columns, and leaves the last one free.
    package static func fitted(_ text: String, columns: Int) -> String {
        guard text.count >= columns else { return text }
        return String(text.prefix(max(0, columns - 1)))
    }
}

/// A reading for programs: the same members for every command.
extension ProgressMeter.Reading {
    package func members(command: String) -> [(String, JSONValue)] {
        [
            ("command", .string(command)), ("stage", .string(work.stage)), ("state", .string(state.rawValue)),
            ("done", value(work.done)), ("total", work.total.map(value) ?? .null),
            ("unit", .string(work.unit.rawValue)),
            ("per_second", .number(rate)), ("elapsed_s", .number(elapsedSeconds)), ("left_s", .number(secondsLeft)),
        ]
    }

    /// Returns an amount as JSON; an amount in a unit other than seconds is a whole number.
    private func value(_ amount: Double) -> JSONValue {
        guard work.unit != .seconds, let count = Int(exactly: amount) else { return .number(amount) }
        return .integer(count)
    }
}
