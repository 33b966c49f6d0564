import Bags
import Platform
import SystemPackage

struct RepairJob {
    private let path: FilePath
    private let directory: FilePath
    /// The one file that is asked for, if it is not the whole directory.
    private let loneName: String?
    private let staging: RepairStaging
    private let names: ChunkNames
    private let directoryNames: Set<String>
    private let stated: BagMetadata?
    /// The names of the files that it lists.
    private let listed: [String]
    private let hasMetadataFile: Bool
    /// The findings of `check` in the bag as it lies.
    private let findings: [BagFinding]
    private let unpackLimit: UnpackLimit
    private let progress: ProgressHandler
    private var files: [RepairedFile] = []
    private var report: RepairReport
    private var topics: [Int64: BagTopic] = [:]
    /// True if a file that was closed, or whose content is worth something, cannot be read.
    private var hasUnreadableFiles = false

    init(
        _ path: FilePath,
        _ destination: BagRepairer.Destination,
        _ options: BagCheckOptions
    ) throws(BagError) {
        self.path = path
        unpackLimit = options.unpackLimit
        let parent = path.removingLastComponent().isEmpty ? FilePath(".") : path.removingLastComponent()
        let isFile = isRegularFile(path)
        let name = path.lastComponent?.string ?? ""
        loneName = isFile && name != BagMetadataFile.name ? name : nil
        directory = isFile ? parent : path
        guard isFile || (try? directoryEntries(directory)) != nil else { throw .notFound(path) }
        switch destination {
        case .newBag(let output): staging = try RepairStaging.newBag(output)
        case .inPlace: staging = try RepairStaging.inPlace(directory)
        }
        let all = (try? directoryEntries(directory)) ?? []
        let lone = loneName
        directoryNames = Set(all)
        hasMetadataFile = lone == nil && all.contains(BagMetadataFile.name)
        stated = hasMetadataFile ? try? BagMetadataFile.read(in: directory) : nil
        listed = stated?.files.compactMap { FilePath($0.path).lastComponent?.string } ?? []
        names = ChunkNames(
            all.filter { lone == nil || $0 == lone || $0.hasPrefix((lone ?? "") + "-") },
            lone: lone,
            listed: stated == nil ? nil : listed
        )
        report = RepairReport(output: path)
        let progress = options.progress
        self.progress = progress
        var options = options
        options.progress = { progress($0.renamed("examining")) }
        // Each database is looked at by itself, journal and all.
        options.checksIntegrity = false
        findings = (try? BagChecker.check(path, options: options).findings) ?? []
    }

    func giveUp() { staging.giveUp() }

    mutating func run() throws(BagError) -> RepairReport {
        guard !names.chunks.isEmpty || hasMetadataFile else {
            throw .unsupported(path, what: "a directory with no storage file in it")
        }
        // What is written of nothing would only hide that the files are gone.
        if names.chunks.isEmpty, !listed.isEmpty { throw .missing(listed, of: directory, areListed: true) }
        report.ignored = names.twins
        learnTopics()
        for (place, chunk) in names.chunks.enumerated() {
            progress(WorkProgress("repairing", place, of: names.chunks.count, .files))
            try repair(chunk)
        }
        try nameFiles()
        guard !files.isEmpty || !hasUnreadableFiles else {
            let closed = names.chunks.compactMap(\.closed).map { directory.appending($0) }
            if let pointer = closed.first(where: { FileKind.isPointer($0) }) { throw .notFetched(pointer) }
            throw .damaged(path, place: "storage files", expected: "a message that can be read", found: "none")
        }
        markForPacking()
        let rebuilding = try MetadataRebuilding(&files, stated: stated, unpacking: unpackLimit)
        noteMissingMessages()
        judgeMetadata(rebuilding)
        report.files = files.map(\.report)
        guard !report.isSound || files.contains(where: \.hasWrongMetadata) else {
            staging.clear()
            return report
        }
        try FileCompletion(staging: staging).complete(&files, rebuilding)
        report.files = files.map(\.report)
        try verify()
        try finish(rebuilding)
        return report
    }

