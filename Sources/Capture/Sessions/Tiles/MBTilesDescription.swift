import Recording

/// What an MBTiles file says of itself: its table `metadata` and, where that is silent, its tiles.
struct MBTilesDescription {
    /// The keys that are used: those of MBTiles 1.3, and `encoding`, which viewers of terrain have added.
    enum Key: String, CaseIterable {
        case name
        case format
        case minimumZoom = "minzoom"
        case maximumZoom = "maxzoom"
        case attribution
        case encoding
    }

    let file: String
    var texts: [String: String] = [:]
    /// The lowest and the highest zoom of any row.
    var zoomsOfTiles: (low: Int64, high: Int64)?
    var firstTile: [UInt8] = []

    init(file: String) {
        self.file = file
    }

    subscript(_ key: Key) -> String? { texts[key.rawValue].flatMap { $0.isEmpty ? nil : $0 } }

    /// `nil` where there is no tile.
    var zooms: ClosedRange<Int>? {
        if let low = self[.minimumZoom].flatMap({ Int($0) }), let high = self[.maximumZoom].flatMap({ Int($0) }),
            low <= high, TileAddress.zooms.contains(low), TileAddress.zooms.contains(high)
        {
            return low...high
        }
        guard let zoomsOfTiles, zoomsOfTiles.low <= zoomsOfTiles.high else { return nil }
        return (Int(zoomsOfTiles.low)...Int(zoomsOfTiles.high)).clamped(to: TileAddress.zooms)
    }

    /// The side of the first tile in pixels, as the file itself has no word for it.
    func tileSize(_ format: TileFormat) -> Int? {
        guard let size = TileImage(firstTile, format).size, size.width == size.height,
            TileLayer.sizes.contains(size.width)
        else { return nil }
        return size.width
    }

    func format() throws(Problem) -> TileFormat {
        guard let text = self[.format]?.lowercased() else {
            if let format = TileImage.format(of: firstTile) { return format }
            throw problem(.format, "png or jpg", TileImage.name(of: firstTile) ?? "none")
        }
        switch text {
        case "png", "image/png": return .png
        case "jpg", "jpeg", "image/jpeg": return .jpeg
        case "tif", "tiff", "image/tiff": return .tiff
        default: throw problem(.format, "png or jpg: tiles of another format have to be converted", text)
        }
    }

    /// The manifest's word for how heights are coded; `nil` where nothing is said of it.
    func encoding() throws(Problem) -> String? {
        guard let text = self[.encoding]?.lowercased() else { return nil }
        switch text {
        case "terrarium": return "terrarium_png"
        case "mapbox", "terrain-rgb", "terrain_rgb", "terrainrgb": return "terrain_rgb_png"
        default: throw problem(.encoding, "terrarium or mapbox", text)
        }
    }

    /// The layer that the file alone makes.
    ///
    /// - Throws: a ``Problem`` of the kind `badTiles`; also where only the manifest could say what the tiles show.
    func layer() throws(Problem) -> TileLayer {
        let format = try format()
        let encoding = try encoding()
        guard encoding != nil || format == .jpeg else {
            throw problem(
                .encoding,
                "terrarium or mapbox, or a layer of \(TileManifest.file) that says what the tiles of this path show",
                "none"
            )
        }
        guard encoding == nil || format == .png else {
            throw problem(.format, "png, as heights are coded", format.rawValue)
        }
        guard let zooms else { throw Problem(.badTiles, file: file, expected: "tiles", found: "none") }
        let stem = file.split(separator: "/").last?.dropLast(".mbtiles".count) ?? ""
        var layer = TileLayer(
            kind: encoding == nil ? .satelliteImagery : .elevation,
            provider: TileLayer.unknown,
            layer: self[.name] ?? String(stem),
            format: format,
            path: file,
            zooms: zooms
        )
        layer.tileSize = tileSize(format) ?? layer.tileSize
        layer.encoding = encoding ?? ""
        layer.attribution = self[.attribution] ?? ""
        return layer
    }

    private func problem(_ key: Key, _ expected: String, _ found: String) -> Problem {
        let found = String(found.prefix(80))
        return Problem(.badTiles, file: file, field: "metadata.\(key.rawValue)", expected: expected, found: found)
    }
}
