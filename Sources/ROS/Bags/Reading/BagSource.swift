import Glibc
import Platform
package import SystemPackage

/// Which files make up the bag at a path, found without opening them.
struct BagSource {
    private(set) var metadata: BagMetadata?
    private(set) var files: [FilePath] = []
    private(set) var warnings: [String] = []
    /// True if metadata.yaml lists the files; one that lists none was written by a recorder that never ended, and its
    /// counts mean nothing.
    private(set) var isListed = false
    private let path: FilePath
    private let tolerance: BagTolerance

    init(_ path: FilePath, tolerating tolerance: BagTolerance) throws(BagError) {
        self.tolerance = tolerance
        let isMetadata = isRegularFile(path) && path.lastComponent?.string == metadataFileName
        let parent = path.removingLastComponent()
        self.path = isMetadata ? (parent.isEmpty ? "." : parent) : path
        if isRegularFile(self.path) {
            try takeLoneFile()
        } else if let names = try? directoryEntries(self.path) {
            try takeDirectory(names)
        } else {
            try refuseOther(self.path)
            throw .notFound(path)
        }
    }

    /// How the messages of .db3 files are compressed, by what metadata.yaml says.
    var messageCompression: BlobCodec.Compression {
        guard let metadata else { return .unknown }
        return metadata.compressionMode == "message" ? .zstd : .none
    }

    private mutating func takeLoneFile() throws(BagError) {
        let name = path.lastComponent?.string ?? ""
        guard !FileKind.isUnfinishedName(name) || tolerance.contains(.unfinishedFiles) else {
            throw .unfinished(path, reason: "a chunk that its writer had not finished")
        }
        if !FileKind.isStorageName(name), !FileKind.isUnfinishedName(name) {
            switch FileKind(of: path) {
            case .sqlite, .mcap, .zstd: break
            case .empty, .other, nil: throw .unsupported(path, what: "a file \"\(name)\"")
            }
        }
        files = [path]
    }

    private mutating func takeDirectory(_ names: [String]) throws(BagError) {
        let stored = names.filter(FileKind.isStorageName)
        metadata = try readMetadata(names, stored)
        // Versions below 4 give the path from the directory's parent; the last component is right for all.
        let listed = metadata?.files.compactMap { FilePath($0.path).lastComponent?.string }
        var selection = BagFileSelection(names: names, listed: listed)
        warnings += selection.unfinished.map {
            "\($0) is a chunk that is being written or was not finished; it is not read"
        }
        warnings += selection.twins.map { "\($0) is another form of a file that is read; it is not part of the bag" }
        if metadata == nil, selection.files.isEmpty {
            guard let part = selection.unfinished.first else {
                throw .unsupported(path, what: "a directory with no \(metadataFileName) and no storage file in it")
            }
            throw .unfinished(path.appending(part), reason: "no \(metadataFileName) and no finished chunk")
        }
        if metadata != nil, !selection.isListed, !selection.files.isEmpty {
            // A recorder that lists its files when it ends, and that never came to it.
            warnings.append("\(metadataFileName) lists no files; all are taken in the order of their numbers")
        }
        for name in selection.missing { try passMissing(name) }
        let end = selection.missing.isEmpty ? "it is not read" : "it is read in place of what is"
        warnings += selection.unlisted.map { "\($0) is not listed in \(metadataFileName); \(end)" }
        if !selection.missing.isEmpty { selection = selection.takingUnlisted() }
        isListed = selection.isListed
        files = selection.files.map(path.appending)
        for file in files { try refuseOther(file) }
    }

    private mutating func readMetadata(_ names: [String], _ stored: [String]) throws(BagError) -> BagMetadata? {
        guard names.contains(metadataFileName) else {
            if !stored.isEmpty {
                warnings.append("there is no \(metadataFileName); the files are taken in the order of their numbers")
            }
            return nil
        }
        let metadataPath = path.appending(metadataFileName)
        do {
            let metadata = try MetadataParser.parse(try readTextFile(metadataPath), path: metadataPath)
            try BagSource.checkSupport(metadata, metadataPath)
            return metadata
        } catch {
            guard tolerance.contains(.damage), !stored.isEmpty else { throw error }
            warnings.append("\(error); the files are taken in the order of their numbers")
            return nil
        }
    }

    /// Refuses what is no regular file: opening a named pipe would block until a writer comes.
    private func refuseOther(_ file: FilePath) throws(BagError) {
        // What is missing is said where it is opened.
        guard case .other(let type) = FileEntry(at: file.string), type != .brokenLink else { return }
        throw BagError(writing: FileError(notRegular: type, file))
    }

    private mutating func passMissing(_ name: String) throws(BagError) {
        let error = BagError.missing([name], of: path, areListed: metadata?.files.isEmpty == false)
        guard tolerance.contains(.missingFiles) else { throw error }
        warnings.append(error.description)
    }

    private static func checkSupport(_ metadata: BagMetadata, _ path: FilePath) throws(BagError) {
        guard ["sqlite3", "mcap", ""].contains(metadata.storageIdentifier) else {
            throw .unsupported(path, what: "storage_identifier \"\(metadata.storageIdentifier)\"")
        }
        guard ["", "none", "file", "message"].contains(metadata.compressionMode) else {
            throw .unsupported(path, what: "compression_mode \"\(metadata.compressionMode)\"")
        }
        let isCompressed = ["file", "message"].contains(metadata.compressionMode)
        guard !isCompressed || metadata.compressionFormat == "zstd" else {
            throw .unsupported(path, what: "compression_format \"\(metadata.compressionFormat)\"")
        }
    }
}

/// The content of metadata.yaml; one of more than 64 MiB is refused.
package func readTextFile(_ path: FilePath) throws(BagError) -> String {
    let limit = 64 << 20
    let found: Int
    do throws(FileError) {
        let size = try RegularFile.byteCount(of: path)
        if size <= limit { return String(decoding: try OutputFile.contents(of: path), as: UTF8.self) }
        found = size
    } catch {
        throw BagError(writing: error)
    }
    throw BagError.damaged(path, place: "size", expected: "at most \(limit) bytes", found: "\(found)")
}
