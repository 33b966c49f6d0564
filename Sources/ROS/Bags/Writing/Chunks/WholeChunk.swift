import SystemPackage

/// A chunk that becomes visible when it is complete: `NAME_<n>.db3.part` until then.
///
/// With file compression it is `NAME_<n>.db3.part`, then `NAME_<n>.db3.zstd.part` once it is closed, and finally
/// `NAME_<n>.db3.zstd`. This needs little memory, and for a moment the space of both files.
final class WholeChunk: ChunkStorage {
    let fileName: String
    private let plainName: String
    private let plainPath: FilePath
    /// The file that is shown at the end; `plainPath` unless it is compressed.
    private let hiddenPath: FilePath
    private let path: FilePath
    private let file: any ChunkFile

    private var isCompressed: Bool { hiddenPath != plainPath }

    init(
        in directory: FilePath,
        plainName: String,
        isCompressed: Bool,
        creating create: (FilePath) throws -> any ChunkFile
    ) throws {
        self.plainName = plainName
        fileName = isCompressed ? plainName + packedSuffix : plainName
        path = directory.appending(fileName)
        plainPath = directory.appending(plainName + partSuffix)
        hiddenPath = path.appendingSuffix(partSuffix)
        file = try create(plainPath)
    }

    func add(_ topic: BagTopic) throws { try file.add(topic) }

    func write(_ row: BagRow) throws { try file.insert(row) }

    func writeExtra(_ record: ExtraRecord) throws { try file.writeExtra(record) }

    func projectedFileBytes(adding byteCount: Int) throws -> Int { try file.projectedBytes(adding: byteCount) }

    func prepare() throws -> Bool { false }

    func prepareEnd(metadata: BagMetadata) throws {
        guard isCompressed else {
            try file.finish(metadata: metadata)
            return try DurableFiles.synchronize(hiddenPath)
        }
        // The metadata inside describe the unpacked file.
        var plain = metadata
        (plain.compressionFormat, plain.compressionMode) = ("", "")
        for index in plain.files.indices { plain.files[index].path = plainName }
        try file.finish(metadata: plain)
        try ZstandardFile.compress(plainPath, to: hiddenPath, level: fastZstandardLevel)
        try DurableFiles.synchronize(hiddenPath)
        try DurableFiles.remove(plainPath)
    }

    func show() throws { try DurableFiles.rename(hiddenPath, to: path) }

    func settle() throws {}

    func discard() {
        try? DurableFiles.remove(plainPath)
        if isCompressed { try? DurableFiles.remove(hiddenPath) }
    }
}

/// The suffix of a chunk that must not be read yet.
let partSuffix = ".part"

/// The suffix of a compressed file, after the extension of the plain one.
let packedSuffix = ".zstd"

/// The compression level of rosbag2's recorder.
let fastZstandardLevel = 1
