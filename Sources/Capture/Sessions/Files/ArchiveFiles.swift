import Codecs
import Files
import SystemPackage

/// The files of a session inside a .zip or an uncompressed .tar, under the folder that holds frames.jsonl.
struct ArchiveFiles: SessionFiles {
    let name: String
    private let archive: any Archive
    /// What precedes the session's names in the archive: empty, or a folder with its slash.
    private let prefix: String

    /// Finds the one session in an archive.
    init(_ archive: any Archive, path: String, archiveName: String) throws(SessionError) {
        let roots = archive.entries.map(\.name).compactMap { name -> String? in
            if name == "frames.jsonl" { return "" }
            return name.hasSuffix("/frames.jsonl") ? String(name.dropLast("frames.jsonl".count)) : nil
        }
        let shallowest = roots.map { depth($0) }.min()
        let candidates = roots.filter { depth($0) == shallowest }.sorted()
        guard let prefix = candidates.first else {
            let some = archive.entries.prefix(5).map(\.name).joined(separator: ", ")
            throw .notASession(path: path, found: some.isEmpty ? "an empty archive" : "an archive of \(some)")
        }
        guard candidates.count == 1 else { throw .ambiguous(path: path, sessions: candidates) }
        self.archive = archive
        self.prefix = prefix
        self.name = prefix.split(separator: "/").last.map { String($0) } ?? archiveName
    }

    /// Archives list regular files only.
    func entry(_ file: String) -> FileEntry {
        archive.size(of: prefix + file).map { .file(byteCount: $0) } ?? .nothing
    }

    func localPath(of file: String) -> FilePath? { nil }

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
        let start = prefix + folder + "/"
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
