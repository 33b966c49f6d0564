import Platform
import Sessions
package import SystemPackage
import Text

/// How far the units of a manifest are in a target.
package struct BatchStatus: Sendable {
    package private(set) var done = 0
    package private(set) var missing = 0
    package private(set) var failures: [(unit: BatchUnit, failure: UnitFailure)] = []

    /// - Parameter reads: True if the files of units that are done are read, and compared with their hashes.
    package static func read(
        _ manifest: FilePath,
        _ selection: BatchManifest.Selection,
        _ target: BatchTarget,
        reads: Bool
    ) throws -> BatchStatus {
        var status = BatchStatus()
        try BatchManifest.read(manifest, selection) { unit in
            if target.isDone(unit, reads: reads) {
                status.done += 1
            } else if let failure = target.failure(of: unit) {
                status.failures.append((unit, failure))
            } else {
                status.missing += 1
            }
        }
        return status
    }

    package func count(_ kind: UnitFailure.Class) -> Int { failures.count { $0.failure.kind == kind } }

    /// 0 where all is done, 65 where only what fails for good is not, 69 where something is to be run.
    package var exitStatus: Int32 { missing + count(.again) > 0 ? 69 : failures.isEmpty ? 0 : 65 }
}

/// The verdict on a recording, by the problems that the result of its unit counts.
struct BatchVerdict {
    let errors: Int64
    let warnings: Int64

    /// Counts the problems that the command met, or else those of the recording's small files.
    init(_ success: UnitSuccess) {
        let recording = success.json["recording"] ?? .null
        guard let problems = success.json["problems"]?.object?.members, !problems.isEmpty else {
            (errors, warnings) = (recording["lost"]?.integer ?? 0, recording["warnings"]?.integer ?? 0)
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

    var text: String { Verdict(errors: Int(errors), warnings: Int(warnings)).word.rawValue }
}
