import SystemPackage

/// A chunk that is valid under its name at every moment, so that a killed writer leaves what it last showed.
///
/// Readers such as rosbags open files as immutable: they ignore journals and write-ahead logs, and see a torn database
/// in the middle of a commit. So the chunk is written twice. The *hidden* twin (`.part`) takes a batch and commits;
/// then the names are swapped, and the other twin, now hidden, takes the same batch. The visible file is never written
/// to. As with a write-ahead log, every byte is written twice. This protects against the death of the process; only
/// closed chunks survive a power failure.
final class TwinChunk: ChunkStorage {
    let fileName: String
    private let shown: FilePath
    private let create: (FilePath) throws -> any ChunkFile
    private var hidden: any ChunkFile
    private var visible: (any ChunkFile)?
    /// True if the hidden twin is committed and can be shown.
    private var isPrepared = false
    private var isEnded = false
    /// The changes since the last `show`, which the hidden twin already has.
    private var batch: [ChunkChange] = []

    init(
        in directory: FilePath,
        fileName: String,
        creating create: @escaping (FilePath) throws -> any ChunkFile
    ) throws {
        self.fileName = fileName
        self.create = create
        shown = directory.appending(fileName)
        hidden = try create(shown.appendingSuffix(partSuffix))
    }

    func add(_ topic: BagTopic) throws {
        try hidden.add(topic)
        batch.append(.topic(topic))
    }

    func write(_ row: BagRow) throws {
        try hidden.insert(row)
        batch.append(.row(row))
    }

    func writeExtra(_ record: ExtraRecord) throws { try hidden.writeExtra(record) }

    func projectedFileBytes(adding byteCount: Int) throws -> Int { try hidden.projectedBytes(adding: byteCount) }

    func prepare() throws -> Bool {
        guard !batch.isEmpty else { return false }
        try hidden.commit()
        isPrepared = true
        return true
    }

    func prepareEnd(metadata: BagMetadata) throws {
        try hidden.finish(metadata: metadata)
        try DurableFiles.synchronize(part)
        isPrepared = true
        isEnded = true
    }

    func show() throws {
        guard isPrepared else { return }
        if !isEnded, visible != nil, try !DurableFiles.link(shown, as: aside) {
            // Without hard links the file has no name for a moment, between two renames.
            try DurableFiles.rename(shown, to: aside)
        }
        try DurableFiles.rename(part, to: shown)
    }

    func settle() throws {
        guard isPrepared else { return }
        isPrepared = false
        guard !isEnded else { return }
        let twin = hidden
        if let other = visible {
            try DurableFiles.rename(aside, to: part)
            hidden = other
        } else {
            hidden = try create(part)
        }
        visible = twin
        try hidden.follow(twin, batch)
        batch.removeAll(keepingCapacity: true)
    }

    func discard() {
        try? DurableFiles.remove(part)
        try? DurableFiles.remove(aside)
    }

    private var part: FilePath { shown.appendingSuffix(partSuffix) }
    /// The temporary name of the visible twin while the names are swapped.
    private var aside: FilePath { shown.appendingSuffix(partSuffix + ".old") }
}
