package import Bags
import Containers
package import SystemPackage

/// Makes a damaged bag sound, and says what was saved and what is lost.
///
/// What is there stays as it is unless the repair is in place; and a repair in place that is interrupted leaves the old
/// bag, or what the next repair completes.
package enum BagRepairer {
    package enum Destination: Sendable {
        /// A directory to be made. A sound bag is not copied.
        case newBag(FilePath)
        /// Where the bag is.
        case inPlace
    }

    /// Repairs a directory, or one storage file alone.
    ///
    /// - Throws: `BagError`: `notFound`, `cannotCreate`, `io`; `damaged` where nothing at all can be saved.
    package static func repair(_ path: FilePath, _ destination: Destination) throws(BagError) -> RepairReport {
        let job = try RepairJob(path, destination)
        do {
            return try job.run()
        } catch {
            job.giveUp()
            throw error
        }
    }
}

/// One repair.
private final class RepairJob {
    private let path: FilePath
    private let directory: FilePath
    /// The one file that is asked for, if it is not the whole directory.
    private let loneName: String?
    private let workshop: Workshop
    private let names: ChunkNames
    private let stated: BagMetadata?
    private let hasMetadataFile: Bool
    private var files: [RepairedFile] = []
    private var report: RepairReport
    private var topics: [Int64: BagTopic] = [:]

    init(_ path: FilePath, _ destination: BagRepairer.Destination) throws(BagError) {
        self.path = path
        let parent = path.removingLastComponent().isEmpty ? FilePath(".") : path.removingLastComponent()
        let isFile = isRegularFile(path)
        let name = path.lastComponent?.string ?? ""
        loneName = isFile && name != BagMetadataFile.name ? name : nil
        directory = isFile ? parent : path
        guard isFile || (try? directoryEntries(directory)) != nil else { throw .notFound(path) }
        switch destination {
        case .newBag(let output): workshop = try Workshop.newBag(output)
        case .inPlace: workshop = try Workshop.inPlace(directory)
        }
        let all = (try? directoryEntries(directory)) ?? []
        let lone = loneName
        names = ChunkNames(all.filter { lone == nil || $0 == lone || $0.hasPrefix((lone ?? "") + "-") })
        hasMetadataFile = lone == nil && all.contains(BagMetadataFile.name)
        stated = hasMetadataFile ? try? BagMetadataFile.read(in: directory) : nil
        report = RepairReport(output: path)
    }

    func giveUp() { workshop.clear() }

    func run() throws(BagError) -> RepairReport {
        guard !names.chunks.isEmpty else {
            throw .unsupported(path, what: "a directory with no storage file in it")
        }
        learnTopics()
        for chunk in names.chunks { try repair(chunk) }
        guard !files.isEmpty else {
            throw .damaged(path, place: "storage files", expected: "a message that can be read", found: "none")
        }
        let rebuilding = try MetadataRebuilding(&files, stated: stated)
        try judgeMetadata(rebuilding)
        fillReport()
        guard !report.isSound else {
            workshop.clear()
            return report
        }
        try completeFiles(rebuilding)
        fillReport()
        try finish(rebuilding)
        return report
    }

    /// Topic numbers are the same in all files of a bag of ours, and of the phone app.
    private func learnTopics() {
        for chunk in names.chunks {
            guard let closed = chunk.closed else { continue }
            for (number, topic) in TopicsByNumber.read(directory.appending(closed)) where topics[number] == nil {
                topics[number] = topic
            }
        }
    }

    // MARK: Files

    /// How many messages metadata.yaml says that a file has: of each from version 5 on, before that of all together.
    private var statedCounts: [String: Int] {
        guard let stated else { return [:] }
        if stated.version < 5 {
            guard stated.files.count == 1, names.chunks.count == 1, let chunk = names.chunks.first else { return [:] }
            return [chunk.name: stated.messageCount]
        }
        let pairs = stated.files.map { (FilePath($0.path).lastComponent?.string ?? "", $0.messageCount) }
        return Dictionary(pairs) { first, _ in first }
    }

    private func repair(_ chunk: ChunkNames.Chunk) throws(BagError) {
        var best: RepairedFile?
        var isClosed = false
        let repair = FileRepair(workshop: workshop, topics: topics, statedCounts: statedCounts)
        if let closed = chunk.closed {
            best = try repair.repair(directory.appending(closed), as: chunk.name)
            isClosed = best != nil
            if best == nil {
                report.leftOut.append(RepairReport.LeftOut(name: closed, reason: "nothing in it can be read"))
            }
        }
        for name in chunk.unfinished {
            try consider(name, of: chunk, &best, isClosed: isClosed)
        }
        if let best { files.append(best) }
    }

