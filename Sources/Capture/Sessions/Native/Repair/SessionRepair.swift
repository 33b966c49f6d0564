package import Platform
package import SystemPackage

/// Makes a damaged session in the native layout sound.
///
/// Lines that do not read are left out, claims of payloads that are not there are taken back, metadata.json is written
/// from the frames where it is missing or wrong, and payloads that no line names go. Records that could be read before
/// are the same afterwards. The original is never changed unless that is asked for, and then keeps everything that is
/// left out in a folder of its own.
package struct SessionRepair: Sendable {
    private let path: String
    private let jobs: Int

    /// - Parameter jobs: how many frames the check of the result decodes at a time.
    package init(path: String, jobs: Int = 1) {
        self.path = path
        self.jobs = jobs
    }

    /// Where a repaired session goes if nothing else is said: beside the original.
    package var defaultOutput: FilePath {
        var path = FilePath(path)
        if ["frames.jsonl", "metadata.json"].contains(path.lastComponent?.string) { path.removeLastComponent() }
        if ["zip", "tar"].contains(path.extension) { path.extension = nil }
        guard let name = path.lastComponent, name.kind == .regular else { return FilePath("session_repaired") }
        path.removeLastComponent()
        return path.appending("\(name.string)_repaired")
    }

    /// Writes the mended session to a new folder, whose payloads are hard links to those of the original, or copies.
    ///
    /// - Parameter progress: is told how far the check of the result is.
    /// - Throws: a ``SessionError`` or ``Problem`` when nothing can be read, a ``SessionRepairError`` when nothing can be
    ///   written; a folder that was begun is removed.
    package func repair(
        to output: FilePath? = nil,
        progress: @escaping ProgressHandler = { _ in }
    ) async throws -> SessionRepairReport {
        progress(WorkProgress("repairing", 0, of: 1, .steps))
        let output = output ?? defaultOutput
        let files = try SessionFormats.nativeFiles(at: path)
        let plan = try RepairPlan(NativeSession(files: files, path: path))
        guard !plan.isEmpty else { return try await report(plan, output: nil, checking: path, progress) }
        try RepairedFolder(plan, files: files, archive: FilePath(path)).write(to: output)
        return try await report(plan, output: output, checking: output.string, progress)
    }

    /// Mends the session where it is: every file is replaced in one step, and what is left out moves to a folder in it.
    ///
    /// - Throws: as ``repair(to:)``; an archive cannot be repaired in place.
    package func repairInPlace(progress: @escaping ProgressHandler = { _ in }) async throws -> SessionRepairReport {
        progress(WorkProgress("repairing", 0, of: 1, .steps))
        let files = try SessionFormats.nativeFiles(at: path)
        guard let folder = files as? FolderFiles else { throw SessionRepairError.archiveInPlace(path: path) }
        let plan = try RepairPlan(NativeSession(files: files, path: path))
        guard !plan.isEmpty else { return try await report(plan, output: nil, checking: path, progress) }
        // A plan by what could be read only in part would leave out what is there.
        try SystemFault.check()
        let setAside = try RepairInPlace(plan: plan, files: folder).run()
        var report = try await report(plan, output: folder.root, checking: path, progress)
        report.setAside = setAside
        return report
    }

    private func report(
        _ plan: RepairPlan,
        output: FilePath?,
        checking: String,
        _ progress: @escaping ProgressHandler
    ) async throws -> SessionRepairReport {
        SessionRepairReport(
            output: output,
            setAside: nil,
            mended: plan.mended,
            streams: plan.streams,
            leftOutFileCount: plan.leftOutFiles.count,
            leftOutFiles: Array(plan.leftOutFiles.prefix(SessionCheck.placesPerKind)),
            metadata: plan.metadata.outcome,
            check: try await SessionCheck(path: checking, jobs: jobs).run(progress: progress)
        )
    }
}

/// The result of a repair: what was mended, what is lost, and what is left.
package struct SessionRepairReport: Sendable {
    /// Lines of one stream.
    package struct Stream: Hashable, Sendable {
        package var file: String
        package var keptLines: Int
        package var leftOutLines: Int
    }

    /// The outcome of metadata.json.
    package enum Metadata: String, Sendable {
        case kept
        /// Its frameCount was wrong.
        case corrected
        /// It was missing, did not read, or belonged to another session, and was made up from the frames.
        case written
    }

    /// Where the mended session is; `nil` if there was nothing to mend, and nothing was written.
    package var output: FilePath?
    /// The folder of the session that holds everything that a repair in place left out.
    package var setAside: String?
    /// Everything that was wrong with the session and no longer is.
    package var mended: Diagnostics
    /// The streams that lost lines or were changed; the others are as they were.
    package var streams: [Stream]
    /// Payloads that were left out: how many, and the first of them.
    package var leftOutFileCount: Int
    package var leftOutFiles: [String]
    package var metadata: Metadata
    /// The session as it is now; its findings are what could not be mended.
    package var check: SessionCheckReport
}

/// Why a session cannot be repaired.
package enum SessionRepairError: Error, Sendable, CustomStringConvertible {
    /// An archive is never changed.
    case archiveInPlace(path: String)
    /// The system refused something.
    case failed(path: FilePath, operation: String, reason: Errno)

    package var description: String {
        switch self {
        case .archiveInPlace(let path): "repair: \(path): expected a folder to repair in place, found an archive"
        case .failed(let path, let operation, let reason): "repair: \(path): cannot \(operation): \(reason)"
        }
    }
}
