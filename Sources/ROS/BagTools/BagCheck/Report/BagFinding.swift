/// Something that the check of a bag found: what, how bad, how often, where, and what to do about it.
///
/// Findings of one kind, topic and severity are one, with a count and the first few places.
package struct BagFinding: Sendable, Hashable {
    package enum Severity: String, Sendable, Hashable, Comparable, CaseIterable {
        /// Worth knowing; nothing is wrong.
        case note
        /// Nothing is lost, but a reader may refuse it, or the recording is not what it should be.
        case warning
        /// Something is lost, or some reader gets it wrong.
        case error

        private var rank: Int {
            switch self {
            case .note: 0
            case .warning: 1
            case .error: 2
            }
        }

        package static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }
    }

    /// Where in a file.
    package enum Position: Sendable, Hashable {
        case file
        /// The `id` of a row of the table `messages`.
        case row(Int64)
        /// Bytes from the start of the file.
        case byte(Int)
        /// Bytes from the start of the uncompressed content of the chunk at `chunk`.
        case chunkByte(chunk: Int, Int)
    }

    package struct Place: Sendable, Hashable {
        /// The name in the bag's directory; empty for the bag as a whole.
        package var file: String
        package var position: Position
        /// The row's time, in nanoseconds since 1970.
        package var timeNanoseconds: Int64?
        package var expected: String
        package var found: String

        package var description: String {
            var parts = file.isEmpty ? [] : [file]
            switch position {
            case .file: break
            case .row(let row): parts.append("row \(row)")
            case .byte(let offset): parts.append("byte \(offset)")
            case .chunkByte(let chunk, let offset): parts.append("byte \(offset) of the chunk at \(chunk)")
            }
            let place = parts.isEmpty ? "" : parts.joined(separator: " ") + ": "
            return "\(place)expected \(expected), found \(found)"
        }
    }

    package var severity: Severity
    package var kind: BagFindingKind
    /// The topic; nil where it concerns a file or the bag.
    package var topic: String?
    /// How often, of which `places` are the first.
    package var count: Int
    package var places: [Place]
    /// The names of all files in which it occurs, in the order in which it was met.
    package var files: [String] = []

    /// The advice on what to do about the finding.
    package var advice: String {
        let special: String? =
            switch severity {
            case .note: kind.adviceForNote
            case .warning: nil
            case .error: kind.adviceForError
            }
        return special ?? kind.advice
    }

    /// How many places of a finding are kept.
    package static let keptPlaces = 5
}
