package import Platform
package import SystemPackage

/// The reason why a bag could not be written or read.
package enum BagError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The output cannot be created: it exists, or its parent is not writable.
    case cannotCreate(FilePath, reason: String)
    /// The system refuses to create the output.
    case refused(FilePath, Errno)
    /// Writing or reading failed midway (disk full, device gone); what the bag lists stays valid.
    case io(FilePath, reason: String)
    /// The path does not exist.
    case notFound(FilePath)
    /// The content violates the format; `place` is a key, a table or a row.
    case damaged(FilePath, place: String, expected: String, found: String)
    /// Messages that the bag claims to hold are missing or unreadable; each difference names its numbers.
    case incomplete(FilePath, differences: [String])
    /// The file's writer stopped before finishing it.
    case unfinished(FilePath, reason: String)
    /// A pointer of Git LFS lies in place of the file.
    case notFetched(FilePath)
    /// A form of bag that is not supported.
    case unsupported(FilePath, what: String)
    /// A message that cannot be encoded or decoded.
    case message(topic: String, reason: String)
    /// A topic that was never announced, or whose type is unknown.
    case unknownTopic(String, reason: String)

    /// Files that are not there although metadata.yaml lists them, or the numbers of the others show that they were.
    package static func missing(_ names: [String], of directory: FilePath, areListed: Bool) -> BagError {
        let found = names.map { "\"\($0)\"" }.someNames + ", which \(names.count == 1 ? "is" : "are") missing"
        return .damaged(
            areListed ? directory.appending(metadataFileName) : directory,
            place: areListed ? "relative_file_paths" : "file names",
            expected: areListed ? "files that are there" : "numbers without a gap",
            found: found
        )
    }

    package var description: String {
        switch self {
        case .cannotCreate(let path, let reason): "bag: \(path): expected a place for a new one, found: \(reason)"
        case .refused(let path, let errno): "bag: \(path): expected a place for a new one, found: \(errno.description)"
        case .io(let path, let reason): "bag: \(path): expected to read or write it, found: \(reason)"
        case .notFound(let path): "bag: \(path): expected a bag (a directory, .db3 or .mcap), found nothing"
        case .damaged(let path, let place, let expected, let found):
            "damaged bag: \(path): \(place): expected \(expected), found \(found)"
        case .incomplete(let path, let differences):
            "incomplete bag: \(path): expected every message that it says it holds, found: "
                + Self.joined(differences)
        case .unfinished(let path, let reason):
            "unfinished bag: \(path): expected one that its writer has closed, found \(reason)"
        case .notFetched(let path): "bag: \(path): expected the file itself, found a Git LFS pointer to it"
        case .unsupported(let path, let what): "unsupported bag: \(path): expected \(Self.supported), found \(what)"
        case .message(let topic, let reason): "message of \(topic): \(reason)"
        case .unknownTopic(let topic, let reason): "topic \(topic): \(reason)"
        }
    }

    /// Only the first ten are listed, as a bag of thousands of files may differ in each.
    private static func joined(_ texts: [String]) -> String {
        let rest = texts.count - 10
        return texts.prefix(10).joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }

    private static let supported =
        "a bag of .db3 or .mcap files, plain or with zstd, with metadata of version 1 to 9 or none"

    /// Advice as a sentence; nil if there is none.
    package var advice: String? {
        switch self {
        case .damaged(let path, _, _, _) where !Self.holdsAnything(path): nil
        case .unfinished(let path, _), .damaged(let path, _, _, _), .incomplete(let path, _):
            "--accept-damage takes what can be read; `mapeverything repair \(path) -o DIR` saves what is sound in a new bag; what is there stays as it is."
        case .notFetched: "`git lfs pull` in its repository fetches the file."
        default: nil
        }
    }

    /// False where no repair can save anything: the file is none of a bag, or all files beside metadata.yaml are gone.
    private static func holdsAnything(_ path: FilePath) -> Bool {
        guard path.lastComponent?.string == metadataFileName else { return FileKind.foreignContent(path) == nil }
        let folder = path.removingLastComponent()
        let names = (try? directoryEntries(folder.isEmpty ? "." : folder)) ?? []
        return names.contains { FileKind.isStorageName($0) || FileKind.isUnfinishedName($0) }
    }

    /// A failure while writing.
    init(writing error: SQLiteError) {
        self = .io(error.path, reason: error.isDiskFull ? "the disk is full" : error.message)
    }

    package init(writing error: FileError) {
        if let type = error.notRegular {
            self = .unsupported(error.path, what: type.rawValue)
        } else {
            self = .io(error.path, reason: "cannot \(error.operation): \(error.errno.description)")
        }
    }

    /// A failure while reading.
    init(reading error: SQLiteError) {
        if error.isDamage {
            self = .damaged(error.path, place: "SQLite", expected: "a sound database", found: error.message)
        } else if error.primaryCode == 1 {
            self = .damaged(error.path, place: "tables", expected: "those of rosbag2", found: error.message)
        } else {
            self = .io(error.path, reason: error.message)
        }
    }
}

/// Performs a step of writing; turns errors of SQLite and the system into bag errors.
func writing<Result>(_ body: () throws -> Result) throws(BagError) -> Result {
    try attempt(body) { BagError(writing: $0) }
}

/// Performs a step of reading; turns errors of SQLite and the system into bag errors.
func reading<Result>(_ body: () throws -> Result) throws(BagError) -> Result {
    try attempt(body) { BagError(reading: $0) }
}

private func attempt<Result>(
    _ body: () throws -> Result,
    _ failure: (SQLiteError) -> BagError
) throws(BagError) -> Result {
    do {
        return try body()
    } catch let error as BagError {
        throw error
    } catch let error as SQLiteError {
        throw failure(error)
    } catch let error as FileError {
        throw BagError(writing: error)
    } catch {
        throw .io(FilePath(), reason: "\(error)")
    }
}
