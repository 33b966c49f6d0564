import SystemPackage

/// Writes a mended session as a new folder.
struct RepairedFolder {
    private let plan: RepairPlan
    private let files: any SessionFiles
    private let copy: SessionCopy

    init(_ plan: RepairPlan, files: any SessionFiles, archive: FilePath) {
        self.plan = plan
        self.files = files
        copy = SessionCopy(files: files, archive: archive)
    }

    func write(to output: FilePath) throws {
        try copy.write(to: output) { folder in
            let left = Set(plan.leftOutFiles)
            let mended = Set(plan.streams.map(\.file))
            try copy.copyFiles(to: folder) { file in
                if file == LoggerMetadata.file, plan.metadata.outcome != .kept { return false }
                return !left.contains(file) && !mended.contains(file)
            }
            for stream in plan.streams {
                try RepairFiles.write(plan.mending(of: stream.file), files, to: folder.appending(stream.file))
            }
            if plan.metadata.outcome != .kept {
                try RepairFiles.write(plan.metadata.text, to: folder.appending(LoggerMetadata.file))
            }
            copy.keepTimes(folder, hasOwnMetadata: plan.metadata.outcome == .written)
        }
    }
}
