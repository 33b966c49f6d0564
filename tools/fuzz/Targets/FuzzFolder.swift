import Glibc
import SystemPackage

/// A folder of this process, in memory where TMPDIR is: for readers that take a path, not bytes.
struct FuzzFolder: Sendable {
    let path: FilePath

    init(_ name: String) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        path = FilePath("\(parent)/mapeverything-fuzz-\(getpid())-\(name)")
        mkdir(path.string, 0o700)
    }

    func callAsFunction(_ name: String) -> FilePath { path.appending(FilePath(name).components) }

    /// Writes a file in place of the one that is there, and makes the folders above it.
    func write(_ bytes: UnsafeRawBufferPointer, to name: String) {
        let file = self(name)
        var descriptor = open(file.string, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        if descriptor < 0 {
            makeFolder(file.removingLastComponent())
            descriptor = open(file.string, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        }
        require(descriptor >= 0, "\(file): cannot be written")
        defer { close(descriptor) }
        require(Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count, "\(file): a full disk")
    }

    func write(_ bytes: [UInt8], to name: String) { bytes.withUnsafeBytes { write($0, to: name) } }

    /// A whole file; empty if there is none.
    func read(_ name: String) -> [UInt8] {
        let descriptor = open(self(name).string, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &block, block.count)
            guard count > 0 else { return bytes }
            bytes += block[..<count]
        }
    }

    private func makeFolder(_ folder: FilePath) {
        if access(folder.string, F_OK) == 0 { return }
        makeFolder(folder.removingLastComponent())
        mkdir(folder.string, 0o700)
    }
}

/// One file of such a folder, which stays open: each input is written over the one before.
final class FuzzFile: Sendable {
    let path: FilePath
    private let descriptor: CInt

    init(_ name: String, in folder: FuzzFolder) {
        path = folder(name)
        descriptor = open(path.string, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        require(descriptor >= 0, "\(path): cannot be written")
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        require(pwrite(descriptor, bytes.baseAddress, bytes.count, 0) == bytes.count, "\(path): a full disk")
        require(ftruncate(descriptor, bytes.count) == 0, "\(path): cannot be cut")
    }

    func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }
}
