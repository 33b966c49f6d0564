import Platform

/// A format of recordings: its name, how it is recognised, and how it is opened.
///
/// Each format is a file of this folder, or a folder where it needs several, and a line in ``all``. Most of them are lists of
/// poses with files beside them, which ``FrameListSession`` makes a session of; docs/formats/reader.md says how one is added,
/// and ``ScanPackageSession`` is a small one to begin reading with.
struct RecordingFormat: Sendable {
    /// - Throws: a ``SessionError``, or a ``Problem`` when the list of frames cannot be read to its end.
    typealias Opening =
        @Sendable (_ files: any SessionFiles, _ path: String, _ options: OpeningOptions) throws -> any Session

    /// As summaries and reports call it.
    let name: String
    /// What a recording of the format may hold, beside frames with poses.
    var holds: Set<RecordedPart> = [.images, .depth, .confidence]
    /// Files by which a session may be named, as completion in a shell gives them.
    var entryFiles: Set<String> = []
    /// True if the files, with nothing before their names, are of this format: by content, never by the folder's name.
    let recognises: @Sendable (any SessionFiles) -> Bool
    let open: Opening

    /// Every format, in the order in which they are asked: files that two could claim are of the first.
    static let all: [RecordingFormat] = [
        // Before the native layout, whose list has the same name.
        ScanPackageSession.format,
        native, StraySession.format, Record3DSession.format, ScannerSession.format, PolycamSession.format,
        ARKitScenesSession.format, IOSLoggerSession.format,
        // Late, as converters leave a transforms.json beside what they converted.
        TransformsSession.format,
    ]

    static let native = RecordingFormat(
        name: NativeSession.formatName,
        holds: Set(RecordedPart.allCases),
        entryFiles: [FrameLine.file, RecordedMetadata.file],
        recognises: { $0.entry(FrameLine.file) != .nothing },
        open: { files, path, _ in try NativeSession(files: files, path: path) }
    )
}

/// The parts of recordings that not every format has.
package enum RecordedPart: String, Sendable, CaseIterable {
    case images
    case depth
    case confidence
    case relativeDepth = "relative depth"
    case motion = "IMU samples"
    case location = "GPS fixes"
    case satelliteTiles = "satellite tiles"
    case elevationTiles = "elevation tiles"
    case radioSamples = "radio samples"
    case indoorSamples = "indoor positions"
}

extension SessionSummary {
    /// True if a recording of this format may hold the part.
    package func mayHold(_ part: RecordedPart) -> Bool {
        RecordingFormat.all.first { $0.name == format }?.holds.contains(part) ?? true
    }
}

/// Where in a folder or archive a recording lies: at its root, or in a folder or two around it.
struct FormatSearch {
    typealias Found = (format: RecordingFormat, files: any SessionFiles, folder: String)

    /// The recordings in the outermost layer that has any; native ones are only those at the root.
    static func recordings(in root: any SessionFiles) -> [Found] {
        if let format = format(of: root) { return [(format, root, "")] }
        var layer = [(files: root, folder: "")]
        for _ in 0..<2 {
            layer = layer.flatMap { parent in
                parent.files.folderNames().map { (parent.files.inFolder($0), parent.folder + $0 + "/") }
            }
            // A folder of very many folders is no wrapping of one recording.
            layer = Array(layer.prefix(256))
            let found = layer.compactMap { one in format(of: one.files).map { ($0, one.files, one.folder) } }
            if !found.isEmpty { return found }
        }
        return []
    }

    static func format(of files: any SessionFiles) -> RecordingFormat? {
        RecordingFormat.all.first { $0.recognises(files) }
    }

    /// An exported mesh or cloud at the root or in a folder of it, by its name; the apps write them into the same places.
    static func mesh(in root: any SessionFiles) -> String? {
        for (files, folder) in [(root, "")] + root.folderNames().prefix(16).map({ (root.inFolder($0), $0 + "/") }) {
            if let name = files.names(limit: 1000, { $0 }).sorted().first(where: isMesh) { return folder + name }
        }
        return nil
    }

    static func isMesh(_ name: String) -> Bool {
        let endings = [
            ".obj", ".usdz", ".usdc", ".usda", ".ply", ".glb", ".gltf", ".stl", ".dae", ".fbx", ".las", ".laz", ".pts",
            ".xyz", ".e57",
        ]
        let lower = name.lowercased()
        return endings.contains { lower.hasSuffix($0) } && !lower.hasPrefix(".")
    }
}
