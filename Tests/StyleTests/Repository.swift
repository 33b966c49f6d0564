import Foundation
import SystemPackage
import TestSupport

/// The files of the repository, as text.
enum Repository {
    struct File: Sendable, CustomStringConvertible {
        /// Relative to the repository, with `/`.
        var path: String
        var text: String

        var description: String { path }

        var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }

        var name: String { String(path.split(separator: "/").last ?? "") }

        /// The text without comments and without what stands in string literals, line by line.
        var code: [String] { SwiftCode.lines(of: text) }
    }

    static let root = URL(filePath: Checkout.root.string, directoryHint: .isDirectory)

    /// Names that git does not track, by .gitignore or by being git's own.
    private static let ignored: Set<String> = [".git", ".build", "Package.resolved", "__pycache__"]

    /// Text files below a folder, sorted by path.
    static func files(_ folder: String = "", endings: [String] = []) throws -> [File] {
        try paths(folder)
            .filter { path in endings.isEmpty || endings.contains { path.hasSuffix($0) } }
            .compactMap { path in
                guard let data = FileManager.default.contents(atPath: root.appending(path: path).path),
                    let text = String(data: data, encoding: .utf8)
                else { return nil }
                return File(path: path, text: text)
            }
    }

    static func file(_ path: String) throws -> File {
        File(path: path, text: try String(contentsOf: root.appending(path: path), encoding: .utf8))
    }

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appending(path: path).path)
    }

    /// The names directly in a folder, sorted.
    static func names(in folder: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: root.appending(path: folder).path)
            .filter { !ignored.contains($0) && !$0.hasSuffix(".swp") }
            .sorted()
    }

    private static func paths(_ folder: String) throws -> [String] {
        var paths: [String] = []
        for name in try names(in: folder) {
            let path = folder.isEmpty ? name : "\(folder)/\(name)"
            var isDirectory: ObjCBool = false
            let isThere = FileManager.default.fileExists(
                atPath: root.appending(path: path).path,
                isDirectory: &isDirectory
            )
            if isThere && isDirectory.boolValue { paths += try self.paths(path) } else { paths.append(path) }
        }
        return paths
    }
}
