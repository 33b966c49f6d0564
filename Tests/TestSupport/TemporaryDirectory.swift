import Glibc
package import SystemPackage

/// A fresh directory that is removed, with all it holds, when the value goes away.
package final class TemporaryDirectory: Sendable {
    package let path: FilePath

    package init() throws {
        let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(base)/mapeverything-test-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw Errno(rawValue: errno) }
        path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    deinit {
        removeTree(path)
    }

    /// A path inside the directory.
    package func appending(_ component: String) -> FilePath {
        path.appending(component)
    }
}

private func removeTree(_ path: FilePath) {
    var information = stat()
    guard lstat(path.string, &information) == 0 else { return }
    guard information.st_mode & S_IFMT == S_IFDIR, let directory = opendir(path.string) else {
        unlink(path.string)
        return
    }
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != "." && name != ".." { removeTree(path.appending(name)) }
    }
    closedir(directory)
    rmdir(path.string)
}
