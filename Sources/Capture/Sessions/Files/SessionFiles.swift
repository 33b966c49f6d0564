package import Codecs
package import Platform
package import SystemPackage

/// The files of a session, wherever they lie: in a folder, a .zip or a .tar.
///
/// Names are relative to the session, with `/`. All functions may be called from several tasks at once.
package protocol SessionFiles: Sendable {
    /// The user's name of the session: the folder's or archive's own name.
    var name: String { get }

    /// The entry under a file's name.
    func entry(_ file: String) -> FileEntry

    /// Where a file lies on the disk; `nil` inside of an archive.
    func localPath(of file: String) -> FilePath?

    /// Where the bytes of a file are in one on the disk; `nil` where they are stored in another form.
    func part(of file: String) -> FilePart?

    /// Reads a whole file into the buffer, whose capacity is used again.
    ///
    /// - Throws: a ``Problem`` when the file is absent, larger than the bound, or cannot be read.
    func read(_ file: String, into bytes: inout [UInt8], maximumBytes: Int) throws(Problem)

    /// Opens a file for reading from front to back.
    func stream(_ file: String) throws(Problem) -> any ByteStream

    /// Opens a file for reading from a place on; `nil` where it can only be read from its beginning.
    func stream(_ file: String, from offset: Int) throws(Problem) -> (any ByteStream)?

    /// Passes the names directly in a folder, in no particular order, until the body returns false.
    func forEachName(inFolder folder: String, _ body: (String) -> Bool)

    /// The names of the folders directly in this one, sorted, without what macOS adds; of very many only some.
    func folderNames() -> [String]

    /// The files of a folder directly in this one, as a session of their own.
    func inFolder(_ name: String) -> any SessionFiles

    /// Passes the paths of all files below a folder (`""` for the whole session), sorted by name in each folder of a
    /// folder, in its own order for an archive.
    func forEachFile(inFolder folder: String, _ body: (String) -> Void)

    /// When the file was last modified, in nanoseconds since 1970, where that is known; within what 64 bits hold.
    func modificationTimeNanoseconds(of file: String) -> Int64?

    /// The same as an archive keeps it without its zone; `nil` where the zone is known, or nothing.
    func localModificationDate(of file: String) -> CalendarDate?

    /// The damage of the archive that holds the files, by which some may be lost.
    var damage: [Problem] { get }
}

extension SessionFiles {
    package var damage: [Problem] { [] }

    package func part(of file: String) -> FilePart? { nil }

    package func localModificationDate(of file: String) -> CalendarDate? { nil }

    package func stream(_ file: String, from offset: Int) throws(Problem) -> (any ByteStream)? { nil }

    /// The size of a file in bytes, or `nil` where there is no such regular file.
    package func size(of file: String) -> Int? {
        guard case .file(let byteCount) = entry(file) else { return nil }
        return byteCount
    }

    /// The names of the files and folders directly in this one, sorted; of very many only some.
    func names() -> [String] { names(limit: 10_000) { $0 }.sorted() }

    /// Takes from the names directly in a folder, in no particular order, until there are so many.
    func names<Taken>(inFolder folder: String = ".", limit: Int = .max, _ take: (String) -> Taken?) -> [Taken] {
        var taken: [Taken] = []
        forEachName(inFolder: folder) { name in
            if let one = take(name) { taken.append(one) }
            return taken.count < limit
        }
        return taken
    }

    /// The kind of an entry that can never be read as a file, in words; `nil` for a file, or nothing.
    func irregular(_ file: String) -> String? {
        switch entry(file) {
        case .nothing, .file: nil
        case .other(let type): type.rawValue
        }
    }

    /// A picture's file.
    func readImage(_ file: String) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(file, into: &bytes, maximumBytes: ImageDecoder.maximumBytes)
        return bytes
    }

    /// A whole text file, without the byte order mark that editors of some systems put in front.
    func readText(_ file: String, maximumBytes: Int) throws(Problem) -> [UInt8] {
        var bytes: [UInt8] = []
        try read(file, into: &bytes, maximumBytes: maximumBytes)
        if bytes.starts(with: byteOrderMark) { bytes.removeFirst(byteOrderMark.count) }
        return bytes
    }
}

/// U+FEFF in UTF-8: no part of the text that follows.
let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

/// The files of a session inside a .zip or an uncompressed .tar, under the folder that holds the session.
struct ArchiveFiles: SessionFiles {
    let name: String
    /// The archive's own name, with its ending.
    private let fileName: String
    private let archive: any Archive
    /// The beginning of the session's names in the archive: empty, or a folder with its slash.
    private let prefix: String

