/// The content of map tiles.
package enum TileKind: String, Hashable, Sendable, CaseIterable {
    case satelliteImagery = "satellite_imagery"
    case elevation = "dem"
}

/// How the bytes of map tiles are coded.
package enum TileFormat: String, Hashable, Sendable, CaseIterable {
    case jpeg
    case png
    case tiff

    package var mimeType: String { "image/\(rawValue)" }

    package var fileExtension: String {
        switch self {
        case .jpeg: "jpg"
        case .png: "png"
        case .tiff: "tif"
        }
    }
}

/// The value for "no height" in elevation tiles.
package enum TileNodata: Hashable, Sendable {
    /// Nothing does: every pixel is a height.
    case nothing
    /// The decoded height that is none.
    case metres(Double)
}

/// Map tiles of one source, of one or more zooms, in Web Mercator.
package struct TileLayer: Hashable, Sendable {
    /// The only reference system that tiles are cut in.
    package static let crs = "EPSG:3857"
    /// Pixels a side.
    package static let sizes = 1...4096
    /// Stands in messages for what is not stated.
    package static let unknown = "unknown"

    package var kind: TileKind
    package var provider: String
    package var layer: String
    /// Pixels a side.
    package var tileSize = 256
    package var format: TileFormat
    package var mimeType: String
    package var fileExtension: String
    /// The folder of the tiles, or the MBTiles file that holds them, relative to the session.
    package var path: String
    package var zooms: ClosedRange<Int>
    /// How heights are coded in pixels, such as `terrarium_png`; of images, how they were served.
    package var encoding = ""
    /// `nil` where nothing is said of it.
    package var nodata: TileNodata?
    /// The zero of heights in the words of their source, such as `EGM96`; `ellipsoid` for that of WGS 84.
    package var verticalDatum: String?
    package var attribution = ""
    package var attributionURL: String?
    package var license = ""
    /// Where the tiles come from; `{z}`, `{x}` and `{y}` stand for those of a tile.
    package var sourceURL = ""
    /// The date that the tiles show, as their source writes it.
    package var time: String?

    package init(
        kind: TileKind,
        provider: String,
        layer: String,
        format: TileFormat,
        path: String,
        zooms: ClosedRange<Int>
    ) {
        self.kind = kind
        self.provider = provider
        self.layer = layer
        self.format = format
        self.path = path
        self.zooms = zooms
        mimeType = format.mimeType
        fileExtension = format.fileExtension
    }

    /// True if the path is that of an MBTiles file.
    package var isDatabase: Bool { Self.isDatabase(path) }

    package static func isDatabase(_ path: String) -> Bool { path.lowercased().hasSuffix(".mbtiles") }

    /// The tiles under a position, that of the highest zoom first.
    package func addresses(latitudeDegrees: Double, longitudeDegrees: Double) -> [TileAddress] {
        zooms.reversed().compactMap { zoom in
            TileAddress(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees, zoom: zoom)
        }
    }

    /// The file of a tile in a folder, relative to the session.
    package func file(_ address: TileAddress) -> String {
        "\(path)/\(address.zoom)/\(address.x)/\(address.y).\(fileExtension)"
    }

    /// Where a tile comes from.
    package func sourceURL(_ address: TileAddress) -> String {
        var result = ""
        var rest = sourceURL[...]
        let values = ["{z}": address.zoom, "{x}": address.x, "{y}": address.y]
        while let brace = rest.firstIndex(of: "{") {
            result += rest[..<brace]
            rest = rest[brace...]
            if let value = values[String(rest.prefix(3))] {
                result += String(value)
                rest = rest.dropFirst(3)
            } else {
                result.append("{")
                rest = rest.dropFirst()
            }
        }
        return result + rest
    }
}

