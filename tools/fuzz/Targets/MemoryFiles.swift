import Platform
import Sessions
import SystemPackage

/// A recording that is nowhere but in memory, except for a database.
struct MemoryFiles: SessionFiles {
    var name = "recording"
    var files: [String: [UInt8]]
    var database: FilePath?

    func entry(_ file: String) -> FileEntry { files[file].map { .file(byteCount: $0.count) } ?? .nothing }

    func localPath(of file: String) -> FilePath? { file.hasSuffix(".mbtiles") ? database : nil }

    func read(_ file: String, into bytes: inout [UInt8], maximumBytes: Int) throws(Problem) {
        guard let content = files[file], content.count <= maximumBytes else { throw missing(file) }
        bytes = content
    }

    func stream(_ file: String) throws(Problem) -> any ByteStream {
        guard let content = files[file] else { throw missing(file) }
        return Stream(rest: content[...])
    }

    func forEachName(inFolder folder: String, _ body: (String) -> Bool) {
        let start = folder == "." ? "" : folder + "/"
        for name in files.keys.sorted() where name.hasPrefix(start) {
            let rest = name.dropFirst(start.count)
            if !rest.contains("/"), !body(String(rest)) { return }
        }
    }

    func folderNames() -> [String] {
        Set(files.keys.compactMap { name in name.firstIndex(of: "/").map { String(name[..<$0]) } }).sorted()
    }

    func inFolder(_ name: String) -> any SessionFiles {
        let inside = files.filter { $0.key.hasPrefix(name + "/") }
        let pairs = inside.map { (String($0.key.dropFirst(name.count + 1)), $0.value) }
        return MemoryFiles(name: name, files: Dictionary(uniqueKeysWithValues: pairs))
    }

    func forEachFile(inFolder folder: String, _ body: (String) -> Void) {
        for name in files.keys.sorted() where folder.isEmpty || name.hasPrefix(folder + "/") { body(name) }
    }

    func modificationTimeNanoseconds(of file: String) -> Int64? { nil }

    private func missing(_ file: String) -> Problem {
        Problem(.unreadableFile, file: file, expected: "a file", found: "none")
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
