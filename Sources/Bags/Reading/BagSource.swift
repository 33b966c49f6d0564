import Containers
import Glibc
import SystemPackage

/// Which files make up the bag at a path, found without opening them.
struct BagSource {
    let metadata: BagMetadata?
    let files: [FilePath]
    let warnings: [String]

    init(_ path: FilePath) throws(BagError) {
        if isRegularFile(path) {
            self = try BagSource(loneFile: path)
        } else if let names = try? directoryEntries(path) {
            self = try BagSource(directory: path, names: names)
        } else {
            throw .notFound(path)
        }
    }

    private init(metadata: BagMetadata?, files: [FilePath], warnings: [String]) {
        self.metadata = metadata
        self.files = files
        self.warnings = warnings
    }

    private init(loneFile path: FilePath) throws(BagError) {
        let name = path.lastComponent?.string ?? ""
        if name == metadataFileName {
            self = try BagSource(path.removingLastComponent().isEmpty ? "." : path.removingLastComponent())
            return
        }
        guard !name.hasSuffix(partSuffix) else {
            throw .unfinished(path, reason: "a chunk that its writer had not finished")
        }
        guard name.hasSuffix(".db3") else {
            throw .unsupported(path, what: "a file \"\(name)\"")
        }
        self.init(metadata: nil, files: [path], warnings: [])
    }

    private init(directory path: FilePath, names: [String]) throws(BagError) {
        let parts = names.filter { $0.hasSuffix(partSuffix) }
        var warnings = parts.map { "\($0) is a chunk that is being written or was not finished; it is not read" }
        let metadataPath = path.appending(metadataFileName)
        guard names.contains(metadataFileName) else {
            let chunks = BagSource.chunksInOrder(names)
            guard !chunks.isEmpty else {
                guard let part = parts.first else {
                    throw .unsupported(path, what: "a directory with no \(metadataFileName) and no .db3 file in it")
                }
                throw .unfinished(path.appending(part), reason: "no \(metadataFileName) and no finished chunk")
            }
            warnings.append("there is no \(metadataFileName); the files are taken in the order of their numbers")
            self.init(metadata: nil, files: chunks.map(path.appending), warnings: warnings)
            return
        }
        let metadata = try MetadataParser.parse(try readTextFile(metadataPath), path: metadataPath)
        try BagSource.checkSupport(metadata, metadataPath)
        // Versions below 4 give the path from the directory's parent; the last component is right for all.
        let listed = metadata.files.compactMap { FilePath($0.path).lastComponent?.string }
        for name in listed where !names.contains(name) {
            throw .damaged(
                metadataPath,
                place: "relative_file_paths",
                expected: "files that are there",
                found: "\"\(name)\", which is missing"
            )
        }
        for name in names where name.hasSuffix(".db3") && !listed.contains(name) {
            warnings.append("\(name) is not listed in \(metadataFileName); it is not read")
        }
        self.init(metadata: metadata, files: listed.map { path.appending($0) }, warnings: warnings)
    }

    private static func checkSupport(_ metadata: BagMetadata, _ path: FilePath) throws(BagError) {
        guard metadata.storageIdentifier == "sqlite3" else {
            throw .unsupported(path, what: "storage_identifier \"\(metadata.storageIdentifier)\"")
        }
        guard ["", "none"].contains(metadata.compressionMode) else {
            throw .unsupported(path, what: "compression_mode \"\(metadata.compressionMode)\"")
        }
    }

    /// `NAME_<n>.db3` by number, others after them by name.
    private static func chunksInOrder(_ names: [String]) -> [String] {
        func number(_ name: String) -> Int {
            let stem = name.dropLast(".db3".count)
            guard let underscore = stem.lastIndex(of: "_") else { return .max }
            return Int(stem[stem.index(after: underscore)...]) ?? .max
        }
        return names.filter { $0.hasSuffix(".db3") }
            .sorted { (number($0), $0) < (number($1), $1) }
    }
}

func isRegularFile(_ path: FilePath) -> Bool {
    var information = stat()
    return stat(path.string, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
}

/// The content of metadata.yaml; one of more than 64 MiB is refused.
func readTextFile(_ path: FilePath) throws(BagError) -> String {
    let limit = 64 << 20
    do {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: .closeOnExec)
        defer { try? descriptor.close() }
        let size = Int(try descriptor.seek(offset: 0, from: .end))
        guard size <= limit else {
            throw BagError.damaged(path, place: "size", expected: "at most \(limit) bytes", found: "\(size)")
        }
        var bytes: [UInt8] = []
        while bytes.count < size {
            let chunk = try [UInt8](unsafeUninitializedCapacity: size - bytes.count) { buffer, count in
                count = try descriptor.read(
                    fromAbsoluteOffset: Int64(bytes.count),
                    into: UnsafeMutableRawBufferPointer(buffer)
                )
            }
            if chunk.isEmpty { break }
            bytes += chunk
        }
        return String(decoding: bytes, as: UTF8.self)
    } catch let error as BagError {
        throw error
    } catch {
        throw .io(path, reason: (error as? Errno)?.description ?? "\(error)")
    }
}
