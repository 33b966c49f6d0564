/// What map tiles show.
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

/// What stands for "no height" in elevation tiles.
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
    /// What heights are above, in the words of their source, such as `EGM96`; `ellipsoid` for that of WGS 84.
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

    /// Whether the path is that of an MBTiles file.
    package var isDatabase: Bool { Self.isDatabase(path) }

    package static func isDatabase(_ path: String) -> Bool { path.lowercased().hasSuffix(".mbtiles") }

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
