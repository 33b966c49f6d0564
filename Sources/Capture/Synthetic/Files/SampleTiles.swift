import Codecs
import Platform
import Recording
import SystemPackage

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

/// Writes the map tiles of a sample and their manifest.
struct TileWriter {
    let folder: SessionFolder
    let options: SampleOptions

    func write() throws {
        for name in SampleTiles.folders { try folder.makeDirectory(folder.root.appending(name)) }
        let encoder = try JPEGEncoder()
        for address in SampleTiles.addresses(SampleTiles.satellite) {
            let image = Self.image(SampleTiles.satellite, address) { latitude, longitude in
                Terrain.colour(latitudeDegrees: latitude, longitudeDegrees: longitude)
            }
            let bytes = try encoder.encode(image, quality: options.jpegQuality)
            try OutputFile.write(bytes, to: folder.root.appending(SampleTiles.satellite.file(address)))
        }
        for address in SampleTiles.addresses(SampleTiles.elevation) {
            let image = Self.image(SampleTiles.elevation, address) { latitude, longitude in
                Terrain.terrarium(
                    metres: Terrain.elevationMetres(latitudeDegrees: latitude, longitudeDegrees: longitude)
                )
            }
            let bytes = try PNG.encode(image)
            try OutputFile.write(bytes, to: folder.root.appending(SampleTiles.elevation.file(address)))
        }
        try writeManifest()
    }

    private func writeManifest() throws(FileError) {
        var object = JSONLine()
        object.add("layers", SampleTiles.layers.map(Self.entry))
        try OutputFile.write(object.closed + [UInt8(ascii: "\n")], to: folder.root.appending(SampleTiles.manifest))
    }

    private static func entry(_ layer: TileLayer) -> JSONLine {
        var entry = JSONLine()
        entry.add("kind", string: layer.kind.rawValue)
        entry.add("provider", string: layer.provider)
        entry.add("layer", string: layer.layer)
        entry.add("crs", string: TileLayer.crs)
        entry.add("tile_size", layer.tileSize)
        entry.add("format", string: layer.format.rawValue)
        entry.add("mime_type", string: layer.mimeType)
        entry.add("extension", string: layer.fileExtension)
        entry.add("path", string: layer.path)
        entry.add("min_zoom", layer.zooms.lowerBound)
        entry.add("max_zoom", layer.zooms.upperBound)
        entry.add("encoding", string: layer.encoding)
        entry.add("attribution", string: layer.attribution)
        entry.add("license", string: layer.license)
        return entry
    }

    /// One tile; `colour` gives R, G and B at a latitude and a longitude, asked at the centre of each pixel.
    private static func image(
        _ layer: TileLayer,
        _ address: TileAddress,
        _ colour: (Double, Double) -> (UInt8, UInt8, UInt8)
    ) -> RGBImage {
        let size = layer.tileSize
        var pixels: [UInt8] = []
        pixels.reserveCapacity(3 * size * size)
        for row in 0..<size {
            for column in 0..<size {
                let place = address.position(pixelX: Double(column) + 0.5, pixelY: Double(row) + 0.5, tileSize: size)
                let (red, green, blue) = colour(place.latitudeDegrees, place.longitudeDegrees)
                pixels.append(red)
                pixels.append(green)
                pixels.append(blue)
            }
        }
        return RGBImage(width: size, height: size, pixels: pixels)
    }
}

/// The made-up land around the GPS origin: a wave of hills, with fields and roads on it.
enum Terrain {
    /// At the origin, above mean sea level: where the fixes are.
    static let baseMetres = PhoneLocation.originEllipsoidalAltitudeMetres - PhoneLocation.geoidHeightMetres
    static let amplitudeMetres = 120.0
    static let periodDegrees = 0.08

    /// Metres above mean sea level.
    static func elevationMetres(latitudeDegrees: Double, longitudeDegrees: Double) -> Double {
        let east = (longitudeDegrees - PhoneLocation.originLongitudeDegrees) / periodDegrees
        let north = (latitudeDegrees - PhoneLocation.originLatitudeDegrees) / periodDegrees
        return baseMetres + amplitudeMetres * sine(2 * .pi * east) * cosine(2 * .pi * north)
    }

    /// R, G and B of the Terrarium encoding: metres are R * 256 + G + B / 256 - 32768.
    static func terrarium(metres: Double) -> (UInt8, UInt8, UInt8) {
        let steps = Int(((metres + 32_768) * 256).rounded())
        let held = min(max(steps, 0), 0xFF_FFFF)
        return (
            UInt8(truncatingIfNeeded: held >> 16), UInt8(truncatingIfNeeded: held >> 8), UInt8(truncatingIfNeeded: held)
        )
    }

    /// The colour of the land from above: fields of about 90 m by 60 m between roads, each of its own green or brown.
    static func colour(latitudeDegrees: Double, longitudeDegrees: Double) -> (UInt8, UInt8, UInt8) {
        let column = (longitudeDegrees - PhoneLocation.originLongitudeDegrees) / 0.001_2
        let row = (latitudeDegrees - PhoneLocation.originLatitudeDegrees) / 0.000_55
        let (fieldX, fieldY) = (column.rounded(.down), row.rounded(.down))
        if column - fieldX < 0.06 || row - fieldY < 0.09 { return (176, 170, 160) }
        let place = UInt64(bitPattern: Int64(fieldX) &* 0x1_0000_0001 &+ Int64(fieldY))
        var random = SeededRandom(seed: 17, stream: place)
        let dryness = Double(random.uniform())
        let light = 0.8 + 0.2 * Double(random.uniform())
        return (
            UInt8((70 + 90 * dryness) * light), UInt8((130 - 10 * dryness) * light), UInt8((60 + 20 * dryness) * light)
        )
    }
}
