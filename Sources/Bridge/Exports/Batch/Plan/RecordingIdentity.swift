import Glibc
import Messages
package import Platform
package import SystemPackage

/// The identity of a recording: the same on every machine that has the same files, another when one has changed.
///
/// The hash of a line for each file, in the order of their names: name, size and, of texts (lists of frames, samples,
/// metadata), the SHA-256 of what is in them. Of an archive, and of a text of more than 256 MiB, it is size, first and last
/// mebibyte: a ZIP's directory, with checksums of all files, is at its end. A picture that is replaced by one of the same
/// size is not noticed.
package struct RecordingIdentity: Hashable, Sendable {
    package enum Scheme: String, Sendable {
        case content
        /// Names and sizes alone, for what lies where a plan cannot read it.
        case names
    }

    package var scheme: Scheme
    package var digest: String
    package var byteCount: Int
    package var fileCount: Int
    /// The lines of the list of frames; nil where none is known.
    package var frameCount: Int?

    package var text: String { "\(scheme.rawValue):\(digest)" }

    private static let textEndings = [".json", ".jsonl", ".csv", ".txt"]
    private static let frameLists: Set<String> = ["frames.jsonl", "odometry.csv", "ARposes.txt"]
    private static let endBytes = 1 << 20
    /// Only the ends of a larger text are read: no recording has such a list, and a damaged file may claim terabytes.
    private static let maximumTextBytes = 256 << 20
    /// More than any recording has: a folder that has them is none.
    private static let fileLimit = 5_000_000

    /// Reads it of what is at a path.
    ///
    /// - Throws: a ``FileError`` where nothing is there, or a file cannot be read.
    package init(of path: FilePath, _ scheme: Scheme = .content) throws(FileError) {
        switch FileEntry(at: path.string) {
        case .file(let byteCount): try self.init(file: path, byteCount: byteCount, scheme)
        case .other(.directory): try self.init(folder: path, scheme)
        case .nothing: throw FileError(path: path, operation: "find", errno: .noSuchFileOrDirectory)
        case .other(let type): throw FileError(notRegular: type, path)
        }
    }

    /// Makes the identity of files that were listed: the names are below the recording, and empty for a single file.
    package init(listed files: [(name: String, byteCount: Int)]) {
        var hash = SHA256()
        var sum = 0
        for file in files.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            hash.update(Array("\(file.byteCount) \(file.name)\n".utf8))
            sum = sum.addingReportingOverflow(file.byteCount).partialValue
        }
        self.init(.names, hash, byteCount: sum, fileCount: files.count, frameCount: nil)
    }

    private init(_ scheme: Scheme, _ hash: SHA256, byteCount: Int, fileCount: Int, frameCount: Int?) {
        self.scheme = scheme
        digest = hash.hexadecimalDigest()
        self.byteCount = byteCount
        self.fileCount = fileCount
        self.frameCount = frameCount
    }

    private init(file path: FilePath, byteCount: Int, _ scheme: Scheme) throws(FileError) {
        guard scheme == .content else {
            self.init(listed: [("", byteCount)])
            return
        }
        var hash = SHA256()
        hash.update(Array("\(byteCount)\n".utf8))
        try Self.addEnds(of: path, byteCount, to: &hash)
        self.init(scheme, hash, byteCount: byteCount, fileCount: 1, frameCount: nil)
    }

    private init(folder: FilePath, _ scheme: Scheme) throws(FileError) {
        var files: [(name: String, byteCount: Int)] = []
        try FileListing.list(folder, limit: Self.fileLimit) { files.append(($0, $1)) }
        guard scheme == .content else {
            self.init(listed: files)
            return
        }
        var hash = SHA256()
        var frames: Int?
        for file in files.sorted(by: { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }) {
            var line = "\(file.byteCount) \(file.name)"
            if Self.textEndings.contains(where: file.name.hasSuffix) {
                guard file.byteCount <= Self.maximumTextBytes else {
                    hash.update(Array((line + "\n").utf8))
                    try Self.addEnds(of: folder.pushing(FilePath(file.name)), file.byteCount, to: &hash)
                    continue
                }
                let (digest, lines) = try FileHash.read(folder.pushing(FilePath(file.name)))
                line += " \(digest)"
                if Self.frameLists.contains(file.name) { frames = lines }
            }
            hash.update(Array((line + "\n").utf8))
        }
        self.init(
            scheme,
            hash,
            byteCount: files.reduce(0) { $0 + $1.byteCount },
            fileCount: files.count,
            frameCount: frames ?? Self.pictureCount(files)
        )
    }

    private static func addEnds(of path: FilePath, _ byteCount: Int, to hash: inout SHA256) throws(FileError) {
        hash.update(try RegularFile.head(of: path, byteCount: min(byteCount, endBytes)))
        guard byteCount > endBytes else { return }
        let rest = min(byteCount - endBytes, endBytes)
        hash.update(try RegularFile.part(of: path, at: byteCount - rest, byteCount: rest))
    }

    private static func pictureCount(_ files: [(name: String, byteCount: Int)]) -> Int? {
        let count = files.count { $0.name.hasSuffix(".jpg") || $0.name.hasSuffix(".jpeg") }
        return count > 0 ? count : nil
    }
}
