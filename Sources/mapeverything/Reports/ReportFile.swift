import Files
import Glibc
import JSONText
import SystemPackage

/// The file of `--report`.
enum ReportFile {
    /// Writes the object, where a file is asked for.
    ///
    /// A regular file is replaced in one step; pipes and devices are written as they are, also by other names of them.
    static func write(_ json: JSONValue, to path: String?) throws(ReportError) {
        guard let path else { return }
        let bytes = Array((json.text(style: .pretty) + "\n").utf8)
        do {
            if isWrittenInPlace(path) {
                let file = try FileDescriptor.open(path, .writeOnly, options: [.truncate, .closeOnExec])
                try file.closeAfter { _ = try file.writeAll(bytes) }
            } else {
                try NewFile.fill(linkTarget(path)) { try OutputFile.write(bytes, to: $0) }
            }
        } catch {
            let refusal = (error as? FileError)?.errno ?? (error as? OutputError)?.errno
            throw ReportError(path: path, found: refusal ?? error as? Errno ?? .ioError)
        }
    }

    private static func isWrittenInPlace(_ path: String) -> Bool {
        let isSystem = path.hasPrefix("/dev/") || path.hasPrefix("/proc/")
        return isSystem || FileType(of: FilePath(path)).map { $0 != .regular } ?? false
    }

    /// What a link leads to: it stays, and its target is replaced.
    private static func linkTarget(_ path: String) -> FilePath {
        guard FileType(of: FilePath(path)) != nil, let resolved = realpath(path, nil) else { return FilePath(path) }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }
}
