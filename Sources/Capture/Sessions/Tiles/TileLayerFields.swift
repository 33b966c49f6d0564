import JSONText
import Recording

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