    /// All files of an archive.
    ///
    /// - Parameter fileName: the archive's name; without its ending it is the session's.
    init(_ archive: any Archive, fileName: String) {
        let name = fileName.lastIndex(of: ".").map { String(fileName[..<$0]) } ?? fileName
        self.init(archive, fileName, prefix: "", name: name)
    }

    private init(_ archive: any Archive, _ fileName: String, prefix: String, name: String) {
        self.archive = archive
        self.fileName = fileName
        self.prefix = prefix
        self.name = name
    }

    /// The folders, each with its slash, that hold a file of this name, the shallowest only; sorted.
    func shallowestFolders(with file: String) -> [String] {
        let roots = archive.entries.map(\.name).compactMap { name -> String? in
            if name == file { return "" }
            return name.hasSuffix("/" + file) ? String(name.dropLast(file.count)) : nil
        }
        let shallowest = roots.map { depth($0) }.min()
        return roots.filter { depth($0) == shallowest }.sorted()
    }

    /// The files below a folder of the archive, which is given with its slash.
    func below(_ folder: String) -> ArchiveFiles {
        let last = folder.split(separator: "/").last.map { String($0) }
        return ArchiveFiles(archive, fileName, prefix: prefix + folder, name: last ?? name)
    }

    /// The first few files, in the order of the archive.
    var someNames: String { archive.entries.prefix(5).map(\.name).joined(separator: ", ") }

    /// The first file in the order of the archive whose name ends in one of these.
    func firstName(endingIn endings: [String]) -> String? {
        archive.entries.lazy.map(\.name).first { name in endings.contains { name.hasSuffix($0) } }
    }

    func folderNames() -> [String] {
        var names: Set<Substring> = []
        for entry in archive.entries where entry.name.hasPrefix(prefix) {
            let rest = entry.name.dropFirst(prefix.count)
            guard let slash = rest.firstIndex(of: "/") else { continue }
            names.insert(rest[..<slash])
            if names.count == 256 { break }
        }
        return names.map { String($0) }.filter { !$0.hasPrefix(".") }.sorted()
    }

    func inFolder(_ name: String) -> any SessionFiles { below(name + "/") }

    /// Archives list regular files only.
    func entry(_ file: String) -> FileEntry {
        archive.size(of: prefix + file).map { .file(byteCount: $0) } ?? .nothing
    }

    func localPath(of file: String) -> FilePath? { nil }

    func part(of file: String) -> FilePart? { archive.part(of: prefix + file) }

    func read(_ file: String, into bytes: inout [UInt8], maximumBytes: Int) throws(Problem) {
        do {
            try archive.read(prefix + file, into: &bytes, maximumBytes: maximumBytes)
        } catch {
            throw unreadable(file, error)
        }
    }

    func stream(_ file: String) throws(Problem) -> any ByteStream {
        do {
            return ArchiveStream(stream: try archive.stream(prefix + file), file: file)
        } catch {
            throw unreadable(file, error)
        }
    }

    func forEachName(inFolder folder: String, _ body: (String) -> Bool) {
        let start = folder == "." ? prefix : prefix + folder + "/"
        for entry in archive.entries where entry.name.hasPrefix(start) {
            let rest = entry.name.dropFirst(start.count)
            if !rest.contains("/"), !body(String(rest)) { return }
        }
    }

    func forEachFile(inFolder folder: String, _ body: (String) -> Void) {
        let start = folder.isEmpty ? prefix : prefix + folder + "/"
        for entry in archive.entries where entry.name.hasPrefix(start) && !entry.name.hasSuffix("/") {
            body(String(entry.name.dropFirst(prefix.count)))
        }
    }

    func modificationTimeNanoseconds(of file: String) -> Int64? {
        guard case .unix(let seconds) = archive.modified(prefix + file) else { return nil }
        let (nanoseconds, overflow) = Int64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? nil : nanoseconds
    }

    func localModificationDate(of file: String) -> CalendarDate? {
        guard case .local(let date, let time) = archive.modified(prefix + file) else { return nil }
        return CalendarDate(
            possibleYear: 1980 + date >> 9,
            month: date >> 5 & 15,
            day: date & 31,
            hour: time >> 11,
            minute: time >> 5 & 63,
            second: 2 * (time & 31)
        )
    }

    var damage: [Problem] {
        archive.damage.map {
            Problem(.damagedArchive, file: fileName, expected: "files from one end to the other", found: "\($0)")
        }
    }
}

private func depth(_ prefix: String) -> Int {
    prefix.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: "/") ? 1 : 0) }
}

private func unreadable(_ file: String, _ error: CodecError) -> Problem {
    Problem(.unreadableFile, file: file, expected: "a sound archive entry", found: "\(error)")
}

private struct ArchiveStream: ByteStream {
    let stream: EntryStream
    let file: String

    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        do {
            return try stream.read(into: buffer)
        } catch {
            throw unreadable(file, error)
        }
    }
}
