import Recording

/// The layers of map tiles of a session: those of its manifest, then the MBTiles files that this does not name, by name.
///
/// What cannot be used costs only itself.
struct TileSources {
    private static let folder = "tiles"

    private(set) var layers: [TileLayer]
    private(set) var diagnostics: Diagnostics

    init(_ files: any SessionFiles) {
        let manifest = TileManifest(files)
        layers = manifest.layers
        diagnostics = manifest.diagnostics
        var names: [String] = []
        files.forEachName(inFolder: Self.folder) { name in
            if TileLayer.isDatabase(name) { names.append(name) }
            return names.count < 4 * TileManifest.maximumLayers
        }
        let others = names.sorted().map { "\(Self.folder)/\($0)" }.filter { !manifest.paths.contains($0) }
        for file in others.prefix(TileManifest.maximumLayers) {
            do throws(Problem) {
                layers.append(try MBTilesFile(file, files).description().layer())
            } catch {
                diagnostics.record(error)
            }
        }
    }
}
