package import SystemPackage

/// The result of a repair: what it did, what it saved, and what is lost.
package struct RepairReport: Sendable, Hashable {
    /// Messages or bytes that could not be saved.
    package struct Loss: Sendable, Hashable {
        package var reason: String
        /// Nil if unknown.
        package var messageCount: Int?
        /// The lost bytes of the file; nil if unknown.
        package var bytes: Int?
    }

    /// A file that is not in the repaired bag.
    package struct LeftOut: Sendable, Hashable {
        package var name: String
        package var reason: String
        /// True if there may have been messages in it that are nowhere else.
        package var isLoss: Bool
    }

    package struct FileReport: Sendable, Hashable {
        /// The file as it is called in the repaired bag.
        package var name: String
        /// The actions on it, as sentences without a subject; empty for a file that was sound.
        package var actions: [String] = []
        package var losses: [Loss] = []
        /// The parts kept although something says that they are wrong, such as messages of a chunk with a wrong CRC.
        package var doubts: [String] = []
        /// The number of messages in it now.
        package var messageCount = 0
        package var messageBytes = 0
    }

    /// The repaired bag; the bag itself if there was nothing to do, or it was repaired in place.
    package var output: FilePath
    /// In playing order.
    package var files: [FileReport] = []
    /// The change to metadata.yaml; nil if it was right, or if a lone file has none.
    package var metadataAction: String?
    package var leftOut: [LeftOut] = []
    /// Other forms of files of the bag, which are no part of it and stay where they are.
    package var ignored: [String] = []
    /// Errors that `check` finds in the bag as it is now.
    package var remainingErrors: [BagFinding] = []
    /// How many messages `check` counts in the bag as it is now, where that is another number than the files here have.
    package var miscount: Int?

    /// True if there was nothing to do; nothing was written then.
    package var isSound: Bool {
        metadataAction == nil && leftOut.isEmpty && files.allSatisfy { $0.actions.isEmpty && $0.losses.isEmpty }
    }

    package var messageCount: Int { files.reduce(0) { $0 + $1.messageCount } }
    package var messageBytes: Int { files.reduce(0) { $0 + $1.messageBytes } }

    /// True if the bag has no messages, and never had any that could be found.
    package var isEmpty: Bool { messageCount == 0 && !hasLosses }

    /// True if something is lost, as far as one can tell.
    package var hasLosses: Bool { files.contains { !$0.losses.isEmpty } || leftOut.contains(where: \.isLoss) }

    /// True if something in the bag as it is now is wrong, or may be.
    package var isDamaged: Bool {
        files.contains { !$0.doubts.isEmpty } || !remainingErrors.isEmpty || miscount != nil
    }
}

/// A storage file of the bag to be, with what was done to it.
@dynamicMemberLookup
struct RepairedFile {
    /// What is told of it.
    private(set) var report: RepairReport.FileReport
    /// Where its content is now: in the bag as it was, or in the staging folder under its name.
    var place: FilePath
    /// True if it is in the staging folder.
    var isMade = false
    /// The ending of the name of a file of this form: `.db3`, `.mcap`, or one of them with `.zstd`.
    var ending = ""
    /// Names of files in the bag's directory that this one makes superfluous.
    var superseded: [String] = []
    /// True if it is still to be compressed, as the other files of the bag are.
    var needsPacking = false
    /// True if it has a place for its own metadata, and nothing or something wrong there.
    var needsMetadata = false
    /// True if what it says of itself is not true, which alone is worth a repair.
    var hasWrongMetadata = false

    init(name: String, place: FilePath) {
        report = RepairReport.FileReport(name: name)
        self.place = place
    }

    subscript<Value>(dynamicMember path: WritableKeyPath<RepairReport.FileReport, Value>) -> Value {
        get { report[keyPath: path] }
        set { report[keyPath: path] = newValue }
    }
}
