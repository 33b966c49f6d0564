import Bags
import SystemPackage
import Text

/// Reads metadata.yaml and asks whether ROS would.
enum MetadataCheck {
    /// The claims of the file; nil where there is none, or none that can be read.
    static func read(_ layout: BagLayout, _ context: CheckContext) -> RawMetadata? {
        guard let path = layout.metadataPath else {
            if !layout.isLoneFile {
                let found = "\(layout.files.count) storage files alone"
                context.at().add(.error, .metadataMissing, BagLayout.metadataName, found)
            }
            return nil
        }
        let report = context.at(file: BagLayout.metadataName)
        guard let map = information(path, report) else { return nil }
        let claims = RawMetadata(map)
        context.noteProvenance(claims.customData)
        checkDistributions(claims, report)
        return claims
    }

    private static func information(_ path: FilePath, _ report: Reporter) -> MetadataNode? {
        func fail(_ found: String) -> MetadataNode? {
            report.add(.error, .metadataSyntax, "a YAML map rosbag2_bagfile_information", found)
            return nil
        }
        guard let text = try? readTextFile(path) else { return fail("a file that cannot be read") }
        do {
            let map = try MetadataNode.parse(text)["rosbag2_bagfile_information"]
            return map.isMap ? map : fail(map.exists ? "something else" : "no such key")
        } catch {
            return fail(error.found + (error.line.map { " in line \($0)" } ?? ""))
        }
    }

    private static func checkDistributions(_ claims: RawMetadata, _ report: Reporter) {
        let refusals = DistributionRules.refusals(of: claims.map)
        let isRefusedByAll = refusals.count == DistributionRules.Distribution.allCases.count
        for refusal in refusals {
            let more = refusal.reasons.count > 3 ? " and \(refusal.reasons.count - 3) more" : ""
            let severity: BagFinding.Severity = isRefusedByAll ? .error : refusal.isVersionAlone ? .note : .warning
            let found = refusal.reasons.prefix(3).joined(separator: ", ") + more
            report.add(severity, .metadataRefused, "what \(refusal.distribution.rawValue) reads", found)
        }
    }

    /// Holds what is said of the files as a whole to the files that there are.
    static func checkFields(_ claims: RawMetadata, _ layout: BagLayout, _ context: CheckContext) {
        let report = context.at(file: BagLayout.metadataName)
        if let version = claims.version, !(1...9).contains(version) {
            // The meaning of later versions is not known: no reader of this program takes them.
            report.add(.error, .metadataVersion, "a version of 1 to 9", "\(version)")
        }
        for (storage, identifier) in [(BagLayout.Storage.sqlite3, "sqlite3"), (.mcap, "mcap")] {
            guard layout.files.contains(where: { $0.storage == storage }), claims.storageIdentifier != identifier else {
                continue
            }
            let expected = "the storage_identifier \(identifier) of the files"
            // Reindexing leaves it empty (rosbag2 issue 2175).
            let found = claims.storageIdentifier ?? ""
            report.add(found.isEmpty ? .note : .error, .metadataStorage, expected, "\"\(found)\"")
        }
        checkCompression(claims, layout, report)
    }

    /// Two empty texts, or zstd and a mode that the files bear out.
    private static func checkCompression(
        _ claims: RawMetadata,
        _ layout: BagLayout,
        _ report: Reporter
    ) {
        let mode = claims.compressionMode ?? ""
        let format = claims.compressionFormat ?? ""
        func add(_ expected: String, _ found: String) {
            report.add(.error, .compressionFields, expected, found)
        }
        switch mode {
        case "", "none":
            if !format.isEmpty { add("no compression_format without a mode", "\"\(format)\"") }
        case "file", "message":
            if format != "zstd" { add("the compression_format zstd for mode \(mode)", "\"\(format)\"") }
        default: add("a compression_mode of file or message, or none", "\"\(mode)\"")
        }
        let isFileMode = mode == "file"
        for file in layout.files where file.isCompressed != isFileMode {
            add(
                isFileMode ? "files that end in .zstd, as compression_mode says" : "compression_mode file",
                file.name
            )
        }
    }
}

/// The claims of metadata.yaml, or of the same map elsewhere in a bag; nil for what it does not say.
struct RawMetadata {
    struct Topic {
        let name: String
        let metadata: MetadataNode
        let messageCount: Int64?

        var typeName: String? { metadata["type"].string }
        var serializationFormat: String? { metadata["serialization_format"].string }
        var typeHash: String? { metadata["type_description_hash"].string }
    }

    /// The map below `rosbag2_bagfile_information`.
    let map: MetadataNode
    let topics: [Topic]
    /// Names without directories, in playing order.
    let paths: [String]
    /// The entries of `files` by name; nil where there is no such list.
    let files: [(name: String, contents: MetadataNode)]?
    let customData: [String: String]

    init(_ map: MetadataNode) {
        self.map = map
        topics = map["topics_with_message_count"].elements.compactMap { entry in
            let metadata = entry["topic_metadata"]
            return metadata["name"].string.map {
                Topic(name: $0, metadata: metadata, messageCount: entry.messageCount)
            }
        }
        paths = map["relative_file_paths"].elements.compactMap(\.fileName)
        let entries = map["files"]
        files = entries.isList ? entries.elements.compactMap { file in file["path"].fileName.map { ($0, file) } } : nil
        let pairs = map["custom_data"].pairs.compactMap { key, value in
            key.flatMap { key in value.string.map { (key, $0) } }
        }
        customData = Dictionary(pairs) { _, last in last }
    }

    var version: Int64? { map["version"].integer }
    var storageIdentifier: String? { map["storage_identifier"].string }
    var compressionFormat: String? { map["compression_format"].string }
    /// In lower case: Humble and Jazzy write it in capitals.
    var compressionMode: String? { map["compression_mode"].string?.lowercased() }
}

extension MetadataNode {
    /// A number without quotes.
    var integer: Int64? { isPlain ? writtenText.flatMap { Int64($0) } : nil }

    // What a bag says of itself as of each of its files.
    var messageCount: Int64? { self["message_count"].integer }
    var firstNanoseconds: Int64? { self["starting_time"]["nanoseconds_since_epoch"].integer }
    var durationNanoseconds: Int64? { self["duration"]["nanoseconds"].integer }

    /// The last component of a path.
    fileprivate var fileName: String? {
        string.map { path in path.split(separator: "/").last.map { String($0) } ?? path }
    }
}
