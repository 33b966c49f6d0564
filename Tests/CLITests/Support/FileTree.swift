import Foundation

/// The files below a folder.
enum FileTree {
    /// Their contents by relative path.
    static func contents(_ folder: String) throws -> [String: Data] {
        var result: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
            var isFolder: ObjCBool = false
            let path = "\(folder)/\(name)"
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                continue
            }
            result[name] = try Data(contentsOf: URL(fileURLWithPath: path))
        }
        return result
    }

    /// Names of files that are in only one of two trees, or differ.
    static func differences(_ left: [String: Data], _ right: [String: Data]) -> [String] {
        Set(left.keys).union(right.keys).filter { left[$0] != right[$0] }.sorted()
    }
}
