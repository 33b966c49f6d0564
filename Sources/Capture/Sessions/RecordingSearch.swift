import Glibc
package import Platform
import SystemPackage
import Text

/// Finds the recordings below folders, of every format that ``SessionFormats`` opens.
///
/// A folder or archive is recognised by its content, and nothing is looked for inside of it then. Each folder is visited once:
/// links are followed after everything else, so that a link neither leads back nor takes the place of what it leads to.
/// Names that begin with a dot, and `__MACOSX`, are passed over.
package struct RecordingSearch: Sendable {
    /// How many folders may lie around a recording, below the one that the search begins at.
    package static let maximumDepth = 16

    /// True for a folder or file of another kind that is looked for too, and into which the search does not go.
    private let isOther: @Sendable (_ path: String) -> Bool

    /// - Parameter isOther: for what else is wanted; nothing inside of it is looked for.
    package init(orWhere isOther: @escaping @Sendable (_ path: String) -> Bool = { _ in false }) {
        self.isOther = isOther
    }

    /// Walks through folders; a root may be a recording itself, and a file that is one is taken for a recording.
    ///
    /// - Parameter progress: is told how many folders have been looked at.
    /// - Throws: a ``SessionError`` where there is nothing at the path of a root, and `CancellationError`.
    package func run(_ roots: [String], progress: ProgressHandler = { _ in }) throws -> RecordingFindings {
        for root in roots where FileEntry(at: root).isAbsent { throw SessionError.notFound(path: root) }
        var walk = RecordingWalk(isOther: isOther)
        for root in roots { try walk.look(at: .init(path: root.withoutFinalSlashes, depth: 0), progress) }
        try walk.followLinks(progress)
        return walk.sortedFindings
    }
}

/// A recording that was found, unopened.
package struct FoundRecording: Hashable, Sendable {
    /// The path of the root as it was given, with the names below it.
    package var path: String
    /// `nil` for what is meant as a session, and is not known as one of a format: opening it says what is wrong.
    package var format: String?

    /// Why it cannot be opened, where its format is not known.
    package var leftOut: LeftOut? {
        guard format == nil else { return nil }
        do {
            _ = try SessionFormats.open(path: path)
            return nil
        } catch {
            return LeftOut(path: path, reason: "\(error)")
        }
    }

    /// The bytes of its files; of a folder all those below it, without what links lead to.
    package func byteCount() -> Int {
        switch FileEntry(at: path) {
        case .file(let byteCount): byteCount
        case .other(.directory): FileTree.byteCount(FilePath(path))
        case .nothing, .other: 0
        }
    }
}

/// What was found, or named, and is not used, and why.
package struct LeftOut: Hashable, Sendable, CustomStringConvertible {
    package var path: String
    package var reason: String

    /// - Parameter reason: in words, or as an error says it, which begins with the path.
    package init(path: String, reason: String) {
        let start = "session: \(path): "
        (self.path, self.reason) = (path, reason.hasPrefix(start) ? String(reason.dropFirst(start.count)) : reason)
    }

    package var description: String { "left out: \(path): \(reason)".asOneLine }
}

/// The findings of a search.
package struct RecordingFindings: Sendable {
    /// The recordings in the order of their paths, byte by byte.
    package var recordings: [FoundRecording] = []
    /// What else was looked for, in the order of the paths.
    package var others: [String] = []
    /// The folders that were not looked through, archives that could not be read and links that lead nowhere, in the order of
    /// their paths.
    package var unreadable: [LeftOut] = []
    /// Files that are called archives and hold no recording.
    package var otherArchiveCount = 0
    package var folderCount = 0
}

/// The state of one search.
private struct RecordingWalk {
    struct Place {
        var path: String
        var depth: Int
    }

    /// A file or folder, whatever path leads to it.
    private struct Identity: Hashable {
        var device: UInt64
        var number: UInt64
    }

    let isOther: (String) -> Bool
    private var findings = RecordingFindings()
    private var seen: Set<Identity> = []
    private var links: [Place] = []

    init(isOther: @escaping (String) -> Bool) { self.isOther = isOther }

    var sortedFindings: RecordingFindings {
        var sorted = findings
        sorted.recordings.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        sorted.others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        sorted.unreadable.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
        return sorted
    }

    /// Links in folders that links lead to come after these.
    mutating func followLinks(_ progress: ProgressHandler) throws {
        while !links.isEmpty {
            let round = links.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
            links = []
            for link in round { try look(at: link, progress) }
        }
    }

