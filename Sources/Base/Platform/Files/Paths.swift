import Glibc
package import SystemPackage
import Text

/// Gives files and folders their names, in one step: a reader finds nothing, or the whole.
package enum NewName {
    /// Gives a name that must be free.
    ///
    /// - Throws: a ``FileError``, `fileExists` where something has the name.
    package static func give(_ name: FilePath, to source: FilePath) throws(FileError) {
        // rename(2) replaces a file without a word, link(2) does not.
        if link(source.string, name.string) == 0 {
            if unlink(source.string) != 0 { SystemFault.note(source, "remove", Errno(rawValue: errno)) }
            return
        }
        let problem = Errno(rawValue: errno)
        // A folder, and any file of a file system without hard links: a folder that is filled is never replaced.
        guard [.notPermitted, .notSupported, .tooManyLinks, .noFunction].contains(problem) else {
            throw failure(name, problem)
        }
        guard !isThere(name) else { throw failure(name, .fileExists) }
        guard rename(source.string, name.string) == 0 else { throw failure(name, Errno(rawValue: errno)) }
    }

    /// Gives a name that is free, or that something of this type has, which is replaced.
    ///
    /// - Throws: a ``FileError``, `fileExists` where something of another type has the name.
    package static func give(_ name: FilePath, to source: FilePath, replacing type: FileType) throws(FileError) {
        guard let there = FileType(of: name) else { return try give(name, to: source) }
        guard there == type else { throw failure(name, .fileExists) }
        guard rename(source.string, name.string) == 0 else { throw failure(name, Errno(rawValue: errno)) }
    }

    /// A link that leads nowhere is there too.
    private static func isThere(_ path: FilePath) -> Bool {
        var information = stat()
        return lstat(path.string, &information) == 0
    }

    private static func failure(_ name: FilePath, _ problem: Errno) -> FileError {
        FileError(path: name, operation: "give the name", errno: problem)
    }
}

/// Paths whose bytes are no UTF-8, as a text that leads to the same place: that of a descriptor which is held open.
///
/// Texts are UTF-8, names on a disk are bytes.
package enum ForeignPath {
    private static let folder = "/proc/\(getpid())/fd/"

    /// The path itself where it is UTF-8; of another one the place of a descriptor, which stays open to the end of the
    /// process; what reads nearly the same where nothing is there.
    package static func text(_ path: UnsafePointer<CChar>) -> String {
        if let text = String(validatingCString: path) { return text }
        // O_PATH, which is a macro that Swift does not see: nothing is read, and other programs may open it by that place.
        let descriptor = open(path, 0o10000000 | O_CLOEXEC)
        return descriptor < 0 ? String(cString: path) : folder + String(descriptor)
    }

    /// The text with the path that was given, with marks for bytes that are no text, in place of each descriptor's.
    package static func told(_ text: String) -> String {
        guard text.contains(folder) else { return text }
        var parts = text.split(separator: folder, omittingEmptySubsequences: false).map { String($0) }
        for index in parts.indices.dropFirst() {
            let digits = parts[index].prefix { $0.isASCII && $0.isNumber }
            let path = target(of: folder + digits).map { String(decoding: $0, as: UTF8.self) }
            parts[index] = (path ?? folder + String(digits)) + parts[index].dropFirst(digits.count)
        }
        return parts.joined()
    }

    /// The path as a word that a shell takes: `$'ro\xFFom'` where it is no UTF-8.
    package static func shellWord(_ path: String) -> String {
        guard path.hasPrefix(folder), let bytes = target(of: path) else { return path.shellWord }
        let digits = Array("0123456789ABCDEF".utf8)
        var word: [UInt8] = Array("$'".utf8)
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "'"), UInt8(ascii: "\\"): word += [UInt8(ascii: "\\"), byte]
            case 0x20..<0x7F: word.append(byte)
            default: word += Array("\\x".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: word, as: UTF8.self) + "'"
    }

    /// Where the descriptor of a path leads, from the current folder where that is above it.
    private static func target(of path: String) -> ArraySlice<UInt8>? {
        func link(_ path: String) -> ArraySlice<UInt8>? {
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            let count = readlink(path, &bytes, bytes.count - 1)
            return count < 0 ? nil : bytes[..<count].map { UInt8(bitPattern: $0) }[...]
        }
        guard let bytes = link(path) else { return nil }
        let current = (link("/proc/self/cwd") ?? []) + [UInt8(ascii: "/")]
        return bytes.starts(with: current) ? bytes.dropFirst(current.count) : bytes
    }

    /// The last part of a path, with marks for bytes that are no text; `nil` where it has no name.
    package static func name(of path: FilePath) -> String? {
        guard path.string.hasPrefix(folder) else {
            return path.lastComponent.flatMap { $0.kind == .regular ? $0.string : nil }
        }
        return FilePath(told(path.string)).lastComponent?.string
    }
}

/// A text in which all bytes but those that are kept are written as `%` and two digits (RFC 3986, 2.1).
package func percentEncoded(_ text: String, keeping isKept: (UInt8) -> Bool) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
        if isKept(byte) {
            bytes.append(byte)
        } else {
            bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}
