import JSONText
import Recording

/// tiles/manifest.json: which layers of map tiles a session has.
///
/// A layer that does not read costs only itself.
struct TileManifest {
    static let file = "tiles/manifest.json"
    /// More layers are no session's.
    static let maximumLayers = 64

    private(set) var layers: [TileLayer] = []
    /// The paths of all layers, also of those that do not read.
    private(set) var paths: Set<String> = []
    private(set) var diagnostics = Diagnostics()

    init(_ files: any SessionFiles) {
        guard files.size(of: Self.file) != nil else { return }
        do throws(Problem) {
            try read(files.readText(Self.file, maximumBytes: 1 << 20), files)
        } catch {
            var problem = error
            problem.kind = .badTiles
            diagnostics.record(problem)
        }
    }

    private mutating func read(_ bytes: [UInt8], _ files: any SessionFiles) throws(Problem) {
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            let expected = "\(error.expected) at byte \(error.offset)"
            throw Problem(.badTiles, file: Self.file, expected: expected, found: error.found)
        }
        guard let entries = value["layers"]?.array else {
            throw Problem(.badTiles, file: Self.file, field: "layers", expected: "a list", found: "none")
        }
        guard entries.count <= Self.maximumLayers else {
            let expected = "at most \(Self.maximumLayers)"
            throw Problem(.badTiles, file: Self.file, field: "layers", expected: expected, found: "\(entries.count)")
        }
        for (index, entry) in entries.enumerated() {
            if let path = entry["path"]?.string { paths.insert(path) }
            do throws(Problem) {
                layers.append(try TileLayerFields(entry, place: "layers[\(index)]", files).layer())
            } catch {
                diagnostics.record(error)
            }
        }
    }
}
