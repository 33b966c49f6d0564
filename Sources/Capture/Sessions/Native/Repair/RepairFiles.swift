import Glibc
import Platform
import SystemPackage

/// Writing, linking and moving files, with errors that name the file.
enum RepairFiles {
    /// Appends to a file.
    struct Writer {
        fileprivate let file: OutputFile

        func append(_ bytes: UnsafeRawBufferPointer) throws(SessionRepairError) {
            try attempt { () throws(FileError) in try file.append(bytes) }
        }
    }

    /// Creates a file, has it filled, and waits until it is on the disk.
    static func write(to path: FilePath, _ body: (Writer) throws -> Void) throws {
        let file = try attempt { () throws(FileError) in try OutputFile(creating: path, replaced: true) }
        try body(Writer(file: file))
        try attempt { () throws(FileError) in try file.finish(synchronized: true) }
    }

    static func write(_ bytes: [UInt8], to path: FilePath) throws {
        try write(to: path) { writer in try bytes.withUnsafeBytes { try writer.append($0) } }
    }

    /// Writes a stream as it is after mending.
    static func write(_ mending: LineMending, _ files: any SessionFiles, to path: FilePath) throws {
        var mending = mending
        try write(to: path) { writer in try mending.run(files) { try writer.append($0) } }
    }

    /// Creates a folder and those around it.
    static func makeFolder(_ path: FilePath) throws(SessionRepairError) {
        if path.isEmpty || access(path.string, F_OK) == 0 { return }
        try makeFolder(path.removingLastComponent())
        guard mkdir(path.string, 0o755) == 0 || errno == EEXIST else {
            throw failure(path, "create")
        }
    }

    static func rename(_ source: FilePath, to destination: FilePath) throws(SessionRepairError) {
        guard Glibc.rename(source.string, destination.string) == 0 else {
            throw failure(destination, "rename to")
        }
    }

    /// Waits until the names in a folder are on the disk.
    static func flush(_ folder: FilePath) throws(SessionRepairError) {
        try attempt { () throws(FileError) in try Flush.folder(folder) }
    }

    /// Gives a file another name besides its own; moves it where the file system has no hard links.
    static func keep(_ file: FilePath, as name: FilePath) throws(SessionRepairError) {
        if link(file.string, name.string) != 0 { try rename(file, to: name) }
    }

    /// Sets when a file was last modified; where that is not possible, it is not.
    static func setTime(_ nanoseconds: Int64, of path: FilePath) {
        let time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        let times = [time, time]
        times.withUnsafeBufferPointer { _ = utimensat(AT_FDCWD, path.string, $0.baseAddress, 0) }
    }

    private static func attempt<Value>(_ body: () throws(FileError) -> Value) throws(SessionRepairError) -> Value {
        do {
            return try body()
        } catch {
            throw .failed(path: error.path, operation: error.operation, reason: error.errno)
        }
    }

    private static func failure(_ path: FilePath, _ operation: String) -> SessionRepairError {
        .failed(path: path, operation: operation, reason: Errno(rawValue: errno))
    }
}

/// Mends a session where it is: what is changed or left out is kept in a folder of the session first.
struct RepairInPlace {
    let plan: RepairPlan
    let files: FolderFiles

    /// Returns the name of the folder that keeps what was there.
    func run() throws -> String {
        let name = freeName()
        let aside = files.root.appending(name)
        try RepairFiles.makeFolder(aside)
        do {
            try run(keepingIn: aside)
        } catch {
            // Where nothing was changed yet, nothing is left of this run.
            rmdir(aside.string)
            throw error
        }
        return name
    }

    private func run(keepingIn aside: FilePath) throws {
        let frames = files.modificationTimeNanoseconds(of: FrameLine.file)
        for stream in plan.streams {
            let file = files.root.appending(stream.file)
            let time = files.modificationTimeNanoseconds(of: stream.file)
            try replace(file, aside.appending(stream.file), time) { temporary in
                try RepairFiles.write(plan.mending(of: stream.file), files, to: temporary)
            }
        }
        if plan.metadata.outcome != .kept {
            let file = files.root.appending(RecordedMetadata.file)
            let isTheirs = plan.metadata.outcome == .corrected
            let time = isTheirs ? files.modificationTimeNanoseconds(of: RecordedMetadata.file) : frames
            try replace(file, aside.appending(RecordedMetadata.file), time) { temporary in
                try RepairFiles.write(plan.metadata.text, to: temporary)
            }
        }
        // Last: until here every line that named one of these was still there.
        for file in plan.leftOutFiles {
            let destination = aside.appending(FilePath(file).components)
            try RepairFiles.makeFolder(destination.removingLastComponent())
            try RepairFiles.rename(files.root.appending(FilePath(file).components), to: destination)
        }
        try RepairFiles.flush(files.root)
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
            // What was there has its other name before this one leads to something else.
            try RepairFiles.flush(kept.removingLastComponent())
            try RepairFiles.rename(temporary, to: file)
        } catch {
            unlink(temporary.string)
            // The file is what it was: it has its own name alone again.
            if access(kept.string, F_OK) == 0, Glibc.rename(kept.string, file.string) == 0 { unlink(kept.string) }
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
                if file == RecordedMetadata.file, plan.metadata.outcome != .kept { return false }
                return !left.contains(file) && !mended.contains(file)
            }
            for stream in plan.streams {
                try RepairFiles.write(plan.mending(of: stream.file), files, to: folder.appending(stream.file))
            }
            if plan.metadata.outcome != .kept {
                try RepairFiles.write(plan.metadata.text, to: folder.appending(RecordedMetadata.file))
            }
            copy.keepTimes(folder, hasOwnMetadata: plan.metadata.outcome == .written)
        }
    }
}
