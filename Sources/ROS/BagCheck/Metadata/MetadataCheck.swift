import Bags
import SystemPackage

/// Reads metadata.yaml and asks whether ROS would.
enum MetadataCheck {
    /// What the file claims; nil where there is none, or none that can be read.
    static func read(_ layout: BagLayout, _ context: CheckContext) -> RawMetadata? {
        guard let path = layout.metadataPath else {
            if !layout.isLoneFile {
                let found = "\(layout.files.count) storage files alone"
                context.findings.add(.error, .metadataMissing, expected: BagLayout.metadataName, found: found)
            }
            return nil
        }
        let spot = Spot(file: BagLayout.metadataName)
        guard let map = information(path, spot, context) else { return nil }
        let claims = RawMetadata(map)
        context.noteProvenance(claims.customData)
        checkDistributions(claims, spot, context)
        return claims
    }

    private static func information(_ path: FilePath, _ spot: Spot, _ context: CheckContext) -> MetadataNode? {
        func fail(_ found: String) -> MetadataNode? {
            context.findings.add(
                .error,
                .metadataSyntax,
                at: spot,
                expected: "a YAML map rosbag2_bagfile_information",
                found: found
            )
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

    private static func checkDistributions(_ claims: RawMetadata, _ spot: Spot, _ context: CheckContext) {
        let refusals = DistributionRules.refusals(of: claims.map)
        let isRefusedByAll = refusals.count == DistributionRules.Distribution.allCases.count
        for refusal in refusals {
            let more = refusal.reasons.count > 3 ? " and \(refusal.reasons.count - 3) more" : ""
            context.findings.add(
                isRefusedByAll ? .error : refusal.isVersionAlone ? .note : .warning,
                .metadataRefused,
                at: spot,
                expected: "what \(refusal.distribution.rawValue) reads",
                found: refusal.reasons.prefix(3).joined(separator: ", ") + more
            )
        }
    }

    /// Holds what is said of the files as a whole to the files that there are.
    static func checkFields(_ claims: RawMetadata, _ layout: BagLayout, _ context: CheckContext) {
        let spot = Spot(file: BagLayout.metadataName)
        if let version = claims.version, !(1...9).contains(version) {
            // The meaning of later versions is not known: no reader of this program takes them.
            context.findings.add(
                .error,
                .metadataVersion,
                at: spot,
                expected: "a version of 1 to 9",
                found: "\(version)"
            )
        }
        for (storage, identifier) in [(BagLayout.Storage.sqlite3, "sqlite3"), (.mcap, "mcap")] {
            guard layout.files.contains(where: { $0.storage == storage }), claims.storageIdentifier != identifier else {
                continue
            }
            context.findings.add(
                .error,
                .metadataStorage,
                at: spot,
                expected: "the storage_identifier \(identifier) of the files",
                found: "\"\(claims.storageIdentifier ?? "")\""
            )
        }
        checkCompression(claims, layout, spot, context)
    }

    /// Two empty texts, or zstd and a mode that the files bear out.
    private static func checkCompression(
        _ claims: RawMetadata,
        _ layout: BagLayout,
        _ spot: Spot,
        _ context: CheckContext
    ) {
        let mode = claims.compressionMode ?? ""
        let format = claims.compressionFormat ?? ""
        func add(_ expected: String, _ found: String) {
            context.findings.add(.error, .compressionFields, at: spot, expected: expected, found: found)
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
