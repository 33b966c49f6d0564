import Containers
import SystemPackage

/// A chunk that becomes visible when it is whole: `NAME_<n>.db3.part` until then, in one transaction.
final class WholeChunk: ChunkStorage {
    let fileName: String
    private let directory: FilePath
    private let file: SQLiteChunkFile

    init(in directory: FilePath, fileName: String, options: BagOptions) throws {
        self.directory = directory
        self.fileName = fileName
        file = try SQLiteChunkFile(
            creating: directory.appending(fileName + partSuffix),
            form: DistributionForm(options.distribution),
            pageBytes: options.pageBytes,
            hasLiveIndex: false
        )
    }

    func add(_ topic: BagTopic) throws { try file.add(topic) }

    func write(_ row: BagRow) throws { try file.insert(row) }

    func projectedFileBytes(adding byteCount: Int) throws -> Int { try file.projectedBytes(adding: byteCount) }

    func prepare() throws -> Bool { false }

    func prepareEnd(metadata: BagMetadata) throws {
        try file.finish(metadata: metadata)
        try DurableFiles.synchronize(directory.appending(fileName + partSuffix))
    }

    func show() throws {
        try DurableFiles.rename(directory.appending(fileName + partSuffix), to: directory.appending(fileName))
    }

    func settle() throws {}

    func discard() {
        try? DurableFiles.remove(directory.appending(fileName + partSuffix))
    }
}

/// What a chunk's name ends in while nobody should read it.
let partSuffix = ".part"
