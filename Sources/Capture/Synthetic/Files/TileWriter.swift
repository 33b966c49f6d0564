import Codecs
import Files
import Recording
import SessionLines
import SystemPackage

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
        var object = JSONObject()
        object.add("layers", SampleTiles.layers.map(Self.entry))
        try OutputFile.write(object.closed + [UInt8(ascii: "\n")], to: folder.root.appending(SampleTiles.manifest))
    }

    private static func entry(_ layer: TileLayer) -> JSONObject {
        var entry = JSONObject()
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
                let place = address.position(
                    pixelX: Double(column) + 0.5,
                    pixelY: Double(row) + 0.5,
                    tileSize: size
                )
                let (red, green, blue) = colour(place.latitudeDegrees, place.longitudeDegrees)
                pixels.append(red)
                pixels.append(green)
                pixels.append(blue)
            }
        }
        return RGBImage(width: size, height: size, pixels: pixels)
    }
}
