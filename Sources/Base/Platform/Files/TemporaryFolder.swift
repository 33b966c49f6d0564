import Glibc
package import SystemPackage

/// A folder of the system's for temporary files, which ends with this value.
package final class TemporaryFolder: Sendable {
    package let path: FilePath

    /// - Throws: a ``FileError`` where none can be made.
    package init() throws(FileError) {
        let parent = NamelessFile.directory
        var template = Array(parent.appending("mapeverything-XXXXXX").string.utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FileError(path: parent, operation: "create a folder in", errno: Errno(rawValue: errno))
        }
        path = FilePath(platformString: template)
    }

    deinit { FileTree.remove(path) }
}
