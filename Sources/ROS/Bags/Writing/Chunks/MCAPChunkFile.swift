import Glibc
import Platform
import SystemPackage

/// Writes an .mcap file.
///
/// `commit` writes a complete ending after the content so far, and later content overwrites that ending. So a file has
/// the same chunks however often it was committed.
final class MCAPChunkFile: ChunkFile {
    private let path: FilePath
    private let descriptor: FileDescriptor
    private let form: DistributionForm
    private var writer: MCAPWriter
    private var channels: [(id: UInt16, messageCount: UInt32)] = []
    /// The size of the part that is not overwritten again.
    private var writtenBytes = 0
    private var isClosed = false

    init(creating path: FilePath, options: BagOptions) throws {
        self.path = path
        form = DistributionForm(options.distribution)
        let compression: MCAPCompression =
            switch options.compression {
            case .none: .none
            case .lz4: .lz4
            case .zstd: .zstd
            }
        let level = compression == .zstd ? fastZstandardLevel : nil
        writer = try MCAPWriter(
            profile: options.profile,
            library: "mapeverything",
            options: MCAPWriterOptions(compression: compression, level: level)
        )
        // The record that rosbag2 wrote before it stored all metadata.
        if !form.hasSerializedMetadata { writer.addMetadata(name: "rosbag2", [("ROS_DISTRO", form.name)]) }
        if !options.customData.isEmpty {
            let sorted = options.customData.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            writer.addMetadata(name: "mapeverything", sorted.map { ($0.key, $0.value) })
        }
        do {
            descriptor = try FileDescriptor.open(
                path,
                .readWrite,
                options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            throw FileError(path: path, operation: "create", errno: error as? Errno ?? .ioError)
        }
        RunLock.take(descriptor.rawValue)
    }

    deinit {
        if !isClosed { try? descriptor.close() }
    }

    func add(_ topic: BagTopic) throws {
        // JSON may have no schema at all.
        let isDescribed = !topic.typeName.isEmpty || !topic.definitionEncoding.isEmpty
        let schema =
            isDescribed
            ? try writer.addSchema(
                name: topic.typeName,
                encoding: topic.definitionEncoding,
                data: topic.definitionBytes ?? Array(topic.definitionText.utf8)
            ) : 0
        var metadata = [("offered_qos_profiles", topic.qosText)]
        if form.hasDefinitions { metadata.append(("topic_type_hash", topic.typeHash)) }
        let id = try writer.addChannel(
            topic: topic.name,
            schema: schema,
            messageEncoding: topic.serializationFormat,
            metadata: metadata
        )
        channels.append((id, 0))
    }

    func insert(_ row: BagRow) throws {
        guard let time = UInt64(exactly: row.timeNanoseconds) else {
            throw BagError.message(
                topic: "number \(row.topic)",
                reason: "expected a time from 1970 on, as .mcap has, found \(row.timeNanoseconds) ns"
            )
        }
        try row.bytes.withUnsafeBytes {
            try writer.write(
                channel: channels[row.topic].id,
                sequence: channels[row.topic].messageCount,
                logTime: time,
                publishTime: time,
                data: $0
            )
        }
        channels[row.topic].messageCount &+= 1
        try relieve()
    }

    func writeExtra(_ record: ExtraRecord) throws {
        switch record {
        case .attachment(let attachment):
            writer.addAttachment(
                name: attachment.name,
                mediaType: attachment.mediaType,
                logTime: attachment.logTime,
                createTime: attachment.createTime,
                data: attachment.bytes
            )
        case .metadata(let record):
            let sorted = record.values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            writer.addMetadata(name: record.name, sorted.map { ($0.key, $0.value) })
        }
        try relieve()
    }

    func projectedBytes(adding byteCount: Int) -> Int { writer.projectedFileBytes(adding: byteCount) }

    func commit() throws {
        try relieve()
        // The open chunk is ended in a copy of the writer; the original continues to fill it.
        var whole = writer
        try whole.writeUnusedChannels()
        let tail = whole.takeOutput() + whole.ending()
        try write(tail, at: writtenBytes)
        try cut(after: writtenBytes + tail.count)
    }

    /// Copies the final part of the twin, so that nothing is compressed or checksummed twice.
    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws {
        guard let twin = twin as? MCAPChunkFile else { return }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while writtenBytes < twin.writtenBytes {
            let wanted = min(piece.count, twin.writtenBytes - writtenBytes)
            var count = 0
            try attempt("copy") {
                count = try piece.withUnsafeMutableBytes {
                    let target = UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted])
                    return try twin.descriptor.read(fromAbsoluteOffset: Int64(writtenBytes), into: target)
                }
                // A file that another program has cut.
                guard count > 0 else { throw Errno.ioError }
            }
            try write(piece[..<count], at: writtenBytes)
            writtenBytes += count
        }
        (writer, channels) = (twin.writer, twin.channels)
    }

    private func relieve() throws {
        guard writer.flushedFileBytes > writtenBytes else { return }
        let start = writtenBytes
        writtenBytes = writer.flushedFileBytes
        try writer.withOutput { try write($0, at: start) }
    }

    func finish(metadata: BagMetadata) throws {
        try writer.writeUnusedChannels()
        if form.hasSerializedMetadata {
            writer.addMetadata(name: "rosbag2", [("serialized_metadata", MetadataText.table(metadata))])
        }
        try relieve()
        let ending = writer.ending()
        try write(ending, at: writtenBytes)
        try cut(after: writtenBytes + ending.count)
        isClosed = true
        try attempt("close") { try descriptor.close() }
    }

    private func write(_ bytes: some Sequence<UInt8>, at offset: Int) throws(FileError) {
        try attempt("write") { _ = try descriptor.writeAll(toAbsoluteOffset: Int64(offset), bytes) }
    }

    private func attempt(_ operation: String, _ body: () throws -> Void) throws(FileError) {
        do {
            try body()
        } catch {
            throw FileError(path: path, operation: operation, errno: error as? Errno ?? .ioError)
        }
    }

    private func cut(after byteCount: Int) throws(FileError) {
        guard ftruncate(descriptor.rawValue, byteCount) == 0 else {
            throw FileError(path: path, operation: "truncate", errno: Errno(rawValue: errno))
        }
    }
}
