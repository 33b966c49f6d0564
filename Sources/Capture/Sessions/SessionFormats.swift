import Codecs
import Files
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

    /// What a path looks like before anything of a session is read.
    package enum Likeness: Hashable, Sendable {
        /// It has a frames.jsonl, or is a .zip or .tar: whatever is wrong with it, it is meant as a session.
        case session
        /// Parts of a session without the frames.jsonl, or a folder of sessions.
        case remains
        case nothing
    }

    /// Tells sessions from bags and from anything else, damaged ones too.
    package static func likeness(of path: String) -> Likeness {
        switch FileEntry(at: path) {
        case .file:
            if isInside(path) { return .session }
            return head(of: path).map { ArchiveKind($0) != nil } ?? false ? .session : .nothing
        case .other(.directory):
            if FileEntry(at: "\(path)/\(FrameLine.file)") != .nothing { return .session }
            let names = names(in: path)
            return names.contains(where: partNames.contains) || !sessions(names, in: path).isEmpty ? .remains : .nothing
        case .nothing, .other: return .nothing
        }
    }

    /// What else a session consists of.
    private static let partNames: Set<String> = Set(
        ["rgb", "depth", "confidence", "relative_depth", LoggerMetadata.file] + SampleStream.all.map(\.file)
    )

    /// The files of the session at a path, unread.
    static func files(at path: String) throws(SessionError) -> any SessionFiles {
        var information = stat()
        guard stat(path, &information) == 0 else {
            throw errno == ENOENT || errno == ENOTDIR
                ? .notFound(path: path) : .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        switch FileEntry(at: path) {
        case .other(.directory): return try folder(path)
        case .file: break
        case .nothing: throw .notFound(path: path)
        case .other(let type): throw .notASession(path: path, found: type.rawValue)
        }
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        if isInside(path) { return try folder(path.contains("/") ? String(path.dropLast(name.count)) : ".") }
        return try archive(path, name: name)
    }

    /// Whether the path leads to a file of a session, as completion in a shell gives it; its folder is opened then.
    private static func isInside(_ path: String) -> Bool {
        [FrameLine.file, LoggerMetadata.file].contains { path == $0 || path.hasSuffix("/\($0)") }
    }

    private static func folder(_ path: String) throws(SessionError) -> any SessionFiles {
        let frames = "\(path)/\(FrameLine.file)"
        switch FileEntry(at: frames) {
        case .file: return FolderFiles(root: FilePath(path))
        case .other(let type): throw .unreadable(path: frames, reason: type.rawValue)
        case .nothing: break
        }
        let names = names(in: path)
        let inside = sessions(names, in: path)
        guard inside.isEmpty else { throw .ambiguous(path: path, sessions: inside) }
        let some = names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
        throw .notASession(path: path, found: names.isEmpty ? "an empty folder" : "a folder of \(some)")
    }

    /// Sorted; of a folder of very many names only some.
    private static func names(in path: String) -> [String] {
        var names: [String] = []
        FolderFiles(root: FilePath(path)).forEachName(inFolder: ".") { name in
            names.append(name)
            return names.count < 10_000
        }
        return names.sorted()
    }

    private static func sessions(_ names: [String], in path: String) -> [String] {
        names.filter { FileEntry(at: "\(path)/\($0)/\(FrameLine.file)") != .nothing }
    }

    /// What an archive is by its bytes: a zip's first signature, a tar's magic at 257.
    private enum ArchiveKind {
        case zip
        case tar

        init?(_ head: [UInt8]) {
            if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
                self = .zip
            } else if head.count >= 262, head[257..<262].elementsEqual("ustar".utf8) {
                self = .tar
            } else {
                return nil
            }
        }
    }

    private static func archive(_ path: String, name: String) throws(SessionError) -> any SessionFiles {
        guard let head = head(of: path) else { throw .unreadable(path: path, reason: "the file cannot be opened") }
        let archiveName = name.lastIndex(of: ".").map { String(name[..<$0]) } ?? name
        do {
            switch ArchiveKind(head) {
            case .zip: return try ArchiveFiles(ZIPArchive(path: path), path: path, archiveName: archiveName)
            case .tar: return try ArchiveFiles(TARArchive(path: path), path: path, archiveName: archiveName)
            case nil: break
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

    /// The first bytes of a regular file.
    private static func head(of path: String) -> [UInt8]? {
        try? RegularFile.head(of: FilePath(path), byteCount: 512)
    }
}
