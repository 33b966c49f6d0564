import Containers
import SystemPackage

/// A chunk that becomes visible when it is whole: `NAME_<n>.db3.part` or `.mcap.part` until then.
final class WholeChunk: ChunkStorage {
    let fileName: String
    private let hiddenPath: FilePath
    private let path: FilePath
    private let file: any ChunkFile

    init(in directory: FilePath, fileName: String, creating create: (FilePath) throws -> any ChunkFile) throws {
        self.fileName = fileName
        path = directory.appending(fileName)
        hiddenPath = path.appendingSuffix(partSuffix)
        file = try create(hiddenPath)
    }

    func add(_ topic: BagTopic) throws { try file.add(topic) }

    func write(_ row: BagRow) throws { try file.insert(row) }

    func enclose(_ enclosure: BagEnclosure) throws { try file.enclose(enclosure) }

    func projectedFileBytes(adding byteCount: Int) throws -> Int { try file.projectedBytes(adding: byteCount) }

    func prepare() throws -> Bool { false }

    func prepareEnd(metadata: BagMetadata) throws {
        try file.finish(metadata: metadata)
        try DurableFiles.synchronize(hiddenPath)
    }

    func show() throws { try DurableFiles.rename(hiddenPath, to: path) }

    func settle() throws {}

    func discard() { try? DurableFiles.remove(hiddenPath) }
}

/// What a chunk's name ends in while it must not be read.
let partSuffix = ".part"