    /// Topic numbers are the same in all files of a bag of ours, and of the phone app.
    private mutating func learnTopics() {
        for chunk in names.chunks {
            guard let closed = chunk.closed else { continue }
            for (number, topic) in TopicsByNumber.read(directory.appending(closed)) where topics[number] == nil {
                topics[number] = topic
            }
        }
    }

    /// How many messages metadata.yaml says that a file has: of each from version 5 on, before that of all together.
    private var statedCounts: [String: Int] {
        guard let stated else { return [:] }
        if stated.version < 5 {
            guard stated.files.count == 1, names.chunks.count == 1, let chunk = names.chunks.first else { return [:] }
            let listed = FilePath(stated.files[0].path).lastComponent?.string ?? ""
            return Dictionary([chunk.name, listed].map { ($0, stated.messageCount) }) { first, _ in first }
        }
        let pairs = stated.files.map { (FilePath($0.path).lastComponent?.string ?? "", $0.messageCount) }
        return Dictionary(pairs) { first, _ in first }
    }

    private mutating func repair(_ chunk: ChunkNames.Chunk) throws(BagError) {
        var best: RepairedFile?
        var repair = FileRepair(
            staging: staging,
            topics: topics,
            statedCounts: statedCounts,
            findings: findings,
            unpackLimit: unpackLimit
        )
        if let closed = chunk.closed {
            best = try repair.repair(directory.appending(closed), as: chunk.name)
            if best == nil {
                hasUnreadableFiles = true
                leaveOut(closed, "nothing in it can be read", isLoss: true)
            }
        }
        repair.findings = nil
        for name in chunk.unfinished { try consider(name, of: chunk, &best, repair) }
        if best?.losses.isEmpty != true {
            for name in names.twins where ChunkNames.isTwin(name, of: chunk.name) {
                report.ignored.removeAll { $0 == name }
                try consider(name, of: chunk, &best, repair)
            }
        }
        if let best { files.append(best) }
    }

    /// Takes a twin that was being written if it has more than what was closed.
    private mutating func consider(
        _ name: String,
        of chunk: ChunkNames.Chunk,
        _ best: inout RepairedFile?,
        _ repair: FileRepair
    ) throws(BagError) {
        let path = directory.appending(name)
        let content = ChunkContentCount(path, unpackLimit)
        let held = best.map { ChunkContentCount($0.place, unpackLimit) }
        if let held, held.isSound, !content.isSound || content.messageCount <= held.messageCount {
            leaveOut(name, "\(chunk.name) has all that is in it")
            return
        }
        let folder = staging.path(chunk.name + ".twin")
        var twinRepair = repair
        twinRepair.statedCounts = [:]
        guard var twin = try twinRepair.repair(path, as: folder.lastComponent?.string ?? "") else {
            let size = fileBytes(path)
            // A writer's metadata.yaml lists what it has shown: what it was still writing is no part of the bag.
            let isLoss = size > 0 && !hasMetadataFile
            if isLoss { hasUnreadableFiles = true }
            leaveOut(name, size == 0 ? "it is empty" : "nothing in its \(size) bytes can be read", isLoss: isLoss)
            return
        }
        let count = ChunkContentCount(twin.place, unpackLimit).messageCount
        guard count > held?.messageCount ?? 0 else {
            if twin.isMade { try? DurableFiles.remove(twin.place) }
            leaveOut(name, held == nil ? "it has no messages" : "\(chunk.name) has all that is in it")
            return
        }
        if !twin.isMade { try staging.copy(path, as: folder.lastComponent?.string) }
        let isPacked = FileKind(of: folder) == .zstd
        twin.name = isPacked && !chunk.name.hasSuffix(".zstd") ? chunk.name + ".zstd" : chunk.name
        twin.needsPacking = !isPacked && chunk.name.hasSuffix(".zstd")
        do {
            try DurableFiles.rename(folder, to: staging.path(twin.name))
        } catch {
            throw BagError(error)
        }
        (twin.place, twin.isMade) = (staging.path(twin.name), true)
        let gained = count - (held?.messageCount ?? 0)
        twin.actions.insert("took \(name), which has \(gained) messages more than what was closed", at: 0)
        twin.superseded += (best?.superseded ?? []) + [name]
        best = twin
    }

