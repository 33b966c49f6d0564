import Bags
import SystemPackage

/// Which files make up the bag at a path, whether or not metadata.yaml agrees.
struct BagLayout {
    enum Storage: Hashable { case sqlite3, mcap }

    struct File: Hashable {
        var path: FilePath
        /// The name in the bag's directory.
        var name: String
        var storage: Storage
        /// Whether the whole file is compressed with zstd.
        var isCompressed: Bool
    }

    /// In playing order; only those that are there.
    var files: [File]
    /// nil where there is none.
    var metadataPath: FilePath?
    /// Whether a storage file was given, so that metadata.yaml is not expected.
    var isLoneFile: Bool
    /// Everything in the directory, sorted.
    var names: [String]

    static let metadataName = "metadata.yaml"

    /// Throws `notFound` or `unsupported` where there is no bag.
    init(_ path: FilePath) throws(BagError) {
        if isRegularFile(path) {
            let name = path.lastComponent?.string ?? ""
            if name != BagLayout.metadataName {
                guard let file = BagLayout.file(named: name, path) else {
                    throw .unsupported(path, what: "a file \"\(name)\"")
                }
                self.init(files: [file], metadataPath: nil, isLoneFile: true, names: BagLayout.companions(of: file))
                return
            }
            self = try BagLayout(path.removingLastComponent().isEmpty ? "." : path.removingLastComponent())
            return
        }
        guard let names = try? directoryEntries(path) else { throw .notFound(path) }
        let files = BagLayout.inOrder(names.compactMap { BagLayout.file(named: $0, path.appending($0)) })
        let hasMetadata = names.contains(BagLayout.metadataName)
        // Parts of files alone are a bag that was never finished.
        let hasParts = names.contains { $0.hasSuffix(".db3.part") || $0.hasSuffix(".mcap.part") }
        guard hasMetadata || !files.isEmpty || hasParts else {
            throw .unsupported(path, what: "a directory with no \(BagLayout.metadataName), no .db3 and no .mcap in it")
        }
        let metadataPath = hasMetadata ? path.appending(BagLayout.metadataName) : nil
        self.init(files: files, metadataPath: metadataPath, isLoneFile: false, names: names)
    }

    private init(files: [File], metadataPath: FilePath?, isLoneFile: Bool, names: [String]) {
        self.files = files
        self.metadataPath = metadataPath
        self.isLoneFile = isLoneFile
        self.names = names
    }

    /// Puts the files that metadata.yaml lists first, in its order, and says which it lists in vain.
    mutating func order(by listed: [String]) -> (missing: [String], unlisted: [String]) {
        let present = Set(files.map(\.name))
        let unlisted = files.map(\.name).filter { !listed.contains($0) }
        let byName = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        var seen: Set<String> = []
        let ordered = (listed + unlisted).filter { seen.insert($0).inserted }
        files = ordered.compactMap { byName[$0] }
        return (listed.filter { !present.contains($0) }, unlisted)
    }

    private static func file(named name: String, _ path: FilePath) -> File? {
        let isCompressed = name.hasSuffix(".zstd")
        let stem = isCompressed ? String(name.dropLast(".zstd".count)) : name
        if stem.hasSuffix(".db3") {
            return File(path: path, name: name, storage: .sqlite3, isCompressed: isCompressed)
        }
        if stem.hasSuffix(".mcap") {
            return File(path: path, name: name, storage: .mcap, isCompressed: isCompressed)
        }
        return nil
    }

    /// What lies beside a lone file under its name.
    private static func companions(of file: File) -> [String] {
        let directory = file.path.removingLastComponent()
        let names = (try? directoryEntries(directory.isEmpty ? "." : directory)) ?? []
        return names.filter { $0.hasPrefix(file.name) }
    }

    /// `NAME_<n>.db3` by number, others after them by name.
    private static func inOrder(_ files: [File]) -> [File] {
        func number(_ file: File) -> Int {
            let stem = file.name.split(separator: ".").first ?? ""
            guard let underscore = stem.lastIndex(of: "_") else { return .max }
            return Int(stem[stem.index(after: underscore)...]) ?? .max
        }
        return files.sorted { (number($0), $0.name) < (number($1), $1.name) }
    }
}
