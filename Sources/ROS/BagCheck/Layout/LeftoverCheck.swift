import Bags
import SystemPackage

/// What interrupted writers leave beside the files of a bag.
enum LeftoverCheck {
    static func run(_ layout: BagLayout, _ context: CheckContext) {
        for name in layout.names where name.hasSuffix(".part") || name.hasSuffix(".tmp") {
            context.findings.add(
                name.hasSuffix(".part") ? .error : .warning,
                .bagLeftover,
                at: Spot(file: name),
                expected: "finished files alone",
                found: "one that its writer did not finish"
            )
        }
        for file in layout.files where file.storage == .sqlite3 {
            for suffix in ["-wal", "-journal", "-shm"] {
                let size = fileBytes(FilePath(file.path.string + suffix))
                guard size > 0 else { continue }
                context.findings.add(
                    suffix == "-shm" ? .warning : .error,
                    .databaseJournal,
                    at: Spot(file: file.name + suffix),
                    expected: "a closed .db3 with nothing beside it",
                    found: "\(size) bytes"
                )
            }
        }
    }
}
