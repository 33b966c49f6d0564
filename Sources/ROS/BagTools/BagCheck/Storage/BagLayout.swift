import Bags
import Platform
import SystemPackage

/// Which files make up the bag at a path, whether or not metadata.yaml agrees.
struct BagLayout {
    enum Storage: String, Hashable {
        case sqlite3
        case mcap

        /// Finds the storage by the first bytes of a file that is not compressed; nil for what is neither.
        init?(of path: FilePath) {
            switch FileKind(of: path) {
            case .sqlite: self = .sqlite3
            case .mcap: self = .mcap
            case .zstd, .empty, .other, nil: return nil
            }
        }

        /// Finds the storage by the name of a file, packed or not; nil for what is no storage file.
        init?(named name: String) {
            let stem = name.hasSuffix(".zstd") ? String(name.dropLast(".zstd".count)) : name
            guard FileKind.isStorageName(stem) else { return nil }
            self = stem.hasSuffix(".mcap") ? .mcap : .sqlite3
        }
    }

    struct File: Hashable {
        var path: FilePath
        var name: String
        /// The storage by the content, where that is not compressed and tells; else by the name.
        var storage: Storage
        /// True if the whole file is compressed with zstd.
        var isCompressed: Bool

        /// True if the name is that of another form, by which players choose their reader.
        var hasWrongName: Bool {
            Storage(named: name).map { $0 != storage || name.hasSuffix(".zstd") != isCompressed } ?? false
        }

        /// The ending that the name should have.
        var ending: String { (storage == .mcap ? ".mcap" : ".db3") + (isCompressed ? ".zstd" : "") }
    }

    /// In playing order; only those that are there.
    var files: [File]
    /// nil where there is none.
    var metadataPath: FilePath?
    /// True if a storage file was given, so that metadata.yaml is not expected.
    var isLoneFile: Bool
    /// Everything in the directory, sorted.
    var names: [String]
    /// Other forms of files of the bag, packed or plain, which no reader takes for a part of it.
    var twins: [String] = []

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
        let storageNames = FileKind.inOrderOfNumbers(names.filter(FileKind.isStorageName))
        let files = storageNames.compactMap { BagLayout.file(named: $0, path.appending($0)) }
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

    /// Puts the files in playing order, those that metadata.yaml does not list last, and leaves out other forms of them.
    ///
    /// - Parameter listed: The names in metadata.yaml; nil without one.
    mutating func arrange(by listed: [String]?) -> (missing: [String], unlisted: [String]) {
        guard !isLoneFile else { return ([], []) }
        let selection = BagFileSelection(names: names, listed: listed)
        let byName = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        twins = selection.twins
        files = (selection.files + selection.unlisted).compactMap { byName[$0] }
        let unlisted = selection.isListed ? selection.unlisted : listed == nil ? [] : selection.files
        return (listed.map { $0.filter { !names.contains($0) } } ?? selection.missing, unlisted)
    }

    private static func file(named name: String, _ path: FilePath) -> File? {
        let plain = Storage(of: path)
        let isCompressed = plain == nil && (FileKind(of: path) == .zstd || name.hasSuffix(".zstd"))
        guard let storage = plain ?? Storage(named: name) else { return nil }
        return File(path: path, name: name, storage: storage, isCompressed: isCompressed)
    }

    /// The names of files beside a lone file that begin with its name.
    private static func companions(of file: File) -> [String] {
        let directory = file.path.removingLastComponent()
        let names = (try? directoryEntries(directory.isEmpty ? "." : directory)) ?? []
        return names.filter { $0.hasPrefix(file.name) }
    }
}

/// The check for files that interrupted writers leave beside the files of a bag.
enum LeftoverCheck {
    /// True if a writer has left a file that it had not finished.
    static func findsAny(_ layout: BagLayout) -> Bool {
        layout.names.contains { [".part", ".part.old", ".tmp"].contains(where: $0.hasSuffix) }
    }

    /// - Parameter claims: The claims of metadata.yaml; nil without one.
    static func run(_ layout: BagLayout, _ claims: RawMetadata?, _ context: CheckContext) {
        for name in layout.names where name.hasSuffix(".part") || name.hasSuffix(".tmp") {
            tell(name, layout, claims, context)
        }
        for file in layout.files where file.storage == .sqlite3 {
            for suffix in ["-wal", "-journal", "-shm"] {
                let size = fileBytes(FilePath(file.path.string + suffix))
                guard size > 0 else { continue }
                let severity: BagFinding.Severity = suffix == "-shm" ? .warning : .error
                context.at(file: file.name + suffix)
                    .add(severity, .databaseJournal, "a closed .db3 with nothing beside it", "\(size) bytes")
            }
        }
    }

    /// A writer lists what is whole: where that is there, nothing that it promised is missing, and the other checks
    /// say whether it is sound.
    private static func tell(
        _ name: String,
        _ layout: BagLayout,
        _ claims: RawMetadata?,
        _ context: CheckContext
    ) {
        let report = context.at(file: name)
        guard name.hasSuffix(".part") else {
            return report.add(.warning, .bagLeftover, "finished files alone", "one that its writer did not finish")
        }
        guard layout.isLoneFile || claims?.paths.isEmpty == false, !layout.files.isEmpty else {
            let found = "one that its writer did not finish, and no list of what it finished"
            return report.add(.error, .bagLeftover, "finished files alone", found)
        }
        // A lone file gets its name when it is whole, from either kind of writer.
        let part = layout.isLoneFile ? "this file" : "what metadata.yaml lists"
        let found = "usable: the writer was interrupted, and only \(part) is part of the bag"
        report.add(.warning, .bagLeftover, "finished files alone", found)
    }
}
