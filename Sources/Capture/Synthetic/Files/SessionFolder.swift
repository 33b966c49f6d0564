import Codecs
import Glibc
package import Platform
import SystemPackage

/// The files of a synthetic session: in a directory beside its own, which ends in `.partial`, until all are written.
struct SessionFolder: Sendable {
    /// Where the files are written.
    let root: FilePath
    private let target: FilePath
    private let mark: UnfinishedFolder
    var name: String { target.lastComponent?.string ?? "session_20260101_120000" }

    /// Creates the directory beside; of the session's name there may only be a sample, if `isForced`.
    ///
    /// Replaces the rest of a run that was killed.
    init(creating target: FilePath, isForced: Bool) throws {
        let claim = OutputClaim(target.string, .sample, replaces: isForced)
        try claim.check(outside: [])
        self.target = claim.path
        root = FilePath(self.target.string + OutputFolder.suffix)
        mark = try UnfinishedFolder(creating: root)
    }

    /// Gives the directory its name; in one that is there an earlier sample's files are replaced, and others stay.
    func finish() throws(FileError) {
        UnfinishedFolder.removeMark(in: root)
        guard FileType(of: target) == .directory else { return try NewName.give(target, to: root) }
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

    private func move(_ source: FilePath, to path: FilePath) throws(FileError) {
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
        for leavings in [NativeLayout.leavings] + SampleFormat.leavings { try remove(leavings) }
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

    /// Refuses a file that is there, unless it is a sample and `isForced`.
    func prepare() throws {
        let isSample = OutputKind.samplePackage.isOurs(path)
        try OutputClaim(path.string, .samplePackage, replaces: isForced).check(outside: [])
        for file in [truth, tagTruth] where FileType(notFollowing: file) != nil && !(isForced && isSample) {
            throw OutputRefusal.taken(file)
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
        if isForced { unlink(tagTruth.string) }
        if schedule.options.hasTags { try give(tagTruth, to: folder.path(TruthDocument.tagFile)) }
        try give(truth, to: folder.path(TruthDocument.file))
        try give(path, to: packed)
        folder.discard()
    }

    private func give(_ name: FilePath, to file: FilePath) throws(FileError) {
        if isForced { try NewName.give(name, to: file, replacing: .regular) } else { try NewName.give(name, to: file) }
    }
}

extension OutputKind {
    /// A folder in which truth.json says that it is a sample of ours.
    package static let sample = OutputKind(name: "a sample", type: .directory) { path in
        TruthDocument.isOurs(path.appending(TruthDocument.file))
    }
    .madeInFolder

    /// A sample that is one file, with the truth beside it.
    package static let samplePackage = OutputKind(name: "a sample", type: .regular) { path in
        TruthDocument.isOurs(FilePath(path.string + "." + TruthDocument.file))
    }
}
