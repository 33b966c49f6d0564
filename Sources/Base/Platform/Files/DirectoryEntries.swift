import Glibc
package import SystemPackage

/// The names in a directory without `.` and `..`, sorted by their bytes.
package func directoryEntries(_ path: FilePath) throws(FileError) -> [String] {
    guard let directory = opendir(path.string) else {
        throw FileError(path: path, operation: "list", errno: Errno(rawValue: errno))
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            $0.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: entry.pointee.d_name)) {
                String(cString: $0)
            }
        }
        if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}
