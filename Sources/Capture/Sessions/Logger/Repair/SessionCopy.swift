import Files
import Glibc
import SystemPackage

/// A session in a new folder, which gets its name when it is complete: hard links to the files of the original, or copies.
struct SessionCopy {
    let files: any SessionFiles
    let archive: FilePath

    /// - Parameter fill: Fills the folder; what was begun is removed when it fails.
    func write(to output: FilePath, _ fill: (FilePath) throws -> Void) throws {
        if access(output.string, F_OK) == 0 { throw SessionRepairError.exists(path: output) }
        try refuseInside(output)
        let unfinished = FilePath(output.string + ".part")
        if access(unfinished.string, F_OK) == 0 { throw SessionRepairError.exists(path: unfinished) }
        do {
            try RepairFiles.makeFolder(unfinished)
            try fill(unfinished)
            try RepairFiles.rename(unfinished, to: output)
        } catch {
            FileTree.remove(unfinished)
            throw error
        }
    }

    /// Takes the files over that the body wants.
    func copyFiles(to folder: FilePath, where isWanted: (String) -> Bool) throws {
        var failure: (any Error)?
        files.forEachFile(inFolder: "") { file in
            guard failure == nil, isWanted(file) else { return }
            do {
                try copy(file, to: folder.appending(FilePath(file).components))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
    }

    /// A hard link where the file system allows it, otherwise a copy.
    private func copy(_ file: String, to destination: FilePath) throws {
        try RepairFiles.makeFolder(destination.removingLastComponent())
        if let folder = files as? FolderFiles {
            let source = folder.root.appending(FilePath(file).components)
            if linkat(AT_FDCWD, source.string, AT_FDCWD, destination.string, AT_SYMLINK_FOLLOW) == 0 { return }
        }
        var stream = try files.stream(file)
        try RepairFiles.write(to: destination) { writer in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 << 10, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try stream.read(into: buffer)
                if count == 0 { return }
                try writer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            }
        }
        if let time = files.modificationTimeNanoseconds(of: file) { RepairFiles.setTime(time, of: destination) }
    }

    /// When files were written is evidence of the wall clock, which must not become the time of the copy.
    ///
    /// - Parameter hasOwnMetadata: Whether metadata.json was written anew without a file of the original's.
    func keepTimes(_ folder: FilePath, hasOwnMetadata: Bool = false) {
        let whole = FolderFiles.modificationTimeNanoseconds(at: archive.string)
        let frames = files.modificationTimeNanoseconds(of: FrameLine.file) ?? whole
        let metadata = files.modificationTimeNanoseconds(of: LoggerMetadata.file) ?? frames
        if let frames { RepairFiles.setTime(frames, of: folder.appending(FrameLine.file)) }
        if let time = hasOwnMetadata ? frames : metadata {
            RepairFiles.setTime(time, of: folder.appending(LoggerMetadata.file))
        }
    }

    private func refuseInside(_ output: FilePath) throws {
        guard let folder = files as? FolderFiles, let root = realpath(folder.root.string, nil) else { return }
        defer { free(root) }
        let parent = output.removingLastComponent()
        guard let place = realpath(parent.isEmpty ? "." : parent.string, nil) else { return }
        defer { free(place) }
        guard !FilePath(platformString: place).starts(with: FilePath(platformString: root)) else {
            throw SessionRepairError.insideSession(path: output)
        }
    }
}
