import Glibc
package import SystemPackage

/// The names in a directory without `.` and `..`, sorted by their bytes.
package func directoryEntries(_ path: FilePath) throws(FileError) -> [String] {
    guard let directory = opendir(path.string) else {
        throw FileError(path: path, operation: "list", errno: Errno(rawValue: errno))
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let name = nextName(in: directory) { names.append(name) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// The next name in an open directory other than `.` and `..`; nil after the last one.
package func nextName(in directory: OpaquePointer) -> String? {
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { return name }
    }
    return nil
}
