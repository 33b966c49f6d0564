import Glibc
package import SystemPackage

/// A folder of the system's for temporary files, which ends with this value.
package final class TemporaryFolder: Sendable {
    package let path: FilePath

    /// - Throws: a ``FileError`` where none can be made.
    package init() throws(FileError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/mapeverything-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FileError(path: FilePath(parent), operation: "create a folder in", errno: Errno(rawValue: errno))
        }
        path = FilePath(String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self))
    }

    deinit { FileTree.remove(path) }
}
