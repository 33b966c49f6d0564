import Files
import Recording

/// Which files there are, by the names in their folders: each folder is listed once, and no file is looked at.
///
/// A name takes eight bytes, as long as the listing lives.
struct FolderListing {
    private let files: any SessionFiles
    /// The hashes of the names in each folder, sorted.
    private var folders: [Substring: [UInt64]] = [:]

    /// Where each frame has a folder of its own, the others are looked at file by file.
    private static let maximumFolders = 64

    init(_ files: any SessionFiles) { self.files = files }

    /// Whether a file, or whatever else, has one of the names.
    mutating func contains(anyOf paths: [String]) -> Bool { paths.contains { contains($0) } }

    mutating func contains(_ path: String) -> Bool {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { path[..<$0] } ?? "."
        let name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
        guard let hashes = hashes(of: folder) else { return files.entry(path) != .nothing }
        return hashes.containsSorted(Self.hash(name))
    }

    /// `nil` where too many folders have been listed already.
    private mutating func hashes(of folder: Substring) -> [UInt64]? {
        if let known = folders[folder] { return known }
        guard folders.count < Self.maximumFolders else { return nil }
        var hashes: [UInt64] = []
        files.forEachName(inFolder: String(folder)) { name in
            hashes.append(Self.hash(name[...]))
            return true
        }
        hashes.sort()
        folders[folder] = hashes
        return hashes
    }

    /// Fowler, Noll and Vo's 64-bit hash (FNV-1a) of the bytes of a name.
    static func hash(_ name: Substring) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