    /// Names files by what is in them, and notes those that metadata.yaml lists and that are not there under any name.
    private mutating func nameFiles() throws(BagError) {
        let naming = FileNaming(
            staging: staging,
            listed: listed,
            statedCounts: statedCounts,
            present: directoryNames,
            unpackLimit: unpackLimit
        )
        for file in try naming.name(&files, chunks: names.chunks.map(\.name)) where file.messageCount != 0 {
            let count = file.messageCount.map { ": metadata.yaml counts \($0) messages in it" } ?? ""
            leaveOut(file.name, "it is not there" + count, isLoss: true)
        }
    }

    /// Compares what was found with what the bag says of itself.
    private mutating func noteMissingMessages() {
        let account = RepairAccount(
            files: files,
            stated: stated,
            statedCounts: statedCounts,
            hasMetadataFile: hasMetadataFile,
            names: loneName == nil ? directoryNames.sorted() : [],
            findings: findings
        )
        for (index, doubt) in account.doubts { files[index].doubts.append(doubt) }
        let isKnown = report.leftOut.contains(where: \.isLoss) || files.contains { !$0.doubts.isEmpty }
        if loneName == nil, !isKnown {
            for (name, reason) in account.leftOut { leaveOut(name, reason, isLoss: true) }
        }
    }

    private mutating func leaveOut(_ name: String, _ reason: String, isLoss: Bool = false) {
        report.leftOut.append(RepairReport.LeftOut(name: name, reason: reason, isLoss: isLoss))
    }

    /// A bag is compressed as a whole, or not at all: a recorder that was killed leaves its last file plain.
    private mutating func markForPacking() {
        guard files.contains(where: { FileKind(of: $0.place) == .zstd }) else { return }
        for index in files.indices where !files[index].name.hasSuffix(".zstd") {
            files[index].superseded.append(files[index].name)
            files[index].name += ".zstd"
            files[index].needsPacking = true
            files[index].actions.append("compressed it, as the other files are")
        }
    }

    /// Opens and counts what was made before it gets its place.
    private func verify() throws(BagError) {
        for file in files {
            let reader = try BagReader(opening: file.place, tolerating: [], unpacking: unpackLimit)
            guard reader.heldCount != file.messageCount else { continue }
            let expected = "\(file.messageCount) messages after the repair"
            throw .damaged(path, place: file.name, expected: expected, found: "\(reader.heldCount)")
        }
    }

    private mutating func judgeMetadata(_ rebuilding: MetadataRebuilding) {
        guard loneName == nil else { return }
        guard hasMetadataFile else {
            report.metadataAction = "made it, as there was none"
            return
        }
        guard stated != nil else {
            report.metadataAction = "made it anew, as it could not be read"
            return
        }
        if !rebuilding.isRight || findings.contains(where: { $0.severity == .error && $0.kind.isMendedInMetadata }) {
            report.metadataAction = "made it anew, as it did not say what the files have"
        } else if (try? BagMetadataFile.hasObligatoryKeys(in: directory)) != true {
            report.metadataAction = "made it anew with every key that its version obliges"
        }
    }

    private mutating func finish(_ rebuilding: MetadataRebuilding) throws(BagError) {
        if loneName == nil || !staging.isInPlace {
            do {
                let text = BagMetadataFile.text(rebuilding.metadata)
                try DurableFiles.replace(staging.path(BagMetadataFile.name), with: Array(text.utf8))
            } catch {
                throw BagError(error)
            }
        }
        if staging.isInPlace {
            let superfluous = names.leftovers + names.chunks.flatMap(\.unfinished) + files.flatMap(\.superseded)
            try staging.finish(removing: Set(superfluous).sorted())
            if loneName != nil, let file = files.first { report.output = directory.appending(file.name) }
        } else {
            for file in files where !file.isMade { try staging.copy(file.place, as: file.name) }
            if loneName == nil {
                for name in names.others where isRegularFile(directory.appending(name)) {
                    try staging.copy(directory.appending(name))
                }
            }
            try staging.finish(removing: [])
            report.output = staging.target
        }
    }
}
