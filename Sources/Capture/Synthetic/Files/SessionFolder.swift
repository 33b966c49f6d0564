import Files
import Glibc
import SystemPackage

/// The files of a synthetic session in its directory.
struct SessionFolder: Sendable {
    let root: FilePath

    /// Creates the directory; one that exists is refused, or emptied of an earlier sample's files if `isForced`.
    init(creating root: FilePath, isForced: Bool) throws {
        self.root = root
        if mkdir(root.string, 0o777) != 0 {
            let problem = Errno(rawValue: Glibc.errno)
            guard problem == .fileExists else { throw FileError(path: root, operation: "mkdir", errno: problem) }
            guard isForced else { throw SyntheticError.exists(path: root) }
            try removeOldFiles()
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
    func removeOldFiles() throws(FileError) {
        let isSample = access(path(TruthDocument.file).string, F_OK) == 0
        // A folder without the truth beside it is no sample of another layout: what lies there is someone's recording.
        try remove(NativeLayout.leavings)
        for leavings in SampleFormat.leavings where isSample { try remove(leavings) }
    }

    /// Removes what a layout wrote.
    func remove(_ leavings: SampleLeavings) throws(FileError) {
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
