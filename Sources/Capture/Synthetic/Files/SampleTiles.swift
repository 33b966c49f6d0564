import Recording

/// Which map tiles a sample has: of each layer one tile of the lower zoom, and of the higher one those around it.
enum SampleTiles {
    static let manifest = "tiles/manifest.json"

    static let satellite: TileLayer = {
        var layer = Self.layer(.satelliteImagery, "fields", .jpeg, "tiles/satellite", zooms: 16...17)
        layer.encoding = "xyz_jpeg"
        return layer
    }()

    static let elevation: TileLayer = {
        var layer = Self.layer(.elevation, "hills", .png, "tiles/dem", zooms: 12...13)
        layer.encoding = "terrarium_png"
        return layer
    }()

    static let layers = [satellite, elevation]

    /// The tiles of a layer, from the lowest zoom to the highest.
    static func addresses(_ layer: TileLayer) -> [TileAddress] {
        layer.zooms.flatMap { zoom -> [TileAddress] in
            let centre = TileAddress(
                latitudeDegrees: PhoneLocation.originLatitudeDegrees,
                longitudeDegrees: PhoneLocation.originLongitudeDegrees,
                zoom: zoom
            )
            guard let centre else { return [] }
            let reach = zoom == layer.zooms.upperBound ? 1 : 0
            return (-reach...reach).flatMap { row in
                (-reach...reach).compactMap { TileAddress(zoom: zoom, x: centre.x + $0, y: centre.y + row) }
            }
        }
    }

    /// Every file, relative to the session.
    static var files: [String] { [manifest] + layers.flatMap { layer in addresses(layer).map { layer.file($0) } } }

    /// Every folder, the outer ones first.
    static var folders: [String] {
        var folders = ["tiles"]
        for layer in layers {
            folders.append(layer.path)
            for address in addresses(layer) {
                for folder in ["\(layer.path)/\(address.zoom)", "\(layer.path)/\(address.zoom)/\(address.x)"]
                where !folders.contains(folder) {
                    folders.append(folder)
                }
            }
        }
        return folders
    }

    private static func layer(
        _ kind: TileKind,
        _ name: String,
        _ format: TileFormat,
        _ path: String,
        zooms: ClosedRange<Int>
    ) -> TileLayer {
        var layer = TileLayer(
            kind: kind,
            provider: "mapeverything_sample",
            layer: name,
            format: format,
            path: path,
            zooms: zooms
        )
        layer.attribution = "Made up by mapeverything sample"
        layer.license = "CC0-1.0"
        return layer
    }
}
