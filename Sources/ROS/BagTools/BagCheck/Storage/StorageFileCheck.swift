import Bags
import Platform
import SystemPackage

/// Checks one storage file of any form: unpacks it where that is needed, and hands it to the check of its storage.
struct StorageFileCheck {
    let file: BagLayout.File
    let claims: RawMetadata?
    let context: CheckContext
    let registry: CheckedTopics
    let pipeline: MessagePipeline

    func run() {
        pipeline.beginFile(file.name, bytes: fileBytes(file.path))
        examine()
        pipeline.finishFile()
        CutFile(file: file, context: context).explain(counted: pipeline.files.last)
    }

    private func examine() {
        // To open a named pipe is to wait for its writer.
        guard isRegularFile(file.path) else { return add(.bagUnreadableFile, "a regular file", "something else") }
        guard !FileKind.isPointer(file.path) else {
            context.lacksFile = true
            return add(.bagNotFetched, "the file itself", "a Git LFS pointer to it")
        }
        guard file.isCompressed else {
            guard let content = FileKind.foreignContent(file.path) else { return check(file.path, isTemporary: false) }
            context.lacksFile = true
            add(.bagForeignFile, "a storage file (\(file.storage.rawValue))", content)
            let form = file.storage == .mcap ? "an MCAP file" : "an SQLite database"
            let isEmpty = fileBytes(file.path) == 0
            return context.findings.explain(.bagForeignFile, isEmpty ? content : "not \(form) (\(content))")
        }
        do {
            let unpacked = try NamelessFile()
            guard unpack(into: unpacked) else { return }
            try unpacked.withName { check($0, isTemporary: true) }
        } catch {
            add(.bagUnreadableFile, "a place in \(NamelessFile.directory) to unpack it", "none")
        }
    }

    /// Leaves in the file what can be unpacked; false where nothing is.
    private func unpack(into unpacked: NamelessFile) -> Bool {
        do {
            let outcome = try Unpacking.file(
                file.path,
                to: unpacked.descriptorPath,
                in: NamelessFile.directory,
                limit: context.options.unpackLimit
            )
            if let damage = outcome.problem { add(.compressionFile, "a zstd file that unpacks", "\(damage)") }
            if let remark = outcome.remark {
                let severity: BagFinding.Severity = outcome.isHeadless ? .error : .warning
                context.at(file: file.name).add(
                    severity,
                    .compressionFile,
                    "a zstd frame of its own, with an end",
                    remark
                )
            }
            return true
        } catch {
            var found = "\(error)"
            // The finding names the file already.
            if case .damaged(_, let place, let expected, let amount) = error {
                found = "\(place): expected \(expected), found \(amount)"
            }
            add(.compressionFile, "a zstd file that unpacks", found)
            return false
        }
    }

    private func check(_ path: FilePath, isTemporary: Bool) {
        let messages = StoredMessages(
            areCompressed: claims.map { $0.compressionMode == "message" },
            context: context,
            pipeline: pipeline
        )
        // Only now a packed file shows what it is.
        let storage = BagLayout.Storage(of: path) ?? file.storage
        if file.isCompressed, storage != file.storage {
            let expected = "a name of the storage \(storage.rawValue), which is in it"
            context.at(file: file.name).add(.warning, .bagWrongName, expected, file.name)
        }
        switch storage {
        case .sqlite3:
            let check = SQLiteFileCheck(
                name: file.name,
                path: path,
                messages: messages,
                context: context,
                registry: registry,
                pipeline: pipeline,
                isTemporary: isTemporary
            )
            guard let table = check.run() else { return }
            compare(table)
        case .mcap:
            var check = MCAPFileCheck(name: file.name, context, registry, messages)
            check.run { try MCAPFileSource(opening: path) }
        }
    }

    /// The table `metadata` of a bag's only file tells of that file; those of others vary from recorder to recorder.
    private func compare(_ table: RawMetadata) {
        guard table.paths.count == 1, claims?.paths.count ?? 1 == 1, let counted = pipeline.files.last else { return }
        let report = context.at(file: file.name)
        if let claimed = table.map.messageCount, claimed != counted.messageCount {
            let expected = "message_count \(counted.messageCount) in the table metadata"
            report.add(foreign: .warning, .databaseMetadataTable, expected, "\(claimed)")
        }
        if let first = counted.firstNanoseconds, let claimed = table.map.firstNanoseconds, claimed != first {
            let expected = "starting_time \(first) in the table metadata"
            report.add(foreign: .warning, .databaseMetadataTable, expected, "\(claimed)")
        }
    }

    private func add(_ kind: BagFindingKind, _ expected: String, _ found: String) {
        context.at(file: file.name).add(.error, kind, expected, found)
    }
}
