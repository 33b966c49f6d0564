import Containers
import SystemPackage

/// A chunk that is compressed as a whole once it is closed: `NAME_<n>.db3.part`, then `NAME_<n>.db3.zstd.part`, and
/// visible as `NAME_<n>.db3.zstd`.
///
/// Goes from file to file, with little memory, but needs the space of both for a moment.
final class PackedChunk: ChunkStorage {
    let fileName: String
    private let plainName: String
    private let plainPath: FilePath
    private let packedPath: FilePath
    private let path: FilePath
    private let file: any ChunkFile

    init(in directory: FilePath, plainName: String, creating create: (FilePath) throws -> any ChunkFile) throws {
        self.plainName = plainName
        fileName = plainName + packedSuffix
        path = directory.appending(fileName)
        plainPath = directory.appending(plainName + partSuffix)
        packedPath = path.appendingSuffix(partSuffix)
        file = try create(plainPath)
    }

    func add(_ topic: BagTopic) throws { try file.add(topic) }

    func write(_ row: BagRow) throws { try file.insert(row) }

    func enclose(_ enclosure: BagEnclosure) throws { try file.enclose(enclosure) }

    func projectedFileBytes(adding byteCount: Int) throws -> Int { try file.projectedBytes(adding: byteCount) }

    func prepare() throws -> Bool { false }

    func prepareEnd(metadata: BagMetadata) throws {
        // The metadata inside describe the unpacked file, which is not compressed.
        var plain = metadata
        (plain.compressionFormat, plain.compressionMode) = ("", "")
        for index in plain.files.indices { plain.files[index].path = plainName }
        try file.finish(metadata: plain)
        try ZstandardFile.compress(plainPath, to: packedPath, level: fastZstandardLevel)
        try DurableFiles.synchronize(packedPath)
        try DurableFiles.remove(plainPath)
    }

    func show() throws { try DurableFiles.rename(packedPath, to: path) }

    func settle() throws {}

    func discard() {
        try? DurableFiles.remove(plainPath)
        try? DurableFiles.remove(packedPath)
    }
}

/// What the name of a compressed file ends in, after the ending of the plain one.
let packedSuffix = ".zstd"

/// The level of rosbag2's recorder.
let fastZstandardLevel = 1
