import Messages
import Recording
import Sessions
import Text

private let pixelOrigin = "upper_left"
private let pixelUnits = "pixels"

extension GeoTileInfo {
    /// Fills in what is known of a tile, and where on it the device was; nested JSON has sorted keys, as the app's has.
    mutating func describe(_ tile: StoredTile, under fix: LocationSample, header: Header, stamp: Int64) {
        let (source, address) = (tile.layer, tile.address)
        self.header = header
        provider = source.provider
        layer = source.layer
        kind = source.kind.rawValue
        crs = TileLayer.crs
        zoom = UInt32(clamping: address.zoom)
        tileX = UInt32(clamping: address.x)
        tileY = UInt32(clamping: address.y)
        bounds = Self.bounds(address.bounds)
        let pixel = address.pixel(
            latitudeDegrees: fix.latitudeDegrees,
            longitudeDegrees: fix.longitudeDegrees,
            tileSize: source.tileSize
        )
        deviceLocation = Self.deviceLocation(fix, pixel, tileSize: source.tileSize, stamp: stamp)
        devicePixelX = pixel.x
        devicePixelY = pixel.y
        tileWidth = UInt32(clamping: source.tileSize)
        tileHeight = UInt32(clamping: source.tileSize)
        self.pixelOrigin = Translation.pixelOrigin
        self.pixelUnits = Translation.pixelUnits
        format = source.format.rawValue
        mimeType = source.mimeType
        sourceURL = source.sourceURL(address)
        attribution = source.attribution
        license = source.license
        sourcePolicy = Self.sourcePolicy(source, address)
        // Nothing is fetched: a tile of a session always comes from its own folder.
        isCached = true
        time = source.time ?? ""
    }

    private static func bounds(_ bounds: TileBounds) -> String {
        let value: JSONValue = [
            "east": .number(bounds.east),
            "north": .number(bounds.north),
            "south": .number(bounds.south),
            "west": .number(bounds.west),
        ]
        return value.text()
    }

    private static func deviceLocation(
        _ fix: LocationSample,
        _ pixel: (x: Double, y: Double),
        tileSize: Int,
        stamp: Int64
    ) -> String {
        // CoreLocation reports an unknown accuracy as a negative number.
        let value: JSONValue = [
            "altitude": fix.altitudeMetres.map { .number($0) } ?? .null,
            "horizontal_accuracy": .number(fix.horizontalAccuracyMetres ?? -1),
            "latitude": .number(fix.latitudeDegrees),
            "longitude": .number(fix.longitudeDegrees),
            "pixel": [
                "height": .integer(Int64(tileSize)),
                "origin": .string(Translation.pixelOrigin),
                "units": .string(Translation.pixelUnits),
                "width": .integer(Int64(tileSize)),
                "x": .number(pixel.x),
                "y": .number(pixel.y),
            ],
            "timestamp": .string(CalendarText.utc(nanoseconds: fix.unixNanoseconds ?? stamp)),
            "vertical_accuracy": .number(fix.verticalAccuracyMetres ?? -1),
        ]
        return value.text()
    }

    /// How a reader may use the tile, and what there is no other field for: what the pixels are, and their size.
    ///
    /// The tile is in the recording already, so nothing is fetched. What is not stated is `unknown`, and never assumed.
    private static func sourcePolicy(_ source: TileLayer, _ address: TileAddress) -> String {
        var members: [(String, JSONValue)] = [
            ("attribution", .said(source.attribution)),
            ("attribution_url", source.attributionURL.map { .string($0) } ?? .null),
            ("credential_requirement", "none"),
            ("encoding", .said(source.encoding)),
            ("recordable_by_default", true),
            ("requires_credentials", false),
            ("resolution_metres_per_pixel", .number(address.metresPerPixel(tileSize: source.tileSize))),
            ("transient_cache_only", false),
        ]
        if source.kind == .elevation {
            members += [("nodata", nodata(source.nodata)), ("vertical_datum", .said(source.verticalDatum ?? ""))]
        }
        let sorted = members.sorted { $0.0 < $1.0 }
        return JSONValue.object(JSONObject(sorted.map { JSONObject.Member(key: $0.0, value: $0.1) })).text()
    }

    private static func nodata(_ nodata: TileNodata?) -> JSONValue {
        switch nodata {
        case .none: .said("")
        case .nothing: "none"
        case .metres(let metres): .number(metres)
        }
    }
}

extension JSONValue {
    fileprivate static func said(_ text: String) -> JSONValue { .string(text.isEmpty ? TileLayer.unknown : text) }
}
