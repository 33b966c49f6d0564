import Bags
import Glibc
import Platform
import SystemPackage

/// Where repaired files are made, and how they come to their places.
///
/// Nothing of the bag changes before all is ready. A new bag is made under a name of its own beside its place, and
/// renamed when it is whole. In place there is a hidden folder in the bag's directory; when that is ready, a list of
/// what to rename and what to remove is written into it, and then carried out: a repair that finds such a list of an
/// earlier one that was interrupted carries it out first.
struct RepairStaging {
    private static let folderName = ".repair"
    private static let listName = "ready"

    /// Where the files are made.
    let folder: FilePath
    /// Where they shall be.
    let target: FilePath
    /// Of a new bag; nil in place.
    private let mark: UnfinishedFolder?
    var isInPlace: Bool { mark == nil }

    /// Begins a new bag at `output`, which must not be there.
    static func newBag(_ output: FilePath) throws(BagError) -> RepairStaging {
        guard let name = output.lastComponent, name.kind == .regular else {
            throw .cannotCreate(output, reason: "no directory name of its own")
        }
        guard FileType(notFollowing: output) == nil else {
            throw .cannotCreate(output, reason: "it is already there")
        }
        let parent = output.removingLastComponent()
        let folder = (parent.isEmpty ? "." : parent).appending(".\(name.string)\(folderName)")
        do throws(FileError) {
            let mark = try UnfinishedFolder(creating: folder)
            return RepairStaging(folder: folder, target: output, mark: mark)
        } catch {
            throw .refused(error.path, error.errno)
        }
    }

    /// Begins to work on what is in a directory, after finishing what an interrupted repair had ready.
    static func inPlace(_ directory: FilePath) throws(BagError) -> RepairStaging {
        try finishInterrupted(directory)
        let staging = RepairStaging(folder: directory.appending(folderName), target: directory, mark: nil)
        guard mkdir(staging.folder.string, 0o755) == 0 else { throw .refused(directory, Errno(rawValue: errno)) }
        return staging
    }

    /// Carries out what an interrupted repair in place had ready; what was not ready is removed.
    static func finishInterrupted(_ directory: FilePath) throws(BagError) {
        let folder = directory.appending(folderName)
        // A link of the name would lead to someone's folder.
        guard FileType(notFollowing: folder) == .directory else { return }
        let staging = RepairStaging(folder: folder, target: directory, mark: nil)
        do {
            try staging.carryOutReady()
        } catch {
            throw BagError(error)
        }
        staging.clear()
    }

    func path(_ name: String) -> FilePath { folder.appending(name) }

    /// Copies a file into the staging folder, with a new name if one is given.
    @discardableResult
    func copy(_ source: FilePath, as name: String? = nil) throws(BagError) -> FilePath {
        let copy = path(name ?? source.lastComponent?.string ?? "file")
        do {
            try FileCopy.copy(source, to: copy)
        } catch {
            throw BagError(error)
        }
        return copy
    }

    /// Puts everything in place: the files of the staging folder get their names, and others are removed.
    func finish(removing names: [String]) throws(BagError) {
        do {
            let made = try directoryEntries(folder)
            for name in made { try Flush.file(path(name)) }
            guard isInPlace else {
                try Flush.folder(folder)
                try NewName.give(target, to: folder)
                UnfinishedFolder.removeMark(in: target)
                return try Flush.folder(target.removingLastComponent())
            }
            // Journals go before the files that they belong to change: they would be rolled back into the new ones.
            let list = names.map { "remove \($0)" } + made.map { "rename \($0)" }
            // What could not be read only now may be in what is removed.
            try SystemFault.check()
            try Flush.folder(target)
            let text = list.joined(separator: "\n")
            try DurableFiles.replace(path(Self.listName), with: Array(text.utf8))
            try carryOut(list)
        } catch let error as FileError {
            throw BagError(error)
        } catch let error as BagError {
            throw error
        } catch let error as SystemFault {
            throw .io(error.path, reason: "cannot \(error.operation): \(error.errno.description)")
        } catch {
            throw .io(target, reason: "\(error)")
        }
        clear()
    }

    /// Gives up what was begun; what is ready to be carried out stays for the next repair, as a part of it may be in place.
    func giveUp() {
        if !isInPlace || FileEntry(at: path(Self.listName).string) == .nothing { clear() }
    }

    /// Removes the folder and what is in it.
    func clear() {
        for name in (try? directoryEntries(folder)) ?? [] { try? DurableFiles.remove(path(name)) }
        if rmdir(folder.string) != 0 { SystemFault.note(folder, "remove", Errno(rawValue: errno)) }
    }

    private func carryOutReady() throws(FileError) {
        let text: [UInt8]
        do throws(FileError) {
            text = try OutputFile.contents(of: path(Self.listName))
        } catch {
            // Without a list nothing was ready. One that cannot be read just now may be there, with the only copies beside it.
            if [.noSuchFileOrDirectory, .notDirectory].contains(error.errno) { return }
            throw error
        }
        try carryOut(String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init))
    }

    private func carryOut(_ list: [String]) throws(FileError) {
        for line in list {
            let parts = line.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, !parts[1].contains("/") else { continue }
            let name = String(parts[1])
            if parts[0] == "remove" { try DurableFiles.remove(target.appending(name)) }
            guard parts[0] == "rename" else { continue }
            do throws(FileError) {
                try DurableFiles.rename(path(name), to: target.appending(name))
            } catch {
                // It was carried out before the interruption.
                guard error.errno == .noSuchFileOrDirectory else { throw error }
            }
        }
        try Flush.folder(target)
    }
}

extension BagError {
    init(_ error: FileError) {
        self = .io(error.path, reason: "cannot \(error.operation): \(error.errno.description)")
    }
}
