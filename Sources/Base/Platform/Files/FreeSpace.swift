import Glibc
package import SystemPackage

/// How much a file system can still take.
package enum FreeSpace {
    /// In bytes; nil where the system does not say.
    package static func bytes(at directory: FilePath) -> Int? {
        var information = statvfs()
        guard statvfs(directory.string, &information) == 0 else { return nil }
        let blocks = UInt64(information.f_bavail)
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(information.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }
}
