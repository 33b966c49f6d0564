/// The kinds of files that frames have.
package enum PayloadKind: String, Hashable, Sendable, CaseIterable, Comparable {
    case images
    case depth
    case confidence

    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// How many frames should have a file of one kind, and how many have one: counted over the whole recording.
package struct PayloadAccount: Hashable, Sendable {
    /// What a format or a list says of one kind of file.
    package enum Promise: Hashable, Sendable {
        /// Frames may have one.
        case free
        /// All frames have one, or none has.
        case allOrNone
        /// At least one frame has one.
        case any
        /// Each frame has one: of a list that names files, each for which it names one.
        case each
    }

    package var promise = Promise.free
    /// Frames that may have one; of a list that names files, those for which it names one.
    package var possible = 0
    /// Frames that have one.
    package var found = 0
    /// Whether what is missing of it stands among the problems of the opened session already.
    package var isSaid = false

    package init(_ promise: Promise = .free) { self.promise = promise }

    /// Counts a frame that may have one.
    mutating func count(_ isThere: Bool) {
        possible += 1
        if isThere { found += 1 }
    }

    /// Whether a frame without one has lost it.
    package var isExpectedOfEach: Bool { promise == .each || promise == .allOrNone && found > 0 }

    /// Frames that have lost theirs.
    package var missing: Int {
        isExpectedOfEach || promise == .any && found == 0 ? max(0, possible - found) : 0
    }

    /// Whether the recording should have such files, and has none at all.
    package var isAbsent: Bool { found == 0 && missing > 0 }

    /// Frames that have one, or should have.
    package var expected: Int { found + missing }

    /// `12`, `29 of 30`, `none of 30`.
    package var text: String {
        if missing == 0 { return "\(found)" }
        return "\(found == 0 ? "none" : "\(found)") of \(expected)"
    }
}

extension SessionSummary {
    /// What frames have lost of their files, beyond what was counted when the session was opened: they are counted by
    /// name where the frames are read.
    package var uncountedLosses: [(kind: PayloadKind, account: PayloadAccount)] {
        payloads.filter { !$0.value.isSaid && $0.value.missing > 0 }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
    }

    /// Why there is nothing of a kind.
    package func absence(of kind: PayloadKind) -> String {
        let account = payloads[kind] ?? PayloadAccount()
        return "the session has no \(kind.rawValue)" + (account.isAbsent ? ": \(account.text) is there" : "")
    }
}
