import Platform
import Sessions
import SystemPackage

/// A recording that is nowhere but in memory, except for a database.
///
/// What is sound of it is listed once; a copy with another text in place of one file costs next to nothing.
struct MemoryFiles: SessionFiles {
    private let listing: Listing
    private var replaced: (file: String, bytes: [UInt8])?
    var database: FilePath?

    init(name: String = "recording", files: [String: [UInt8]]) {
        listing = Listing(name: name, files: files)
    }

    /// The same with another content of a file that is listed.
    func replacing(_ file: String, by bytes: [UInt8]) -> MemoryFiles {
        var copy = self
        copy.replaced = (file, bytes)
        return copy
    }

    var name: String { listing.name }

    func entry(_ file: String) -> FileEntry { content(file).map { .file(byteCount: $0.count) } ?? .nothing }

    func localPath(of file: String) -> FilePath? { file.hasSuffix(".mbtiles") ? database : nil }

    func read(_ file: String, into bytes: inout [UInt8], maximumBytes: Int) throws(Problem) {
        guard let content = content(file), content.count <= maximumBytes else { throw missing(file) }
        bytes = content
    }

    func stream(_ file: String) throws(Problem) -> any ByteStream {
        guard let content = content(file) else { throw missing(file) }
        return Stream(rest: content[...])
    }

    func forEachName(inFolder folder: String, _ body: (String) -> Bool) {
        for name in listing.namesByFolder[folder] ?? [] where !body(name) { return }
    }

    func folderNames() -> [String] { listing.folders }

    func inFolder(_ name: String) -> any SessionFiles {
        let inside = listing.files.filter { $0.key.hasPrefix(name + "/") }
        let pairs = inside.map { (String($0.key.dropFirst(name.count + 1)), content($0.key) ?? []) }
        return MemoryFiles(name: name, files: Dictionary(uniqueKeysWithValues: pairs))
    }

    func forEachFile(inFolder folder: String, _ body: (String) -> Void) {
        for name in listing.names where folder.isEmpty || name.hasPrefix(folder + "/") { body(name) }
    }

    func modificationTimeNanoseconds(of file: String) -> Int64? { nil }

    private func content(_ file: String) -> [UInt8]? {
        if let replaced, replaced.file == file { return replaced.bytes }
        return listing.files[file]
    }

    private func missing(_ file: String) -> Problem {
        Problem(.unreadableFile, file: file, expected: "a file", found: "none")
    }

    /// What is where, with the content of all that is not replaced.
    private final class Listing: Sendable {
        let name: String
        let files: [String: [UInt8]]
        /// Sorted.
        let names: [String]
        /// The names directly in a folder, `.` for the whole, sorted.
        let namesByFolder: [String: [String]]
        /// The folders directly in the whole, sorted.
        let folders: [String]

        init(name: String, files: [String: [UInt8]]) {
            self.name = name
            self.files = files
            names = files.keys.sorted()
            var byFolder: [String: [String]] = [:]
            for file in names {
                let slash = file.lastIndex(of: "/")
                let folder = slash.map { String(file[..<$0]) } ?? "."
                byFolder[folder, default: []].append(slash.map { String(file[file.index(after: $0)...]) } ?? file)
            }
            namesByFolder = byFolder
            folders = Set(names.compactMap { file in file.firstIndex(of: "/").map { String(file[..<$0]) } }).sorted()
        }
    }

    private struct Stream: ByteStream {
        var rest: ArraySlice<UInt8>

        mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let part = rest.prefix(buffer.count)
            buffer.copyBytes(from: part)
            rest = rest.dropFirst(part.count)
            return part.count
        }
    }
}
