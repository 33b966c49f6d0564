import Platform
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
    /// True if nothing that has the name is replaced.
    private let isNew: Bool

    private var isCompressed: Bool { hiddenPath != plainPath }

    init(
        in directory: FilePath,
        plainName: String,
        isCompressed: Bool,
        isNew: Bool,
        creating create: (FilePath) throws -> any ChunkFile
    ) throws {
        (self.plainName, self.isNew) = (plainName, isNew)
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
            return try Flush.file(hiddenPath)
        }
        // The metadata inside describe the unpacked file.
        var plain = metadata
        (plain.compressionFormat, plain.compressionMode) = ("", "")
        for index in plain.files.indices { plain.files[index].path = plainName }
        try file.finish(metadata: plain)
        try ZstandardFile.compress(plainPath, to: hiddenPath, level: fastZstandardLevel)
        try Flush.file(hiddenPath)
        try DurableFiles.remove(plainPath)
    }

    func show() throws { try DurableFiles.show(hiddenPath, as: path, isNew: isNew) }

    func settle() throws {}

    func discard() {
        try? DurableFiles.remove(plainPath)
        if isCompressed { try? DurableFiles.remove(hiddenPath) }
    }
}

/// The suffix of a chunk that must not be read yet.
let partSuffix = ".part"

/// The suffix of a chunk whose place another one takes.
let asideSuffix = partSuffix + ".old"

/// The suffix of a compressed file, after the extension of the plain one.
let packedSuffix = ".zstd"

/// The compression level of rosbag2's recorder.
let fastZstandardLevel = 1

/// A chunk that is valid under its name at every moment, so that a killed writer leaves what it last showed.
///
/// Readers such as rosbags open files as immutable: they ignore journals and write-ahead logs, and see a torn database
/// in the middle of a commit. So the chunk is written twice. The *hidden* twin (`.part`) takes a batch and commits;
/// then the names are swapped, and the other twin, now hidden, takes the same batch. The visible file is never written
/// to. As with a write-ahead log, every byte is written twice.
///
/// Against the loss of power the hidden twin is on the disk before it is shown, and the names are before the other twin is
/// written to: until then that one may be what the disk has under the name.
final class TwinChunk: ChunkStorage {
    let fileName: String
    private let shown: FilePath
    private let create: (FilePath) throws -> any ChunkFile
    /// True if nothing that has the name at first is replaced.
    private let isNew: Bool
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
        isNew: Bool,
        creating create: @escaping (FilePath) throws -> any ChunkFile
    ) throws {
        self.fileName = fileName
        (self.create, self.isNew) = (create, isNew)
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
        try Flush.file(part)
        isPrepared = true
        return true
    }

    func prepareEnd(metadata: BagMetadata) throws {
        try hidden.finish(metadata: metadata)
        try Flush.file(part)
        isPrepared = true
        isEnded = true
    }

    func show() throws {
        guard isPrepared else { return }
        if !isEnded, visible != nil, try !DurableFiles.link(shown, as: aside) {
            // Without hard links the file has no name for a moment, between two renames.
            try DurableFiles.rename(shown, to: aside)
        }
        try DurableFiles.show(part, as: shown, isNew: isNew && visible == nil)
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
    private var aside: FilePath { shown.appendingSuffix(asideSuffix) }
}
