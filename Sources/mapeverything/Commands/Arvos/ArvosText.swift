import Arvos
import JSONText

/// What was received as Arvos, for people and machines.
struct ArvosText {
    let counts: ArvosCounts

    /// A line for each thing that is to be said.
    var lines: [String] {
        var lines: [String] = []
        let kinds = Self.list(counts.messages)
        if !kinds.isEmpty { lines.append("received: \(kinds)") }
        if counts.rejectedCount > 0 {
            lines.append("rejected: \(counts.rejectedCount) (\(Self.list(rejected)))")
            lines += counts.examples.map { "  \($0)" }
        }
        if counts.lostInSequence > 0 {
            lines.append("lost on the way, as the senders' numbers say: \(counts.lostInSequence) messages")
        }
        if counts.withoutGravity > 0 {
            lines.append("\(counts.withoutGravity) IMU samples came without gravity: whether theirs is in is not known")
        }
        return lines
    }

    var json: [(String, JSONValue)] {
        [
            ("received", Self.object(counts.messages)), ("rejected", Self.object(rejected)),
            ("examples", .strings(counts.examples)), ("lost_in_sequence", .integer(counts.lostInSequence)),
            ("without_gravity", .integer(counts.withoutGravity)),
        ]
    }

    private var rejected: [String: Int] {
        Dictionary(uniqueKeysWithValues: counts.rejected.map { ($0.key.rawValue, $0.value) })
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func object(_ counts: [String: Int]) -> JSONValue {
        .object(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer($0.value)) })
    }
}
