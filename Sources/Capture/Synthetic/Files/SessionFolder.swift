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
        "truth.json",
    ]

    let root: FilePath

    /// Creates the directory; one that exists is refused, or emptied of an earlier sample's files if `isForced`.
    init(creating root: FilePath, isForced: Bool) throws(SyntheticError) {
        self.root = root
        if mkdir(root.string, 0o777) != 0 {
            let problem = Errno(rawValue: Glibc.errno)
            guard problem == .fileExists else { throw .system(operation: "mkdir", path: root, errno: problem) }
            guard isForced else { throw .exists(path: root) }
            try removeOldFiles()
        }
        for payload in Payload.allCases where payload != .relativeDepth { try makeDirectory(payload) }
    }

    func makeDirectory(_ payload: Payload) throws(SyntheticError) {
        try makeDirectory(root.appending(payload.rawValue))
    }

    func makeDirectory(_ path: FilePath) throws(SyntheticError) {
        guard mkdir(path.string, 0o777) == 0 || Glibc.errno == EEXIST else {
            throw .system(operation: "mkdir", path: path, errno: Errno(rawValue: Glibc.errno))
        }
    }

    func path(_ payload: Payload, frame: Int) -> FilePath {
        let digits = String(frame)
        let name = String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "." + payload.fileExtension
        return root.appending(payload.rawValue).appending(name)
    }

    func write(_ bytes: UnsafeRawBufferPointer, to path: FilePath) throws(SyntheticError) {
        var file = try OutputFile(creating: path)
        try file.write(bytes)
        try file.close()
    }

    func write(_ bytes: [UInt8], to path: FilePath) throws(SyntheticError) {
        try bytes.withUnsafeBytes { buffer in
            Result { () throws(SyntheticError) in try write(buffer, to: path) }
        }.get()
    }

    /// Makes `path` a second name of `source`, or a copy where the file system has no (more) links.
    ///
    /// Says whether it is a copy: later frames should then link to the copy.
    func link(_ source: FilePath, to path: FilePath) throws(SyntheticError) -> Bool {
        if Glibc.link(source.string, path.string) == 0 { return false }
        try write(try read(source), to: path)
        return true
    }

    private func read(_ path: FilePath) throws(SyntheticError) -> [UInt8] {
        do {
            let file = try FileDescriptor.open(path, .readOnly)
            defer { try? file.close() }
            var bytes: [UInt8] = []
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = try piece.withUnsafeMutableBytes { try file.read(into: $0) }
                if count == 0 { return bytes }
                bytes += piece[..<count]
            }
        } catch {
            throw .system(operation: "read", path: path, errno: error as? Errno ?? .ioError)
        }
    }

    /// Removes only what a sample writes, and no other files.
    private func removeOldFiles() throws(SyntheticError) {
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

    private func remove(_ path: FilePath) throws(SyntheticError) {
        guard unlink(path.string) == 0 || [ENOENT, ENOTDIR].contains(Glibc.errno) else {
            throw .system(operation: "unlink", path: path, errno: Errno(rawValue: Glibc.errno))
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
