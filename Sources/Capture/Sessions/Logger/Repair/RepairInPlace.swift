import Glibc
import SystemPackage

/// Mends a session where it is: what is changed or left out is kept in a folder of the session first.
struct RepairInPlace {
    private let plan: RepairPlan
    private let files: FolderFiles

    init(_ plan: RepairPlan, files: FolderFiles) {
        self.plan = plan
        self.files = files
    }

    /// Returns the name of the folder that keeps what was there.
    func run() throws -> String {
        let name = freeName()
        let aside = files.root.appending(name)
        try RepairFiles.makeFolder(aside)
        let frames = files.modificationTimeNanoseconds(of: FrameLine.file)
        for stream in plan.streams {
            let file = files.root.appending(stream.file)
            let time = files.modificationTimeNanoseconds(of: stream.file)
            try replace(file, aside.appending(stream.file), time) { temporary in
                try RepairFiles.write(plan.mending(of: stream.file), files, to: temporary)
            }
        }
        if plan.metadata.outcome != .kept {
            let file = files.root.appending(LoggerMetadata.file)
            let isTheirs = plan.metadata.outcome == .corrected
            let time = isTheirs ? files.modificationTimeNanoseconds(of: LoggerMetadata.file) : frames
            try replace(file, aside.appending(LoggerMetadata.file), time) { temporary in
                try RepairFiles.write(plan.metadata.text, to: temporary)
            }
        }
        // Last: until here every line that named one of these was still there.
        for file in plan.leftOutFiles {
            let destination = aside.appending(FilePath(file).components)
            try RepairFiles.makeFolder(destination.removingLastComponent())
            try RepairFiles.rename(files.root.appending(FilePath(file).components), to: destination)
        }
        return name
    }

    /// Keeps the old file under another name, and gives its name to the new one in one step.
    private func replace(
        _ file: FilePath,
        _ kept: FilePath,
        _ time: Int64?,
        _ write: (FilePath) throws -> Void
    ) throws {
        let temporary = FilePath(file.string + ".tmp")
        do {
            try write(temporary)
            if let time { RepairFiles.setTime(time, of: temporary) }
            if access(file.string, F_OK) == 0 { try RepairFiles.keep(file, as: kept) }
            try RepairFiles.rename(temporary, to: file)
        } catch {
            unlink(temporary.string)
            throw error
        }
    }

    /// `set-aside`, or with a number if an earlier repair left one.
    private func freeName() -> String {
        var name = "set-aside"
        var number = 2
        while access(files.root.appending(name).string, F_OK) == 0 {
            name = "set-aside-\(number)"
            number += 1
        }
        return name
    }
}
