import Bags
import SystemPackage

/// What interrupted writers leave beside the files of a bag.
enum LeftoverCheck {
    static func run(_ layout: BagLayout, _ context: CheckContext) {
        for name in layout.names where name.hasSuffix(".part") || name.hasSuffix(".tmp") {
            let severity: BagFinding.Severity = name.hasSuffix(".part") ? .error : .warning
            let found = "one that its writer did not finish"
            context.at(file: name).add(severity, .bagLeftover, "finished files alone", found)
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
}
