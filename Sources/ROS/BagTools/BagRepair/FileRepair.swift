import Bags
import Platform
import SystemPackage

/// Repairs one storage file into the staging folder, or finds that there is nothing to do.
struct FileRepair {
    let staging: RepairStaging
    /// The topics by number, as other files of the bag have them.
    let topics: [Int64: BagTopic]
    /// How many messages metadata.yaml says that a file has, by name.
    var statedCounts: [String: Int]
    /// The findings of `check` in the bag, for files that lie in it; nil for others, which are checked one by one.
    var findings: [BagFinding]?
    /// How large a compressed file may become.
    let unpackLimit: UnpackLimit

    /// - Parameters:
    ///   - path: The file, which may be a chunk that its writer had not finished.
    ///   - name: What it shall be called.
    /// - Returns: Nil if there is nothing in it that could be saved.
    func repair(_ path: FilePath, as name: String) throws(BagError) -> RepairedFile? {
        var file = RepairedFile(name: name, place: path)
        do {
            let isSaved =
                switch FileKind(of: path) {
                case .zstd: try repairPacked(&file)
                case .mcap: try repairMCAP(&file)
                case .sqlite: try repairSQLite(&file)
                case .other where SharedFrames.isHeadless(path): try repairPacked(&file)
                case .empty, .other, nil: false
                }
            // A copy that cannot be used must not become a file of the new bag.
            if !isSaved, file.isMade { try DurableFiles.remove(file.place) }
            return isSaved ? file : nil
        } catch let error as BagError {
            throw error
        } catch let error as FileError {
            throw BagError(error)
        } catch let error as SQLiteError {
            throw .io(error.path, reason: error.message)
        } catch {
            throw .io(path, reason: "\(error)")
        }
    }

    // MARK: .db3

    private func repairSQLite(_ file: inout RepairedFile) throws -> Bool {
        let hasLog = fileBytes(file.place.appendingSuffix("-wal")) > 0
        let hasJournal = fileBytes(file.place.appendingSuffix("-journal")) > 0
        if hasLog || hasJournal {
            var mending = SQLiteMending(path: try staging.copy(file.place, as: file.name))
            for suffix in ["-wal", "-journal"] where fileBytes(file.place.appendingSuffix(suffix)) > 0 {
                try staging.copy(file.place.appendingSuffix(suffix), as: file.name + suffix)
            }
            do {
                try mending.takeInSideFiles()
                file.actions += mending.actions
            } catch {
                file.actions.append("left the journal alone, as SQLite cannot use it: \(error.message)")
                for suffix in ["-wal", "-shm", "-journal"] {
                    try DurableFiles.remove(mending.path.appendingSuffix(suffix))
                }
            }
            let source = file.place.lastComponent?.string ?? ""
            file.superseded += ["-wal", "-shm", "-journal"].map { source + $0 }
            (file.place, file.isMade) = (mending.path, true)
        }
        file.ending = ".db3"
        return try mend(&file)
    }

    private func mend(_ file: inout RepairedFile) throws -> Bool {
        var examination = SQLiteExamination(file.place)
        guard examination.isReadable else { return try salvage(&file, examination) }
        if !examination.isSound {
            if !file.isMade { (file.place, file.isMade) = (try staging.copy(file.place, as: file.name), true) }
            var mending = SQLiteMending(path: file.place)
            try mending.mend(examination, topics: topics)
            file.actions += mending.actions
            file.losses += mending.losses
            examination = SQLiteExamination(file.place)
        }
        file.hasWrongMetadata =
            findings?.contains { $0.kind == .databaseMetadataTable && $0.files.contains(file.name) } == true
        // What was removed is counted there.
        let isStale = file.hasWrongMetadata || !file.losses.isEmpty
        file.needsMetadata = examination.lacksMetadata || examination.hasMetadataTable && isStale
        return true
    }

    private func salvage(_ file: inout RepairedFile, _ examination: SQLiteExamination) throws -> Bool {
        let target = staging.path(file.name + ".salvaged")
        try DurableFiles.remove(target)
        let original = file.place
        try dropCutPage(&file)
        guard let salvage = try? SQLiteSalvage.salvage(file.place, of: original, to: target, topics: topics) else {
            try DurableFiles.remove(target)
            return false
        }
        guard salvage.messageCount > 0 else {
            try DurableFiles.remove(target)
            return false
        }
        file.actions.append("saved \(salvage.messageCount) messages one by one (\(examination.complaint))")
        if salvage.timelessCount > 0 { file.actions.append(RowTimes.action(salvage.timelessCount)) }
        if salvage.partialTopicCount > 0 {
            file.doubts.append("QoS profiles or type hashes of \(salvage.partialTopicCount) topics could not be read")
        }
        file.losses += losses(salvage, file)
        try DurableFiles.rename(target, to: staging.path(file.name))
        (file.place, file.isMade) = (staging.path(file.name), true)
        file.needsMetadata = SQLiteExamination(file.place).lacksMetadata
        return true
    }

