import Codecs
import Glibc
import Platform
import SystemPackage

/// The files of a synthetic session: in a directory beside its own, which ends in `.partial`, until all are written.
struct SessionFolder: Sendable {
    /// Where the files are written.
    let root: FilePath
    private let target: FilePath
    var name: String { target.lastComponent?.string ?? "session_20260101_120000" }

    /// Creates the directory beside; one of the session's name is refused, unless `isForced`.
    ///
    /// Removes the rest of a run that was killed: only this program gives a folder such a name.
    init(creating target: FilePath, isForced: Bool) throws {
        // A slash at the end is no part of the name.
        self.target = FilePath(root: target.root, target.components)
        root = FilePath(self.target.string + OutputFolder.suffix)
        if let type = FileType(of: target) {
            guard isForced else { throw SyntheticError.exists(path: target) }
            guard type == .directory else { throw FileError(path: target, operation: "mkdir", errno: .fileExists) }
        }
        if isForced { FileTree.remove(root) }
        guard mkdir(root.string, 0o777) == 0 else {
            if Glibc.errno == EEXIST { throw SyntheticError.exists(path: root) }
            throw FileError(path: root, operation: "mkdir", errno: Errno(rawValue: Glibc.errno))
        }
    }

    /// Gives the directory its name; in one that is there an earlier sample's files are replaced, and others stay.
    func finish() throws(FileError) {
        guard FileType(of: target) == .directory else { return try move(root, to: target) }
        try removeOldFiles()
        try merge(root, into: target)
    }

    func discard() { FileTree.remove(root) }

    private func merge(_ source: FilePath, into folder: FilePath) throws(FileError) {
        for name in try directoryEntries(source) {
            let (from, to) = (source.appending(name), folder.appending(name))
            if FileType(of: from) == .directory, FileType(of: to) == .directory {
                try merge(from, into: to)
            } else {
                try move(from, to: to)
            }
        }
        rmdir(source.string)
    }

    func move(_ source: FilePath, to path: FilePath) throws(FileError) {
        guard rename(source.string, path.string) == 0 else {
            throw FileError(path: path, operation: "create", errno: Errno(rawValue: Glibc.errno))
        }
    }

    func makeDirectory(_ path: FilePath) throws(FileError) {
        guard mkdir(path.string, 0o777) == 0 || Glibc.errno == EEXIST else {
            throw FileError(path: path, operation: "mkdir", errno: Errno(rawValue: Glibc.errno))
        }
    }

    /// A file by its name relative to the session.
    func path(_ name: String) -> FilePath { root.appending(FilePath(name).components) }

    /// Makes `path` a second name of `source`, or a copy where the file system has no (more) links.
    ///
    /// Says whether it is a copy: later frames should then link to the copy.
    func link(_ source: FilePath, to path: FilePath) throws(FileError) -> Bool {
        if Glibc.link(source.string, path.string) == 0 { return false }
        try OutputFile.write(try OutputFile.contents(of: source), to: path)
        return true
    }

    /// Removes only what a sample writes, in whatever layout, and no other files.
    private func removeOldFiles() throws(FileError) {
        let isSample = access(target.appending(TruthDocument.file).string, F_OK) == 0
        // A folder without the truth beside it is no sample of another layout: what lies there is someone's recording.
        try remove(NativeLayout.leavings)
        for leavings in SampleFormat.leavings where isSample { try remove(leavings) }
    }

    /// Removes what a layout wrote.
    private func remove(_ leavings: SampleLeavings) throws(FileError) {
        func path(_ name: String) -> FilePath { target.appending(FilePath(name).components) }
        for name in leavings.files { try remove(path(name)) }
        for (folder, prefix, suffix) in leavings.numbered {
            let directory = path(folder)
            for name in (try? directoryEntries(directory)) ?? [] {
                let isLonger = name.utf8.count > prefix.utf8.count + suffix.utf8.count
                guard isLonger, name.hasPrefix(prefix), name.hasSuffix(suffix) else { continue }
                let number = name.dropFirst(prefix.count).dropLast(suffix.count)
                guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }) else {
                    continue
                }
                try remove(directory.appending(name))
            }
        }
        // Only those that are empty now go.
        for name in leavings.folders { rmdir(path(name).string) }
    }

    private func remove(_ path: FilePath) throws(FileError) {
        guard unlink(path.string) == 0 || [ENOENT, ENOTDIR].contains(Glibc.errno) else {
            throw FileError(path: path, operation: "unlink", errno: Errno(rawValue: Glibc.errno))
        }
    }
}

/// A sample that is one file: written as a folder beside it, then packed in the order of its frames.
struct SamplePackage {
    let path: FilePath
    let isForced: Bool

    /// Where the folder lies until it is packed.
    var parts: FilePath { FilePath(path.string + ".parts") }
    /// No reader looks for it in the file.
    var truth: FilePath { FilePath(path.string + "." + TruthDocument.file) }

    private var tagTruth: FilePath { FilePath(path.string + "." + TruthDocument.tagFile) }

    /// Refuses a file that is there, unless `isForced`.
    func prepare() throws {
        for file in [path, truth, tagTruth] where access(file.string, F_OK) == 0 {
            guard isForced else { throw SyntheticError.exists(path: file) }
        }
    }

    /// Packs the folder and removes it; the list comes first, as in what the app writes.
    func pack(_ folder: SessionFolder, _ schedule: SampleSchedule, _ layout: Record3DLayout) throws {
        let packed = folder.path("packed")
        let zip = try ZIPWriter(creating: packed)
        func add(_ name: String, as member: String? = nil) throws(FileError) {
            try zip.add(member ?? name, try OutputFile.contents(of: folder.path(name)))
        }
        let files = layout.files
        try add("metadata")
        if let picture = files.picture { try add(picture(schedule.frame(0)), as: "icon") }
        for index in 0..<schedule.frameCount {
            try Task.checkCancellation()
            let frame = schedule.frame(index)
            let names = [files.picture, files.depth?.name, files.confidence?.name].compactMap(\.self)
            for name in names { try add(name(frame)) }
        }
        try zip.finish()
        unlink(tagTruth.string)
        if schedule.options.hasTags { try folder.move(folder.path(TruthDocument.tagFile), to: tagTruth) }
        try folder.move(folder.path(TruthDocument.file), to: truth)
        try folder.move(packed, to: path)
        folder.discard()
    }
}
