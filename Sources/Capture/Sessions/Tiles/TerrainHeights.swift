import Codecs
package import Recording

/// Heights of the terrain by the elevation tiles of a session.
///
/// Of the tiles one is kept, decoded: along a track the next place is mostly on the same one.
package struct TerrainHeights {
    /// A height, and the layer that it is from.
    package struct Height: Sendable {
        package var metres: Double
        package var layer: TileLayer
    }

    private struct Place: Hashable {
        var layer: Int
        var address: TileAddress
    }

    /// Why there was no height at a place, the first time.
    package private(set) var reason: String?
    private let tiles: TileStore
    private var kept: (place: Place, raster: ElevationRaster)?
    /// The last places of each layer and zoom without a usable tile.
    private var misses: [Int: Place] = [:]

    package init(_ tiles: TileStore) {
        self.tiles = tiles
    }

    /// The height by the tile of the highest zoom, of the first layer that has one there; `nil` where none has.
    ///
    /// A tile that does not decode is a problem, counted once while the places stay on it.
    package mutating func height(
        latitudeDegrees: Double,
        longitudeDegrees: Double,
        _ diagnostics: inout Diagnostics
    ) -> Height? {
        for (index, layer) in tiles.layers.enumerated() where layer.kind == .elevation {
            guard let coding = ElevationCoding(layer.encoding, layer.format) else {
                reason = reason ?? "heights coded as \(layer.encoding) are not understood"
                continue
            }
            for zoom in layer.zooms.reversed() {
                let address = TileAddress(
                    latitudeDegrees: latitudeDegrees,
                    longitudeDegrees: longitudeDegrees,
                    zoom: zoom
                )
                guard let address else { continue }
                let place = Place(layer: index, address: address)
                guard let raster = raster(place, layer, coding, &diagnostics) else { continue }
                let pixel = address.pixel(
                    latitudeDegrees: latitudeDegrees,
                    longitudeDegrees: longitudeDegrees,
                    tileSize: layer.tileSize
                )
                if let metres = raster.metres(x: pixel.x, y: pixel.y) { return Height(metres: metres, layer: layer) }
                reason = reason ?? "the tiles have no height where the fixes are"
            }
        }
        return nil
    }

    private mutating func raster(
        _ place: Place,
        _ layer: TileLayer,
        _ coding: ElevationCoding,
        _ diagnostics: inout Diagnostics
    ) -> ElevationRaster? {
        if let kept, kept.place == place { return kept.raster }
        let key = place.layer << 8 | place.address.zoom
        guard misses[key] != place else { return nil }
        misses[key] = place
        // What cannot be loaded was counted where the tiles are published, or by a check.
        guard let bytes = try? tiles.load(layer, place.address) else { return nil }
        do throws(CodecError) {
            let raster = try ElevationRaster(bytes, coding, noDataMetres: layer.nodata?.metres)
            misses[key] = nil
            kept = (place, raster)
            return raster
        } catch {
            reason = reason ?? "the tile does not decode: \(error)"
            diagnostics.record(TileStore.problem(layer, place.address, expected: "heights", found: "\(error)"))
            return nil
        }
    }
}

extension TileNodata {
    fileprivate var metres: Double? {
        if case .metres(let metres) = self { metres } else { nil }
    }
}
