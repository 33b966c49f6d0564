import Codecs
import Glibc
import Platform
import SystemPackage

/// The assumptions about a recording that does not say something, and how far it is trusted.
package struct OpeningOptions: Sendable {
    /// The rate of frames that have no times.
    package var framesPerSecond = 10.0
    /// True if depth is used that contradicts the poses.
    package var trustsDepth = false
    /// True if pictures are used that damage of a video reaches.
    package var acceptsDamage = false
    /// True if a video that is compressed in an archive is copied out of it, as ffmpeg reads no such one.
    package var copiesVideos = true

    package init() {}
}

/// Opens whatever session is at a path, of any format.
///
/// This library reads recordings of all apps through the three protocols of Session.swift, counts their damage, checks and
/// mends them. Begin reading here; ``RecordingFormat`` has one line for each format, whose readers are in Formats, and
/// ``FrameListSession`` is the session of most of them; the native format is in Native, JSON fields are read by
/// ``StreamTable``, and ``Problem`` says what was expected where and what was found.
package enum SessionFormats {
    /// Opens a folder, a .zip or an uncompressed .tar.
    ///
    /// The session is recognised by its content, never by its name.
    ///
    /// - Parameters:
    ///   - options: assumptions about values that the recording does not say.
    /// - Throws: a ``SessionError``, or a ``Problem`` when the list of frames cannot be read to its end.
    package static func open(
        path: String,
        options: OpeningOptions = OpeningOptions()
    ) throws -> any Session {
        let (format, files) = try recording(at: path)
        return try format.open(files, path, options)
    }

    /// Opens a recording whose files lie anywhere, with nothing before their names.
    ///
    /// - Throws: as for a path.
    package static func open(
        _ files: any SessionFiles,
        options: OpeningOptions = OpeningOptions()
    ) throws -> any Session {
        guard let format = FormatSearch.format(of: files) else {
            throw SessionError.notASession(path: files.name, found: "other files")
        }
        return try format.open(files, files.name, options)
    }

    /// The likeness of a path to a session, before anything of it is read.
    package enum Likeness: Hashable, Sendable {
        /// It is recognised, or is a .zip or .tar: whatever is wrong with it, it is meant as a session.
        case session
        /// A folder of sessions.
        case several
        /// Parts of a session without the list of frames, or an exported mesh.
        case remains
        case nothing
    }

    /// Tells sessions from bags and from anything else, damaged ones too.
    package static func likeness(of path: String) -> Likeness {
        switch FileEntry(at: path) {
        case .file:
            if entryFormat(path) != nil { return .session }
            if head(of: path).map({ ArchiveKind($0) != nil }) ?? false { return .session }
            return FormatSearch.isMesh(path) ? .remains : .nothing
        case .other(.directory):
            let files = FolderFiles(root: FilePath(path))
            if FormatSearch.format(of: files) != nil { return .session }
            let found = FormatSearch.recordings(in: files)
            if found.count == 1, found[0].format.name != RecordingFormat.native.name { return .session }
            if !found.isEmpty { return .several }
            let isRemains = files.names().contains(where: partNames.contains) || FormatSearch.mesh(in: files) != nil
            return isRemains ? .remains : .nothing
        case .nothing: return partOfArchive(path) == nil ? .nothing : .session
        case .other: return .nothing
        }
    }

    /// The names of the formats of recordings that are read.
    package static var names: [String] { RecordingFormat.all.map(\.name) }

    /// The endings of the names of archives.
    static let archiveEndings = [".zip", ".tar", ".r3d"]

    /// The content of a file for a search for recordings.
    enum ArchiveContent {
        case format(String)
        /// It holds recordings, and opening it says why they cannot be read.
        case damaged
        case somethingElse
        case noArchive
        case unreadable(String)
    }

    static func archiveContent(at path: String) -> ArchiveContent {
        let head: [UInt8]
        do throws(FileError) {
            head = try RegularFile.head(of: FilePath(path), byteCount: 512)
        } catch {
            return .unreadable(error.found)
        }
        guard ArchiveKind(head) != nil else { return .noArchive }
        do throws(SessionError) {
            return .format(try recording(at: path).format.name)
        } catch {
            switch error {
            case .notASession, .meshExport: return .somethingElse
            default: return .damaged
            }
        }
    }

    /// True if a folder has parts of a session in the native layout, without the list of frames.
    static func isHeadless(_ files: FolderFiles) -> Bool {
        let folders = ["rgb", "depth"].filter { files.entry($0) == .other(.directory) }
        return !folders.isEmpty && partFiles.contains { files.size(of: $0) != nil }
    }

    private static let partFiles = [RecordedMetadata.file] + SampleStream.all.map(\.file)

    /// The other parts of a session in the native layout.
    private static let partNames = Set(["rgb", "depth", "confidence", "relative_depth"] + partFiles)

    /// The files of the session in the native layout at a path, unread.
    ///
    /// - Throws: a ``SessionError``; a recording of another format is one too.
    static func nativeFiles(at path: String) throws(SessionError) -> any SessionFiles {
        let (format, files) = try recording(at: path)
        guard format.name == RecordingFormat.native.name else {
            throw .onlyNativeIsRepaired(path: path, format: format.name)
        }
        return files
    }

    /// The files of the session at a path, unread, and what they are.
    private static func recording(
        at path: String
    ) throws(SessionError) -> (format: RecordingFormat, files: any SessionFiles) {
        if let (path, folder) = partOfArchive(path) {
            return try archive(path, name: FilePath(path).lastComponent?.string ?? path, folder: folder)
        }
        var information = stat()
        guard stat(path, &information) == 0 else {
            SystemFault.note(FilePath(path), "look at", Errno(rawValue: errno))
            throw errno == ENOENT || errno == ENOTDIR
                ? .notFound(path: path) : .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        switch FileEntry(at: path) {
        case .other(.directory): return try folder(path)
        case .file: break
        case .nothing, .other(.brokenLink): throw .notFound(path: path)
        case .other(let type): throw .notASession(path: path, found: type.rawValue)
        }
        let name = ForeignPath.name(of: FilePath(path)) ?? path
        if entryFormat(path) != nil {
            return try folder(path.contains("/") ? String(path.dropLast(name.count)) : ".")
        }
        return try archive(path, name: name)
    }

    /// The format that has a list of frames of the path's name; its folder is opened then.
    private static func entryFormat(_ path: String) -> RecordingFormat? {
        let name = path.split(separator: "/").last.map { String($0) } ?? path
        return RecordingFormat.all.first { $0.entryFiles.contains(name) }
    }

    private static func folder(
        _ path: String
    ) throws(SessionError) -> (format: RecordingFormat, files: any SessionFiles) {
        let files = FolderFiles(root: FilePath(path))
        if case .other(let type) = files.entry(FrameLine.file) {
            throw .unreadable(path: "\(path)/\(FrameLine.file)", reason: type.rawValue)
        }
        let found = FormatSearch.recordings(in: files)
        if found.count == 1, found[0].folder.isEmpty || found[0].format.name != RecordingFormat.native.name {
            return (found[0].format, found[0].files)
        }
        guard found.isEmpty else {
            throw .ambiguous(path: path, sessions: found.map { String($0.folder.dropLast()) })
        }
        if let mesh = FormatSearch.mesh(in: files) { throw .meshExport(path: path, file: mesh) }
        let names = files.names()
        let some = names.prefix(6).joined(separator: ", ") + (names.count > 6 ? ", …" : "")
        throw .notASession(path: path, found: names.isEmpty ? "an empty folder" : "a folder of \(some)")
    }

    /// The kind of an archive by its bytes: a zip's first signature, a tar's magic at 257.
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

    /// The archive that a path leads into and the folder in it, as in `scans.zip/kitchen`; nil where it leads into none.
    private static func partOfArchive(_ path: String) -> (archive: String, folder: String)? {
        guard case .nothing = FileEntry(at: path) else { return nil }
        var archive = FilePath(path)
        var folder: [String] = []
        while let last = archive.lastComponent, case .nothing = FileEntry(at: archive.string) {
            folder.insert(last.string, at: 0)
            archive.removeLastComponent()
        }
        guard case .file = FileEntry(at: archive.string), let head = head(of: archive.string), ArchiveKind(head) != nil
        else { return nil }
        return (archive.string, folder.joined(separator: "/"))
    }

    /// - Parameter folder: where the session is; nil to look for it.
    private static func archive(
        _ path: String,
        name: String,
        folder: String? = nil
    ) throws(SessionError) -> (format: RecordingFormat, files: any SessionFiles) {
        guard let head = head(of: path) else { throw .unreadable(path: path, reason: "the file cannot be opened") }
        let files: ArchiveFiles
        do {
            switch ArchiveKind(head) {
            case .zip: files = ArchiveFiles(try ZIPArchive(path: path), fileName: name)
            case .tar: files = ArchiveFiles(try TARArchive(path: path), fileName: name)
            case nil: throw noArchive(path, head)
            }
        } catch let error as SessionError {
            throw error
        } catch {
            throw .badArchive(path: path, reason: "\(error)")
        }
        if let folder {
            let inside = files.below(folder + "/")
            if let format = FormatSearch.format(of: inside) { return (format, inside) }
            throw .notASession(path: "\(path)/\(folder)", found: "no recording in that folder of the archive")
        }
        let native = files.shallowestFolders(with: FrameLine.file)
        guard native.count < 2 else {
            throw .ambiguous(path: path, sessions: native.map { String($0.dropLast()) })
        }
        if let folder = native.first {
            let inside = files.below(folder)
            return (FormatSearch.format(of: inside) ?? .native, inside)
        }
        let found = FormatSearch.recordings(in: files)
        guard found.count < 2 else {
            throw .ambiguous(path: path, sessions: found.map { String($0.folder.dropLast()) })
        }
        if let only = found.first { return (only.format, only.files) }
        if let mesh = FormatSearch.isMesh(name) ? name : FormatSearch.mesh(in: files) {
            throw .meshExport(path: path, file: mesh)
        }
        if let bag = files.firstName(endingIn: [".mcap", ".db3", ".db3.zstd"]) {
            throw .notASession(path: path, found: "an archive of a bag (\(bag)), which is read once it is unpacked")
        }
        let some = files.someNames
        throw .notASession(path: path, found: some.isEmpty ? "an empty archive" : "an archive of \(some)")
    }

    private static func noArchive(_ path: String, _ head: [UInt8]) -> SessionError {
        if head.starts(with: [0x1F, 0x8B]) {
            return .notASession(path: path, found: "a gzip file (unpack it first: only plain .zip and .tar are read)")
        }
        if FormatSearch.isMesh(path) {
            return .meshExport(path: path, file: FilePath(path).lastComponent?.string ?? path)
        }
        return .notASession(path: path, found: "a file that is neither .zip nor .tar")
    }

    /// The first bytes of a regular file.
    private static func head(of path: String) -> [UInt8]? {
        try? RegularFile.head(of: FilePath(path), byteCount: 512)
    }
}
