package import Bags
package import SystemPackage

/// Makes a damaged bag sound, and says what was saved and what is lost.
///
/// The bag that is there stays as it is unless the repair is in place; and a repair in place that is interrupted leaves
/// the old bag, or what the next repair completes. Whether the result is sound is for `check` to say.
package enum BagRepairer {
    package enum Destination: Sendable {
        /// A directory to be made. A sound bag is not copied.
        case newBag(FilePath)
        /// Where the bag is.
        case inPlace
    }

    /// Repairs a directory, or one storage file alone.
    ///
    /// - Throws: `BagError`: `notFound`, `cannotCreate`, `io`; `damaged` where nothing at all can be saved.
    package static func repair(
        _ path: FilePath,
        _ destination: Destination,
        options: BagCheckOptions = BagCheckOptions()
    ) throws(BagError) -> RepairReport {
        var job = try RepairJob(path, destination, options)
        var report: RepairReport
        do {
            report = try job.run()
        } catch {
            job.giveUp()
            throw error
        }
        try judge(&report, options)
        return report
    }

    /// Adds the errors that `check` still finds in the bag as it is now.
    private static func judge(_ report: inout RepairReport, _ options: BagCheckOptions) throws(BagError) {
        let check = try BagChecker.check(report.output, options: options)
        report.remainingErrors = check.findings.filter { $0.severity == .error }
        guard !report.files.isEmpty, check.messageCount != report.messageCount else { return }
        report.miscount = check.messageCount
    }
}
