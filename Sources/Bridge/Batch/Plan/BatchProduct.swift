/// The product that a unit makes of a recording, as `batch plan --to` names it: bag, mcap, map, report, check or
/// export:FORMAT.
package struct BatchProduct: Hashable, Sendable {
    package enum Verb: String, Sendable, CaseIterable {
        case bag, mcap, map, report, check, export
    }

    /// The texts that ``init(_:)`` takes.
    package static let words = "bag, mcap, map, report, check or export:FORMAT"

    package var verb: Verb
    /// The format of an export; empty for the others.
    package var format: String

    /// Nil for a text that names none.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map { String($0) }
        guard let verb = Verb(rawValue: parts[0]), (parts.count == 2 && !parts[1].isEmpty) == (verb == .export) else {
            return nil
        }
        self.verb = verb
        format = verb == .export ? parts[1] : ""
    }

    package var text: String { verb == .export ? "export:\(format)" : verb.rawValue }

    /// The command that makes it, without the program and the options that were asked for.
    func arguments(input: String, output: String) -> [String] {
        switch verb {
        case .bag: ["bag", input, "-o", output]
        case .mcap: ["bag", input, "-o", output, "--storage", "mcap"]
        case .map: ["map", input, "-o", output]
        case .report: ["report", input, "-o", output]
        case .check: ["check", input, "--report", output]
        case .export: ["export", input, "-o", output, "--to", format]
        }
    }

    /// True if a status means that the output is whole: a check of a damaged recording is as good as another.
    func isDone(_ status: Int32) -> Bool { status == 0 || (verb == .check && status == 1) }

    /// The cost of a recording, of which a plan knows its bytes and, perhaps, its frames.
    ///
    /// Seconds of one core of the machine in docs/scale.md; they are there to make shards equally long.
    func seconds(bytes: Int, frames: Int?) -> Double {
        // Where frames are not counted, a frame of a real capture has about 400 kB.
        let frames = Double(frames ?? bytes / 400_000)
        let perFrame =
            switch verb {
            case .bag, .mcap: 0.004
            case .map: 0.02
            case .report: 0.01
            case .check: 0.03
            case .export: 0.02
            }
        return 0.05 + frames * perFrame + Double(bytes) * 2e-9
    }

    /// The memory that a unit asks for, and may not exceed, unless the plan says otherwise.
    ///
    /// Five times and more of what `bag` was measured to take; a map's field may have 2 GB, and its mesh comes on top.
    package var memoryBytes: Int {
        switch verb {
        case .bag, .mcap: 512 << 20
        case .report, .check: 1 << 30
        case .map, .export: 4 << 30
        }
    }
}
