import Platform
package import SystemPackage

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
