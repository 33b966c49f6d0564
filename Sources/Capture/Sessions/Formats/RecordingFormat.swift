import Files

/// A format of recordings: its name, how it is recognised, and how it is opened.
struct RecordingFormat: Sendable {
    /// As summaries and reports call it.
    let name: String
    /// Files by which a session may be named, as completion in a shell gives them.
    let entryFiles: Set<String>
    /// Whether the files, with nothing before their names, are of this format: by content, never by what the folder is called.
    let recognises: @Sendable (any SessionFiles) -> Bool
    /// - Throws: a ``SessionError``, or a ``Problem`` when the list of frames cannot be read to its end.
    let open: @Sendable (_ files: any SessionFiles, _ path: String, _ options: OpeningOptions) throws -> any Session

    init(
        _ name: String,
        entryFiles: Set<String> = [],
        recognises: @escaping @Sendable (any SessionFiles) -> Bool,
        openWith open:
            @escaping @Sendable (_ files: any SessionFiles, _ path: String, _ options: OpeningOptions) throws ->
            any Session
    ) {
        self.name = name
        self.entryFiles = entryFiles
        self.recognises = recognises
        self.open = open
    }

    /// A format that says everything itself.
    init(
        _ name: String,
        entryFiles: Set<String> = [],
        recognises: @escaping @Sendable (any SessionFiles) -> Bool,
        open: @escaping @Sendable (_ files: any SessionFiles, _ path: String) throws -> any Session
    ) {
        self.init(name, entryFiles: entryFiles, recognises: recognises) { files, path, _ in try open(files, path) }
    }

    /// Every format, in the order in which they are asked: what two could claim is decided by the first.
    static let all: [RecordingFormat] = [
        scanPackage, native, strayScanner, record3D, threeDScannerApp, polycam, arkitScenes, iosLogger,
        transforms,
    ]

    static let native = RecordingFormat(
        LoggerSession.formatName,
        entryFiles: [FrameLine.file, LoggerMetadata.file],
        recognises: { $0.entry(FrameLine.file) != .nothing },
        open: { files, path in try LoggerSession(files: files, path: path) }
    )
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
            if let name = files.names(limit: 1000).first(where: isMesh) { return folder + name }
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
