import Sessions
import Text

/// The verdict on a recording, by the problems that the result of its unit counts.
struct BatchVerdict {
    let errors: Int64
    let warnings: Int64

    /// Counts the problems that the command met, or else those of the recording's small files.
    init(_ success: UnitSuccess) {
        let recording = success.json["recording"] ?? .null
        guard let problems = success.json["problems"]?.object?.members, !problems.isEmpty else {
            (errors, warnings) = (recording["lost"]?.integer ?? 0, recording["notices"]?.integer ?? 0)
            return
        }
        func count(_ severity: FindingSeverity) -> Int64 {
            problems.reduce(0) { sum, problem in
                let found = ProblemKind(rawValue: problem.key)?.findingSeverity ?? .warning
                return found == severity ? sum.addingReportingOverflow(problem.value.integer ?? 0).partialValue : sum
            }
        }
        (errors, warnings) = (count(.error), count(.warning))
    }

    var text: String { errors > 0 ? "damaged" : warnings > 0 ? "sound with warnings" : "sound" }
}
