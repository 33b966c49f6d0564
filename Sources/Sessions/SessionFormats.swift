import Codecs
import Glibc
import SystemPackage

/// Opens whatever session is at a path: the one place that knows every format.
package enum SessionFormats {
    /// Opens a folder, a .zip or an uncompressed .tar.
    ///
    /// The session is recognised by its frames.jsonl, never by its name.
    ///
    /// - Throws: a ``SessionError``, or a ``Problem`` when frames.jsonl cannot be read to its end.
    package static func open(path: String) throws -> any Session {
        try LoggerSession(files: files(at: path), path: path)
    }

    /// Whether a path looks like a session, so that `inspect` and `check` can tell it from a bag.
    package static func looksLikeSession(path: String) -> Bool {
        var information = stat()
        guard stat(path, &information) == 0 else { return false }
        if information.st_mode & S_IFMT == S_IFDIR { return hasFrames(path) }
        return (try? files(at: path)) != nil
    }

    /// The files of the session at a path, unread.
    static func files(at path: String) throws(SessionError) -> any SessionFiles {
        var information = stat()
        guard stat(path, &information) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .notFound(path: path) : .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        if information.st_mode & S_IFMT == S_IFDIR { return try folder(path) }
        guard information.st_mode & S_IFMT == S_IFREG else {
            throw .notASession(path: path, found: "neither a folder nor a file")
        }
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        // Somebody who completes a path ends at the file inside: mean its folder.
        if name == "frames.jsonl" || name == "metadata.json" {
            return try folder(path.contains("/") ? String(path.dropLast(name.count)) : ".")
        }
        return try archive(path, name: name)
    }

    private static func folder(_ path: String) throws(SessionError) -> any SessionFiles {
        if hasFrames(path) { return FolderFiles(root: FilePath(path)) }
        let files = FolderFiles(root: FilePath(path))
        var names: [String] = []
        files.forEachName(inFolder: ".") { name in
            names.append(name)
            return names.count < 10_000
        }
        names.sort()
        let inside = names.filter { hasFrames("\(path)/\($0)") }
        guard inside.isEmpty else { throw .ambiguous(path: path, sessions: inside) }
        let some = names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
        throw .notASession(path: path, found: names.isEmpty ? "an empty folder" : "a folder of \(some)")
    }

    private static func hasFrames(_ folder: String) -> Bool {
        var information = stat()
        return stat("\(folder)/frames.jsonl", &information) == 0 && information.st_mode & S_IFMT == S_IFREG
    }

    /// Tells archives by their bytes: a zip's first signature, a tar's magic at 257.
    private static func archive(_ path: String, name: String) throws(SessionError) -> any SessionFiles {
        guard let head = head(of: path) else { throw .unreadable(path: path, reason: "the file cannot be opened") }
        let archiveName = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        do {
            if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
                return try ArchiveFiles(ZIPArchive(path: path), path: path, archiveName: archiveName)
            }
            if head.count >= 262, head[257..<262].elementsEqual("ustar".utf8) {
                return try ArchiveFiles(TARArchive(path: path), path: path, archiveName: archiveName)
            }
        } catch let error as CodecError {
            throw .badArchive(path: path, reason: "\(error)")
        } catch let error as SessionError {
            throw error
        } catch {
            throw .badArchive(path: path, reason: "\(error)")
        }
        if head.starts(with: [0x1F, 0x8B]) {
            throw .notASession(path: path, found: "a gzip file (unpack it first: only plain .zip and .tar are read)")
        }
        throw .notASession(path: path, found: "a file that is neither .zip nor .tar")
    }

    private static func head(of path: String) -> [UInt8]? {
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress, $0.count) }
        return count >= 0 ? Array(bytes.prefix(count)) : nil
    }
}
