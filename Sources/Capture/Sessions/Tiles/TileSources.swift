import Recording
import Text

/// The layers of map tiles of a session: those of its manifest, then the MBTiles files that this does not name, by name.
///
/// A source that cannot be used costs only itself.
struct TileSources {
    private static let folder = "tiles"

    private(set) var layers: [TileLayer]
    private(set) var diagnostics: Diagnostics

    init(_ files: any SessionFiles) {
        let manifest = TileManifest(files)
        layers = manifest.layers
        diagnostics = manifest.diagnostics
        let most = 4 * TileManifest.maximumLayers
        let names = files.names(inFolder: Self.folder, limit: most) { TileLayer.isDatabase($0) ? $0 : nil }
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
            let names = files.names(inFolder: folder, limit: 4 * TileManifest.maximumLayers) { name in
                let lower = name.lowercased()
                return lower.hasSuffix(".tif") || lower.hasSuffix(".tiff") ? name : nil
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

/// One layer's object, read field by field.
struct TileLayerFields {
    private let object: JSONValue
    private let place: String
    private let files: any SessionFiles

    init(_ object: JSONValue, place: String, _ files: any SessionFiles) throws(Problem) {
        self.object = object
        self.place = place
        self.files = files
        guard object.object != nil else {
            throw Problem(.badTiles, file: TileManifest.file, field: place, expected: "an object", found: "none")
        }
    }

    func layer() throws(Problem) -> TileLayer {
        let crs = try text("crs") ?? TileLayer.crs
        guard crs == TileLayer.crs else { throw problem("crs", TileLayer.crs, crs) }
        let path = try path()
        // What an MBTiles file says of itself need not be repeated.
        let own = TileLayer.isDatabase(path) ? try MBTilesFile(path, files).description() : nil
        var layer = TileLayer(
            kind: try word("kind"),
            provider: try required("provider"),
            layer: try required("layer"),
            format: try format(own),
            path: path,
            zooms: try zooms(own)
        )
        layer.tileSize = try integer("tile_size", in: TileLayer.sizes) ?? own?.tileSize(layer.format) ?? layer.tileSize
        layer.mimeType = try text("mime_type") ?? layer.mimeType
        layer.fileExtension = try text("extension") ?? layer.fileExtension
        guard (1...8).contains(layer.fileExtension.utf8.count), layer.fileExtension.utf8.allSatisfy(isPlain) else {
            throw problem("extension", "letters and digits", layer.fileExtension)
        }
        layer.encoding = try text("encoding") ?? ""
        if layer.encoding.isEmpty, let own { layer.encoding = try own.encoding() ?? "" }
        if layer.kind == .elevation, layer.encoding.isEmpty {
            throw problem("encoding", "how heights are coded, such as terrarium_png", "none")
        }
        layer.nodata = try nodata()
        layer.verticalDatum = try text("vertical_datum").flatMap { $0.isEmpty ? nil : $0 }
        layer.attribution = try text("attribution") ?? own?[.attribution] ?? ""
        layer.attributionURL = try text("attribution_url")
        layer.license = try text("license") ?? ""
        layer.sourceURL = try text("source_url") ?? ""
        layer.time = try text("time")
        return layer
    }

    private func format(_ own: MBTilesDescription?) throws(Problem) -> TileFormat {
        guard let own, object["format"]?.isNull ?? true else { return try word("format") }
        return try own.format()
    }

    /// A folder or an MBTiles file below tiles/: the name is opened as it is, so that it must not lead elsewhere.
    private func path() throws(Problem) -> String {
        let path = try required("path")
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let isSafe = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".."
                && part.utf8.allSatisfy { $0 >= 0x20 && $0 != UInt8(ascii: "\\") }
        }
        guard isSafe, parts.count > 1, parts[0] == "tiles", path.utf8.count <= 512 else {
            throw problem("path", "a folder or an MBTiles file below tiles/", path)
        }
        return path
    }

    private func zooms(_ own: MBTilesDescription?) throws(Problem) -> ClosedRange<Int> {
        if let own, object["min_zoom"]?.isNull ?? true, object["max_zoom"]?.isNull ?? true {
            guard let zooms = own.zooms else {
                throw Problem(.badTiles, file: own.file, expected: "tiles", found: "none")
            }
            return zooms
        }
        guard let low = try integer("min_zoom", in: TileAddress.zooms) else {
            throw problem("min_zoom", "a zoom", "none")
        }
        guard let high = try integer("max_zoom", in: TileAddress.zooms) else {
            throw problem("max_zoom", "a zoom", "none")
        }
        guard low <= high else { throw problem("max_zoom", "at least \(low)", "\(high)") }
        return low...high
    }

    /// A number of metres, or that every pixel is a height.
    private func nodata() throws(Problem) -> TileNodata? {
        guard let value = object["nodata"], !value.isNull else { return nil }
        if value.string == "none" { return .nothing }
        guard let metres = value.number, metres.isFinite else {
            throw problem("nodata", "a number of metres or \"none\"", value.text())
        }
        return .metres(metres)
    }

    private func word<Word: RawRepresentable & CaseIterable>(_ key: String) throws(Problem) -> Word
    where Word.RawValue == String {
        let text = try required(key)
        guard let word = Word(rawValue: text) else {
            throw problem(key, Word.allCases.map(\.rawValue).joined(separator: " or "), text)
        }
        return word
    }

    private func required(_ key: String) throws(Problem) -> String {
        guard let text = try text(key) else { throw problem(key, "a text", "none") }
        return text
    }

    private func text(_ key: String) throws(Problem) -> String? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let text = value.string else { throw problem(key, "a text", value.text()) }
        return text
    }

    private func integer(_ key: String, in range: ClosedRange<Int>) throws(Problem) -> Int? {
        guard let value = object[key], !value.isNull else { return nil }
        guard let number = value.integer, number >= range.lowerBound, number <= range.upperBound else {
            throw problem(key, "an integer from \(range.lowerBound) to \(range.upperBound)", value.text())
        }
        return Int(number)
    }

    private func problem(_ key: String, _ expected: String, _ found: String) -> Problem {
        let found = String(found.prefix(80))
        return Problem(.badTiles, file: TileManifest.file, field: "\(place).\(key)", expected: expected, found: found)
    }
}

private func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
    default: false
    }
}
