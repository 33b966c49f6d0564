import Glibc
package import SystemPackage

extension BagReader {
    /// True if a place is the bag's own, or the folder of one of its files, so that nothing may be made there.
    package func isAt(_ place: FilePath) -> Bool {
        ([path] + files.map { $0.removingLastComponent() })
            .contains { BagReader.isSame($0.isEmpty ? "." : $0, place) }
    }

    /// True if two paths lead to the same file or directory.
    private static func isSame(_ first: FilePath, _ second: FilePath) -> Bool {
        var one = stat()
        var other = stat()
        return stat(first.string, &one) == 0 && stat(second.string, &other) == 0 && one.st_dev == other.st_dev
            && one.st_ino == other.st_ino
    }
}
