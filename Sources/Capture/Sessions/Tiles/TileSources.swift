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
        readDatabases(names, manifest, files)
        findElevationModels(files)
    }

    private mutating func readDatabases(_ names: [String], _ manifest: TileManifest, _ files: any SessionFiles) {
        let others = names.sorted().map { "\(Self.folder)/\($0)" }.filter { !manifest.paths.contains($0) }
        for file in others.prefix(TileManifest.maximumLayers) {
            do throws(Problem) {
                layers.append(try MBTilesFile(file, files).description().layer())
            } catch {
                diagnostics.record(error)
            }
        }
    }

    /// A whole elevation model lies beside the folders of zooms, where no tile lies.
    private mutating func findElevationModels(_ files: any SessionFiles) {
        let folders = [Self.folder] + layers.filter { !$0.isDatabase }.map(\.path)
        for folder in Set(folders).sorted() {
            var names: [String] = []
            files.forEachName(inFolder: folder) { name in
                let lower = name.lowercased()
                if lower.hasSuffix(".tif") || lower.hasSuffix(".tiff") { names.append(name) }
                return names.count < 4 * TileManifest.maximumLayers
            }
            for name in names.sorted() {
                diagnostics.record(
                    Problem(
                        .uncutElevation,
                        file: "\(folder)/\(name)",
                        expected: "tiles of it, as gdal raster tile -f GTiff cuts them, or MBTiles",
                        found: "a TIFF that is no tile"
                    )
                )
            }
        }
    }
}
