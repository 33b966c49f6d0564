import Files
import Glibc
import SystemPackage

/// The files of a synthetic session in its directory.
struct SessionFolder: Sendable {
    enum Payload: String, CaseIterable, Sendable {
        case rgb
        case depth
        case confidence
        case relativeDepth = "relative_depth"

        var fileExtension: String { self == .rgb ? "jpg" : "bin" }
    }

    static let textFiles = [
        "frames.jsonl", "metadata.json", "imu.jsonl", "gps.jsonl", "heading.jsonl", "radio.jsonl", "indoor.jsonl",
        "truth.json", "tags_truth.txt",
    ]

    let root: FilePath

    /// Creates the directory; one that exists is refused, or emptied of an earlier sample's files if `isForced`.
    init(creating root: FilePath, isForced: Bool) throws {
        self.root = root
        if mkdir(root.string, 0o777) != 0 {
            let problem = Errno(rawValue: Glibc.errno)
            guard problem == .fileExists else { throw FileError(path: root, operation: "mkdir", errno: problem) }
            guard isForced else { throw SyntheticError.exists(path: root) }
            try removeOldFiles()
        }
        for payload in Payload.allCases where payload != .relativeDepth { try makeDirectory(payload) }
    }

    func makeDirectory(_ payload: Payload) throws(FileError) {
        try makeDirectory(root.appending(payload.rawValue))
    }

    func makeDirectory(_ path: FilePath) throws(FileError) {
        guard mkdir(path.string, 0o777) == 0 || Glibc.errno == EEXIST else {
            throw FileError(path: path, operation: "mkdir", errno: Errno(rawValue: Glibc.errno))
        }
    }

    func path(_ payload: Payload, frame: Int) -> FilePath {
        let digits = String(frame)
        let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "." + payload.fileExtension
        return root.appending(payload.rawValue).appending(name)
    }

    /// Makes `path` a second name of `source`, or a copy where the file system has no (more) links.
    ///
    /// Says whether it is a copy: later frames should then link to the copy.
    func link(_ source: FilePath, to path: FilePath) throws(FileError) -> Bool {
        if Glibc.link(source.string, path.string) == 0 { return false }
        try OutputFile.write(try OutputFile.contents(of: source), to: path)
        return true
    }

    /// Removes only what a sample writes, and no other files.
    private func removeOldFiles() throws(FileError) {
        for name in SessionFolder.textFiles { try remove(root.appending(name)) }
        for payload in Payload.allCases {
            let directory = root.appending(payload.rawValue)
            for name in numberedFiles(in: directory, fileExtension: payload.fileExtension) {
                try remove(directory.appending(name))
            }
        }
        rmdir(root.appending(Payload.relativeDepth.rawValue).string)
        for name in SampleTiles.files { try remove(root.appending(name)) }
        // Only those that are empty now go.
        for name in SampleTiles.folders.reversed() { rmdir(root.appending(name).string) }
    }

    private func remove(_ path: FilePath) throws(FileError) {
        guard unlink(path.string) == 0 || [ENOENT, ENOTDIR].contains(Glibc.errno) else {
            throw FileError(path: path, operation: "unlink", errno: Errno(rawValue: Glibc.errno))
        }
    }

    private func numberedFiles(in path: FilePath, fileExtension: String) -> [String] {
        guard let directory = opendir(path.string) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            let parts = name.split(separator: ".")
            guard parts.count == 2, parts[1] == fileExtension, parts[0].allSatisfy(\.isNumber) else { continue }
            names.append(name)
        }
        return names
    }
}