/// A tile of the XYZ scheme over Web Mercator (EPSG:3857): x from west to east, y from north to south.
package struct TileAddress: Hashable, Sendable {
    /// Web Mercator ends here, where its map is a square.
    package static let maximumLatitudeDegrees = 85.051_128_78
    package static let zooms = 0...30
    /// The radius of Web Mercator's sphere, which is that of the WGS 84 ellipsoid's equator.
    private static let radiusMetres = 6_378_137.0

    package let zoom: Int
    package let x: Int
    package let y: Int

    /// `nil` for a tile that the zoom does not have.
    package init?(zoom: Int, x: Int, y: Int) {
        guard Self.zooms.contains(zoom), (0..<1 << zoom).contains(x), (0..<1 << zoom).contains(y) else { return nil }
        self.zoom = zoom
        self.x = x
        self.y = y
    }

    /// The tile that a position lies on; beyond the map's edges, the outermost one.
    ///
    /// `nil` for a zoom outside of the valid range, or a position that is not a number.
    package init?(latitudeDegrees: Double, longitudeDegrees: Double, zoom: Int) {
        guard Self.zooms.contains(zoom), latitudeDegrees.isFinite, longitudeDegrees.isFinite else { return nil }
        let place = Self.place(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees, zoom: zoom)
        let last = Double((1 << zoom) - 1)
        self.zoom = zoom
        x = Int(min(max(place.x.rounded(.down), 0), last))
        y = Int(min(max(place.y.rounded(.down), 0), last))
    }

    /// The edges in degrees.
    package var bounds: TileBounds {
        TileBounds(west: longitude(x), south: latitude(y + 1), east: longitude(x + 1), north: latitude(y))
    }

    /// Where a position is on this tile: pixels from its upper left corner, from 0 to `tileSize`.
    package func pixel(latitudeDegrees: Double, longitudeDegrees: Double, tileSize: Int) -> (x: Double, y: Double) {
        let place = Self.place(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees, zoom: zoom)
        let size = Double(tileSize)
        return (min(max((place.x - Double(x)) * size, 0), size), min(max((place.y - Double(y)) * size, 0), size))
    }

    /// The position of a pixel, which may be a fraction, from the upper left corner of this tile.
    package func position(
        pixelX: Double,
        pixelY: Double,
        tileSize: Int
    ) -> (latitudeDegrees: Double, longitudeDegrees: Double) {
        let size = Double(tileSize)
        return (
            latitude(Double(y) + pixelY / size, tiles: Double(1 << zoom)),
            (Double(x) + pixelX / size) / Double(1 << zoom) * 360 - 180
        )
    }

    /// The size of a pixel on the ground at the latitude of the tile's middle.
    package func metresPerPixel(tileSize: Int) -> Double {
        let tiles = Double(1 << zoom)
        let middle = latitude(Double(y) + 0.5, tiles: tiles) * .pi / 180
        return 2 * .pi * Self.radiusMetres * cosine(middle) / (tiles * Double(tileSize))
    }

    /// In tiles from the north-west corner of the map: the spherical Mercator projection (EPSG 9.0, method 1024).
    private static func place(latitudeDegrees: Double, longitudeDegrees: Double, zoom: Int) -> (x: Double, y: Double) {
        let latitude = min(max(latitudeDegrees, -maximumLatitudeDegrees), maximumLatitudeDegrees) * .pi / 180
        let tiles = Double(1 << zoom)
        // ln(tan φ + sec φ), where tan and sec are of one sine.
        let sinLatitude = sine(latitude)
        let stretched = naturalLogarithm((1 + sinLatitude) / (1 - sinLatitude)) / 2
        return ((longitudeDegrees + 180) / 360 * tiles, (1 - stretched / .pi) / 2 * tiles)
    }

    private func longitude(_ column: Int) -> Double { Double(column) / Double(1 << zoom) * 360 - 180 }

    private func latitude(_ row: Int) -> Double { latitude(Double(row), tiles: Double(1 << zoom)) }

    private func latitude(_ row: Double, tiles: Double) -> Double {
        arcTangent(hyperbolicSine(.pi * (1 - 2 * row / tiles)), 1) * 180 / .pi
    }
}

/// The edges of a tile in degrees.
package struct TileBounds: Hashable, Sendable {
    package var west: Double
    package var south: Double
    package var east: Double
    package var north: Double
}
