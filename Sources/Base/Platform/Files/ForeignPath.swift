import Glibc
package import SystemPackage

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

    /// The last part of a path, with marks for bytes that are no text; `nil` where it has no name.
    package static func name(of path: FilePath) -> String? {
        guard path.string.hasPrefix(folder) else {
            return path.lastComponent.flatMap { $0.kind == .regular ? $0.string : nil }
        }
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let count = readlink(path.string, &bytes, bytes.count - 1)
        let target = String(decoding: bytes.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return FilePath(target).lastComponent?.string
    }
}
