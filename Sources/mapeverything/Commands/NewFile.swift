import Containers
import Files
import Glibc
import SystemPackage

/// A file that a command is to create, whole or not at all.
struct NewFile {
    let path: String

    /// - Throws: an ``OutputError`` for a place that cannot be written.
    init(_ path: String, replaces: Bool) throws {
        self.path = path
        if !replaces, FileType(of: FilePath(path)) != nil {
            throw OutputError(path: path, expected: "a path that does not exist yet", found: "one that does")
        }
        let folder = FilePath(path).removingLastComponent()
        guard folder.isEmpty || FileType(of: folder) == .directory else {
            throw OutputError(path: folder.string, expected: "a folder", found: "none")
        }
    }

    func write(_ bytes: [UInt8]) throws {
        do {
            try DurableFiles.replace(FilePath(path), with: bytes, synchronized: false)
        } catch {
            throw OutputError(path: path, expected: "a file that can be written", found: error.found)
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Gives the file its name, and replaces one that has it, when the body has written all of it.
    static func fill<Value>(_ path: FilePath, _ body: (_ temporary: FilePath) throws -> Value) throws -> Value {
        let temporary = FilePath("\(path).\(getpid()).partial")
        do {
            let value = try body(temporary)
            guard rename(temporary.string, path.string) == 0 else {
                throw FileError(path: path, operation: "rename to", errno: Errno(rawValue: errno))
            }
            return value
        } catch {
            unlink(temporary.string)
            throw error
        }
    }
}
