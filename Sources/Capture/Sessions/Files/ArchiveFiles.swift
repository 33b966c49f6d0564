import Codecs
import Files
import SystemPackage

/// The files of a session inside a .zip or an uncompressed .tar, under the folder that holds the session.
struct ArchiveFiles: SessionFiles {
    let name: String
    /// The archive's own name, with its ending.
    private let fileName: String
    private let archive: any Archive
    /// What precedes the session's names in the archive: empty, or a folder with its slash.
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

    func modificationTimeNanoseconds(of file: String) -> Int64? { nil }

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
