import Bags
import SystemPackage

/// A storage file of the bag to be, with what was done to it.
struct RepairedFile {
    /// As it will be called.
    var name: String
    /// Where its content is now: in the bag as it was, or in the staging folder under its name.
    var place: FilePath
    /// True if it is in the staging folder.
    var isMade: Bool
    /// The ending of the name of a file of this form: `.db3`, `.mcap`, or one of them with `.zstd`.
    var ending = ""
    /// Names of files in the bag's directory that this one makes superfluous.
    var superseded: [String] = []
    var actions: [String] = []
    var losses: [RepairReport.Loss] = []
    /// The parts that were kept although something says that they are wrong.
    var doubts: [String] = []
    /// True if it is still to be compressed, as the other files of the bag are.
    var needsPacking = false
    /// True if it has a place for its own metadata, and nothing or something wrong there.
    var needsMetadata = false
    /// True if what it says of itself is not true, which alone is worth a repair.
    var hasWrongMetadata = false
    var messageCount = 0
    var messageBytes = 0

    var report: RepairReport.FileReport {
        RepairReport.FileReport(
            name: name,
            actions: actions,
            losses: losses,
            doubts: doubts,
            messageCount: messageCount,
            messageBytes: messageBytes
        )
    }
}
