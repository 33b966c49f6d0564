import Bags
import SystemPackage

/// Gives repaired files what a writer adds when it closes one: its own metadata, and the compression of the bag.
struct FileCompletion {
    let staging: RepairStaging

    func complete(_ files: inout [RepairedFile], _ rebuilding: MetadataRebuilding) throws(BagError) {
        for index in files.indices {
            var metadata = rebuilding.ofFiles[index]
            if files[index].needsPacking {
                // The metadata inside describe the unpacked file, which is not compressed.
                (metadata.compressionFormat, metadata.compressionMode) = ("", "")
                for entry in metadata.files.indices {
                    metadata.files[entry].path = String(metadata.files[entry].path.dropLast(".zstd".count))
                }
            }
            do {
                if files[index].needsMetadata { try addMetadata(metadata, &files[index]) }
                if Self.lacksClosingRecord(files[index].place) { try addRecord(metadata, &files[index]) }
                if files[index].needsPacking { try pack(&files[index]) }
            } catch let error as BagError {
                throw error
            } catch {
                throw .io(files[index].place, reason: "\(error)")
            }
        }
    }

    /// True if an .mcap file of our own lacks the record `rosbag2`, which is written on closing.
    private static func lacksClosingRecord(_ path: FilePath) -> Bool {
        guard FileKind(of: path) == .mcap, let file = try? MCAPFile(opening: path) else { return false }
        return file.header?.library == "mapeverything" && !file.metadata.contains { $0.record.name == "rosbag2" }
    }

    private func addMetadata(_ metadata: BagMetadata, _ file: inout RepairedFile) throws {
        if !file.isMade {
            file.place = try staging.copy(file.place, as: file.name)
            file.isMade = true
        }
        var mending = SQLiteMending(path: file.place)
        try mending.addMetadata(metadata)
        file.actions += mending.actions
    }

    private func addRecord(_ metadata: BagMetadata, _ file: inout RepairedFile) throws {
        let target = staging.path(file.name + ".described")
        let record = ("rosbag2", [("serialized_metadata", BagMetadataFile.tableText(metadata))])
        _ = try MCAPRewriting.rewrite(file.place, to: target, adding: [record])
        try DurableFiles.rename(target, to: staging.path(file.name))
        if file.isMade, file.place != staging.path(file.name) { try DurableFiles.remove(file.place) }
        (file.place, file.isMade) = (staging.path(file.name), true)
        file.actions.append("added its own metadata")
    }

    private func pack(_ file: inout RepairedFile) throws {
        let target = staging.path(file.name + ".packed")
        try ZstandardFile.compress(file.place, to: target, level: 1)
        if file.isMade { try DurableFiles.remove(file.place) }
        try DurableFiles.rename(target, to: staging.path(file.name))
        (file.place, file.isMade) = (staging.path(file.name), true)
    }
}

/// How much is in a storage file, to choose among twins.
struct ChunkContentCount {
    private(set) var isSound = false
    private(set) var messageCount = 0

    init(_ path: FilePath, _ unpackLimit: UnpackLimit) {
        switch FileKind(of: path) {
        case .sqlite:
            let examination = SQLiteExamination(path)
            (isSound, messageCount) = (examination.isReadable, examination.messageCount)
        case .mcap:
            guard let examination = try? MCAPExamination(path) else { return }
            (isSound, messageCount) = (examination.isSound, examination.messageCount)
        case .zstd:
            let reader = try? BagReader(opening: path, tolerating: .unfinishedFiles, unpacking: unpackLimit)
            guard let summary = try? reader?.summary() else { return }
            (isSound, messageCount) = (true, summary.messageCount)
        case .empty, .other, nil: break
        }
    }
}
