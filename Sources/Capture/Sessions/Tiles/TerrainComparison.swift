import Codecs
package import Recording

/// How high the location fixes of a session lie above the terrain that its elevation tiles show.
///
/// A phone in the hand is a metre or two above the ground: other differences speak of the fixes, of the terrain, or of
/// heights above different seas.
package struct TerrainComparison: Sendable {
    /// The zero of the fixes' heights.
    package enum Reference: String, Sendable {
        case seaLevel = "sea level"
        case ellipsoid = "the ellipsoid"
    }

    /// Fix minus terrain.
    package struct Differences: Sendable {
        package var medianMetres: Double
        /// A tenth of the fixes lies lower, and a tenth higher.
        package var lowMetres: Double
        package var highMetres: Double
    }

    package private(set) var fixCount = 0
    package private(set) var comparedCount = 0
    package private(set) var differences: Differences?
    package private(set) var reference: Reference?
    /// The vertical datums of the tiles that were used, in their sources' words; ``TileLayer/unknown`` among them.
    package private(set) var datums: [String] = []
    /// Why nothing is compared; `nil` where something is.
    package private(set) var reason: String?

    /// - Parameter fixes: those to compare, which may be a selection.
    package init(_ fixes: [LocationSample], _ tiles: TileStore, _ diagnostics: inout Diagnostics) {
        fixCount = fixes.count
        guard tiles.has(.elevation) else {
            reason = "the session has no elevation tiles"
            return
        }
        guard !fixes.isEmpty else {
            reason = "the session has no GPS fixes"
            return
        }
        var terrain = TerrainHeights(tiles)
        // Both at once would be two kinds of differences: the kind of the first tile decides.
        var metres: [Double] = []
        var missing: Reference?
        for fix in fixes {
            let height = terrain.height(
                latitudeDegrees: fix.latitudeDegrees,
                longitudeDegrees: fix.longitudeDegrees,
                &diagnostics
            )
            guard let height else { continue }
            let reference: Reference = height.layer.isAboveEllipsoid ? .ellipsoid : .seaLevel
            guard let own = fix.height(above: reference) else {
                missing = missing ?? reference
                continue
            }
            guard self.reference ?? reference == reference else { continue }
            self.reference = reference
            metres.append(own - height.metres)
            let datum = height.layer.verticalDatum ?? TileLayer.unknown
            if !datums.contains(datum) { datums.append(datum) }
        }
        comparedCount = metres.count
        datums.sort()
        guard !metres.isEmpty else {
            reason =
                missing.map { "the fixes have no height above \($0.rawValue), as the tiles have" }
                ?? terrain.reason ?? "no elevation tile covers the fixes"
            return
        }
        metres.sort()
        func quantile(_ share: Double) -> Double { metres[Int((Double(metres.count - 1) * share).rounded())] }
        differences = Differences(medianMetres: quantile(0.5), lowMetres: quantile(0.1), highMetres: quantile(0.9))
    }
}

extension TileLayer {
    /// True if heights are above the WGS 84 ellipsoid; any other datum, known or not, is taken for one of sea level.
    fileprivate var isAboveEllipsoid: Bool {
        guard let datum = verticalDatum?.lowercased() else { return false }
        return ["ellipsoid", "wgs84", "wgs 84", "epsg:4979"].contains(datum)
    }
}

extension LocationSample {
    fileprivate func height(above reference: TerrainComparison.Reference) -> Double? {
        switch reference {
        case .seaLevel: altitudeMetres
        case .ellipsoid: ellipsoidalAltitudeMetres
        }
    }
}

/// Heights of the terrain by the elevation tiles of a session.
///
/// One decoded tile is kept: along a track the next place is mostly on the same one.
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
            for address in layer.addresses(latitudeDegrees: latitudeDegrees, longitudeDegrees: longitudeDegrees) {
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
        let bytes: [UInt8]
        do throws(Problem) {
            guard let loaded = try tiles.load(layer, place.address) else { return nil }
            bytes = loaded
        } catch {
            reason = reason ?? "the tile does not decode: \(error.found)"
            return nil
        }
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
