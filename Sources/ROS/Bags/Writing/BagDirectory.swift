import Glibc
import Platform
import SystemPackage

/// The directory of a bag that is being written: creates it and replaces its metadata.yaml.
struct BagDirectory {
    let path: FilePath
    /// The base name of the chunks.
    private let name: String
    /// True if the bag is one file in a directory that is not its own.
    private let isLoneFile: Bool
    private let isNew: Bool

    /// Creates the directory with a metadata.yaml that lists no files; the parent must exist.
    ///
    /// - Parameters:
    ///   - isLoneFile: true for a bag of one file, of which the path is the name; nothing else is made then.
    ///   - force: empties a directory that holds a bag of ours and nothing else, or replaces such an .mcap file; anything else is
    ///     refused.
    init(creating path: FilePath, isLoneFile: Bool, force: Bool, metadata: BagMetadata) throws(BagError) {
        guard let last = path.lastComponent, last.kind == .regular else {
            throw .cannotCreate(path, reason: "no name of its own")
        }
        let claim = OutputClaim(path.string, isLoneFile ? .loneBag : .bag, replaces: force)
        do { try claim.check(outside: []) } catch { throw .cannotCreate(path, reason: error.reason) }
        self.isLoneFile = isLoneFile
        if isLoneFile {
            let folder = path.removingLastComponent()
            self.path = folder.isEmpty ? "." : folder
            name = last.stem
            isNew = false
            // What a run has left that was killed, as the claim has found.
            for working in claim.kind.working { unlink(path.string + working.suffix) }
            return
        }
        self.path = path
        name = last.string
        isNew = mkdir(path.string, 0o755) == 0
        let problem = Errno(rawValue: errno)
        guard isNew || force && problem == .fileExists else { throw .refused(path, problem) }
        do throws(FileError) {
            let leftovers = isNew ? [] : try directoryEntries(path)
            // The new metadata.yaml comes first, so that the directory is always a valid bag, the old or the new one.
            try stageMetadata(metadata, synchronized: true)
            try showMetadata(flushingFirst: false)
            try Flush.name(of: path)
            for name in leftovers where name != metadataFileName { try DurableFiles.remove(path.appending(name)) }
        } catch {
            removeIfNew()
            throw .refused(path, error.errno)
        }
    }

    /// Removes a folder that this run has made: without a message it would be in the way of the next try.
    func removeIfNew() {
        if isNew { FileTree.remove(path) }
    }

    /// The name of a chunk, without the ending of its storage.
    func name(ofChunk number: Int) -> String { isLoneFile ? name : "\(name)_\(number)" }

    /// Prepares the next metadata.yaml.
    func stageMetadata(_ metadata: BagMetadata, synchronized: Bool) throws(FileError) {
        if isLoneFile { return }
        try DurableFiles.stage(
            path.appending(metadataFileName),
            with: Array(MetadataText.file(metadata).utf8),
            synchronized: synchronized
        )
    }

    /// Puts the prepared metadata.yaml in place, atomically; then all names are on the disk.
    ///
    /// - Parameter flushingFirst: true to have the names of chunks on the disk before: a file system without a journal may keep
    ///   the later one of two names alone, and metadata.yaml must not count what is not there. False where rows and counts have
    ///   to change in one moment, as the process may be killed in the next.
    func showMetadata(flushingFirst: Bool) throws(FileError) {
        if flushingFirst || isLoneFile { try Flush.folder(path) }
        if isLoneFile { return }
        try DurableFiles.show(path.appending(metadataFileName), synchronized: true)
    }
}

let metadataFileName = "metadata.yaml"

/// The format of rosbag2's recorder in a distribution, as far as distributions differ.
///
/// `any` is version 8 with numbers for policies: Humble refuses policy names and the list of version 9. Jazzy refuses
/// missing fields, and reads the numbers.
struct DistributionForm: Sendable {
    let metadataVersion: Int
    /// 4 has type hashes and message definitions, 3 has neither.
    let schemaVersion: Int
    let policies: QoSProfile.Style
    /// The value of `ros_distro`.
    let name: String
    /// True if an .mcap file contains the bag's metadata in a record.
    let hasSerializedMetadata: Bool

    var hasDefinitions: Bool { schemaVersion >= 4 }

    init(_ distribution: BagOptions.Distribution) {
        name = distribution.rawValue
        schemaVersion = distribution == .humble ? 3 : 4
        hasSerializedMetadata = distribution != .humble
        switch distribution {
        case .any: (metadataVersion, policies) = (8, .numbers)
        case .humble: (metadataVersion, policies) = (5, .numbers)
        case .iron: (metadataVersion, policies) = (7, .numbers)
        case .jazzy, .kilted, .rolling: (metadataVersion, policies) = (9, .names)
        }
    }

    /// The topic as this format stores it.
    func shown(_ topic: BagTopic) -> BagTopic {
        var shown = topic
        shown.qosText = QoSProfile.text(topic.qosText, in: policies)
        return shown
    }
}