    /// Removes what is there of a page that is cut.
    private func dropCutPage(_ file: inout RepairedFile) throws {
        let cutBytes = try SQLiteSalvage.cutPageBytes(file.place)
        guard cutBytes > 0 else { return }
        if !file.isMade { (file.place, file.isMade) = (try staging.copy(file.place, as: file.name), true) }
        let copy = try FileDescriptor.open(file.place, .writeOnly)
        try copy.closeAfter { try copy.resize(to: Int64(fileBytes(file.place)) - cutBytes) }
    }

    private func losses(_ salvage: SQLiteSalvage, _ file: RepairedFile) -> [RepairReport.Loss] {
        let counted = [
            ("messages on damaged pages", salvage.brokenCount),
            ("messages of topics that nothing names", salvage.strayCount),
        ]
        var losses = counted.filter { $0.1 > 0 }.map { RepairReport.Loss(reason: $0.0, messageCount: $0.1) }
        let bytes = salvage.missingBytes > 0 ? salvage.missingBytes : nil
        let known = salvage.messageCount + salvage.brokenCount + salvage.strayCount
        let counts = [statedCounts[file.name].map { max(0, $0) - known }, salvage.lostCount].compactMap { $0 }
        guard let count = counts.max() else {
            return losses + [
                RepairReport.Loss(reason: "what was on pages that are gone", messageCount: nil, bytes: bytes)
            ]
        }
        if count > 0 {
            losses.append(RepairReport.Loss(reason: "pages that are gone", messageCount: count, bytes: bytes))
        }
        return losses
    }

    // MARK: .mcap

    private func repairMCAP(_ file: inout RepairedFile) throws -> Bool {
        file.ending = ".mcap"
        let examination = try MCAPExamination(file.place, findings)
        guard !examination.isSound else { return true }
        let target = staging.path(file.name)
        let rewriting: MCAPRewriting
        do {
            rewriting = try MCAPRewriting.rewrite(file.place, to: target)
        } catch let problem as MCAPProblem {
            try DurableFiles.remove(target)
            guard problem.place.offset > 0 else { return false }
            throw problem
        }
        let count = rewriting.tally.messageCount
        file.actions.append("wrote \(count) messages anew with their index (\(examination.complaint))")
        let losses = losses(rewriting, file)
        file.losses += losses
        file.doubts += rewriting.tally.doubts
        // Nothing else shows that they were there.
        if let stated = rewriting.statedCount, losses.isEmpty, stated > count {
            file.doubts.append("its Statistics count \(stated) messages in it, not \(count)")
        }
        (file.place, file.isMade) = (target, true)
        return true
    }

    /// The count that the file itself or metadata.yaml states is believed of a file that lacks something; of one whose
    /// records can all be read only the count that both state, such as of one with a chunk that became a record of
    /// unknown kind.
    private func losses(_ rewriting: MCAPRewriting, _ file: RepairedFile) -> [RepairReport.Loss] {
        let tally = rewriting.tally
        let bytes = tally.lostBytes > 0 ? tally.lostBytes : nil
        let reason = tally.problems.first.map(\.description) ?? "records that are gone"
        var count = tally.strayCount + tally.missingCount
        let statements = [rewriting.statedCount, statedCounts[file.name]].compactMap { $0 }
        let stated = tally.isDamaged ? statements.max() : statements.count == 2 ? statements.min() : nil
        if let stated { count = max(count, max(0, stated) - tally.messageCount) }
        if count > 0 { return [RepairReport.Loss(reason: reason, messageCount: count, bytes: bytes)] }
        guard tally.isDamaged, stated == nil, tally.unreadCount > 0 || tally.lostBytes > 0 else { return [] }
        return [RepairReport.Loss(reason: reason, messageCount: nil, bytes: bytes)]
    }

    // MARK: .zstd

    private func repairPacked(_ file: inout RepairedFile) throws -> Bool {
        let packed = file
        let plain = staging.path(packed.name + ".unpacked")
        defer { try? DurableFiles.remove(plain) }
        let outcome = try Unpacking.file(packed.place, to: plain, in: staging.folder, limit: unpackLimit)
        let plainName = packed.name + ".plain"
        // What check found in the packed file is of no use for its content.
        var inner = self
        inner.findings = nil
        guard let repaired = try inner.repair(plain, as: plainName) else { return false }
        if let problem = outcome.problem { file.actions.append("unpacked what is sound (\(problem))") }
        if let remark = outcome.remark { file.actions.append("packed it anew (\(remark))") }
        if outcome.isAmbiguous { file.doubts.append("bytes of it may be wrong: its frame may begin in another file") }
        file.actions += repaired.actions
        file.losses += repaired.losses
        file.doubts += repaired.doubts
        file.ending = repaired.ending + ".zstd"
        guard outcome.problem != nil || outcome.remark != nil || !repaired.actions.isEmpty else { return true }
        try ZstandardFile.compress(repaired.place, to: staging.path(packed.name), level: 1)
        if repaired.isMade { try DurableFiles.remove(repaired.place) }
        (file.place, file.isMade) = (staging.path(packed.name), true)
        return true
    }
}