    /// Takes a twin that was being written if it has more than what was closed.
    private func consider(
        _ name: String,
        of chunk: ChunkNames.Chunk,
        _ best: inout RepairedFile?,
        isClosed: Bool
    ) throws(BagError) {
        let path = directory.appending(name)
        let content = ChunkContentCount(path)
        let held = best.map { ChunkContentCount($0.place) }
        if let held, held.isSound, !content.isSound || content.messageCount <= held.messageCount {
            report.leftOut.append(RepairReport.LeftOut(name: name, reason: "\(chunk.name) has all that is in it"))
            return
        }
        let folder = workshop.path(chunk.name + ".twin")
        let repair = FileRepair(workshop: workshop, topics: topics, statedCounts: [:])
        guard var twin = try repair.repair(path, as: folder.lastComponent?.string ?? "") else {
            report.leftOut.append(RepairReport.LeftOut(name: name, reason: "nothing in it can be read"))
            return
        }
        let count = ChunkContentCount(twin.place).messageCount
        guard count > held?.messageCount ?? 0 else {
            if twin.isMade { try? DurableFiles.remove(twin.place) }
            report.leftOut.append(RepairReport.LeftOut(name: name, reason: "\(chunk.name) has all that is in it"))
            return
        }
        if !twin.isMade { try workshop.copy(path, as: folder.lastComponent?.string) }
        do {
            try DurableFiles.rename(folder, to: workshop.path(chunk.name))
        } catch {
            throw BagError(error)
        }
        twin.name = chunk.name
        (twin.place, twin.isMade) = (workshop.path(chunk.name), true)
        let gained = count - (held?.messageCount ?? 0)
        twin.actions.insert("took \(name), which has \(gained) messages more than what was closed", at: 0)
        twin.superseded += (best?.superseded ?? []) + [name]
        best = twin
    }

    // MARK: Metadata

    private func judgeMetadata(_ rebuilding: MetadataRebuilding) throws(BagError) {
        guard loneName == nil else { return }
        guard hasMetadataFile else {
            report.metadataAction = "made it, as there was none"
            return
        }
        guard stated != nil else {
            report.metadataAction = "made it anew, as it could not be read"
            return
        }
        if !rebuilding.isRight {
            report.metadataAction = "made it anew, as it did not say what the files have"
        } else if (try? BagMetadataFile.hasObligatoryKeys(in: directory)) != true {
            report.metadataAction = "made it anew with every key that its version obliges"
        }
    }

    /// What a writer adds when it closes a file is added to those that lack it.
    private func completeFiles(_ rebuilding: MetadataRebuilding) throws(BagError) {
        for index in files.indices {
            let metadata = rebuilding.ofFiles[index]
            do {
                if files[index].lacksMetadata { try addMetadata(metadata, index) }
                if MCAPMetadata.isMissing(in: files[index].place) { try addRecord(metadata, index) }
            } catch let error as BagError {
                throw error
            } catch {
                throw .io(files[index].place, reason: "\(error)")
            }
        }
    }

    private func addMetadata(_ metadata: BagMetadata, _ index: Int) throws {
        if !files[index].isMade {
            files[index].place = try workshop.copy(files[index].place, as: files[index].name)
            files[index].isMade = true
        }
        var mending = SQLiteMending(files[index].place)
        try mending.addMetadata(metadata)
        files[index].actions += mending.actions
    }

    private func addRecord(_ metadata: BagMetadata, _ index: Int) throws {
        let target = workshop.path(files[index].name + ".described")
        let record = ("rosbag2", [("serialized_metadata", BagMetadataFile.tableText(metadata))])
        _ = try MCAPRewriting.rewrite(files[index].place, to: target, adding: [record])
        try DurableFiles.rename(target, to: workshop.path(files[index].name))
        (files[index].place, files[index].isMade) = (workshop.path(files[index].name), true)
        files[index].actions.append("added its own metadata")
    }

    // MARK: The end

    private func fillReport() {
        report.files = files.map { file in
            RepairReport.FileReport(
                name: file.name,
                actions: file.actions,
                losses: file.losses,
                messageCount: file.messageCount,
                messageBytes: file.messageBytes
            )
        }
    }

    private func finish(_ rebuilding: MetadataRebuilding) throws(BagError) {
        if loneName == nil || !workshop.isInPlace {
            do {
                let text = BagMetadataFile.text(rebuilding.metadata)
                try DurableFiles.replace(workshop.path(BagMetadataFile.name), with: Array(text.utf8))
            } catch {
                throw BagError(error)
            }
        }
        if workshop.isInPlace {
            let superfluous = names.leftovers + names.chunks.flatMap(\.unfinished) + files.flatMap(\.superseded)
            try workshop.finish(removing: Set(superfluous).sorted())
        } else {
            for file in files where !file.isMade { try workshop.copy(file.place, as: file.name) }
            if loneName == nil {
                for name in names.others where isRegularFile(directory.appending(name)) {
                    try workshop.copy(directory.appending(name))
                }
            }
            try workshop.finish(removing: [])
            report.output = workshop.target
        }
    }
}