    /// Looks at a place and at everything below it.
    mutating func look(at root: Place, _ progress: ProgressHandler) throws {
        var places = [root]
        while let place = places.popLast() {
            try Task.checkCancellation()
            var information = stat()
            guard stat(place.path, &information) == 0 else {
                let problem = errno
                SystemFault.note(FilePath(place.path), "look at", Errno(rawValue: problem))
                pass(place.path, String(cString: strerror(problem)))
                continue
            }
            let identity = Identity(device: UInt64(information.st_dev), number: UInt64(information.st_ino))
            let kind = information.st_mode & S_IFMT
            guard kind == S_IFDIR || kind == S_IFREG, seen.insert(identity).inserted else { continue }
            guard kind == S_IFDIR else {
                lookAtFile(place.path, isRoot: place.depth == 0)
                continue
            }
            findings.folderCount += 1
            if findings.folderCount % 64 == 0 {
                progress(WorkProgress("searching", findings.folderCount, of: nil, .files))
            }
            if isRecording(folder: place.path) { continue }
            if isOther(place.path) {
                findings.others.append(place.path)
                continue
            }
            guard place.depth < RecordingSearch.maximumDepth else {
                pass(place.path, "it lies more than \(RecordingSearch.maximumDepth) folders deep")
                continue
            }
            places += entries(of: place)
        }
    }

    private mutating func add(_ path: String, _ format: String?) {
        findings.recordings.append(FoundRecording(path: path, format: format))
    }

    private mutating func pass(_ path: String, _ reason: String) {
        findings.unreadable.append(.init(path: path, reason: reason))
    }

    private mutating func isRecording(folder path: String) -> Bool {
        let files = FolderFiles(root: FilePath(path))
        let format = FormatSearch.format(of: files)?.name
        guard format != nil || SessionFormats.isHeadless(files) else { return false }
        add(path, format)
        return true
    }

    private mutating func lookAtFile(_ path: String, isRoot: Bool) {
        guard isRoot || path.hasEnding(of: SessionFormats.archiveEndings) else {
            if isOther(path) { findings.others.append(path) }
            return
        }
        switch SessionFormats.archiveContent(at: path) {
        case .format(let name): add(path, name)
        case .damaged: add(path, nil)
        case .somethingElse, .noArchive:
            if isRoot { add(path, nil) } else { findings.otherArchiveCount += 1 }
        case .unreadable(let reason):
            if isRoot { add(path, nil) } else { pass(path, reason) }
        }
    }

    /// The folders and files to look at next; links wait.
    private mutating func entries(of folder: Place) -> [Place] {
        guard let directory = opendir(folder.path) else {
            let problem = errno
            SystemFault.note(FilePath(folder.path), "list", Errno(rawValue: problem))
            pass(folder.path, String(cString: strerror(problem)))
            return []
        }
        defer { closedir(directory) }
        var places: [Place] = []
        while let entry = readdir(directory) {
            let (name, isText) = withUnsafeBytes(of: &entry.pointee.d_name) {
                let bytes = $0.prefix { $0 != 0 }
                return (String(decoding: bytes, as: UTF8.self), String(validating: bytes, as: UTF8.self) != nil)
            }
            guard !name.hasPrefix("."), name != "__MACOSX" else { continue }
            let place = Place(path: folder.path.appending(name: name), depth: folder.depth + 1)
            guard isText else {
                pass(place.path, "its name is not UTF-8; given by itself it is read")
                continue
            }
            switch Self.kind(of: name, in: directory, said: entry.pointee.d_type) {
            case S_IFDIR: places.append(place)
            case S_IFREG where name.hasEnding(of: SessionFormats.archiveEndings) || isOther(place.path):
                places.append(place)
            case S_IFLNK: links.append(place)
            default: break
            }
        }
        // The last one is looked at first. Which of two names of a file is found must not depend on the file system's order.
        return places.sorted { $1.path.utf8.lexicographicallyPrecedes($0.path.utf8) }
    }

    /// Few file systems do not say what an entry is.
    private static func kind(of name: String, in directory: OpaquePointer, said type: UInt8) -> mode_t {
        if type != 0 { return mode_t(type) << 12 }
        var information = stat()
        guard fstatat(dirfd(directory), name, &information, AT_SYMLINK_NOFOLLOW) == 0 else { return 0 }
        return information.st_mode & S_IFMT
    }
}

extension String {
    /// Without the slashes at the end, which are no part of a name.
    fileprivate var withoutFinalSlashes: String {
        var path = Substring(self)
        while path.count > 1, path.last == "/" { path.removeLast() }
        return String(path)
    }

    fileprivate func appending(name: String) -> String {
        self == "." ? name : hasSuffix("/") ? self + name : "\(self)/\(name)"
    }

    fileprivate func hasEnding(of endings: [String]) -> Bool {
        let end = suffix(16).lowercased()
        return endings.contains { end.hasSuffix($0) }
    }
}
