import Bags
import SystemPackage

/// The check for files that interrupted writers leave beside the files of a bag.
enum LeftoverCheck {
    /// - Parameter claims: The claims of metadata.yaml; nil without one.
    static func run(_ layout: BagLayout, _ claims: RawMetadata?, _ context: CheckContext) {
        for name in layout.names where name.hasSuffix(".part") || name.hasSuffix(".tmp") {
            tell(name, layout, claims, context)
        }
        for file in layout.files where file.storage == .sqlite3 {
            for suffix in ["-wal", "-journal", "-shm"] {
                let size = fileBytes(FilePath(file.path.string + suffix))
                guard size > 0 else { continue }
                let severity: BagFinding.Severity = suffix == "-shm" ? .warning : .error
                context.at(file: file.name + suffix)
                    .add(severity, .databaseJournal, "a closed .db3 with nothing beside it", "\(size) bytes")
            }
        }
    }

    /// A writer lists what is whole: where that is there, nothing that it promised is missing, and the other checks
    /// say whether it is sound.
    private static func tell(
        _ name: String,
        _ layout: BagLayout,
        _ claims: RawMetadata?,
        _ context: CheckContext
    ) {
        let report = context.at(file: name)
        guard name.hasSuffix(".part") else {
            return report.add(.warning, .bagLeftover, "finished files alone", "one that its writer did not finish")
        }
        guard claims?.paths.isEmpty == false, !layout.files.isEmpty else {
            let found = "one that its writer did not finish, and no list of what it finished"
            return report.add(.error, .bagLeftover, "finished files alone", found)
        }
        let found = "usable: the writer was interrupted, and only what metadata.yaml lists is part of the bag"
        report.add(.warning, .bagLeftover, "finished files alone", found)
    }
}
