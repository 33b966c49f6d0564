/// Which map tile an image is, and where the device is on it.
package struct GeoTileInfo: Message {
    package static var typeName: String { "mapeverything_msgs/msg/GeoTileInfo" }

    package var header = Header()
    package var provider: String = ""
    package var layer: String = ""
    package var kind: String = ""
    package var crs: String = ""
    package var zoom: UInt32 = 0
    package var tileX: UInt32 = 0
    package var tileY: UInt32 = 0
    package var bounds: String = ""
    package var deviceLocation: String = ""
    package var devicePixelX: Double = 0
    package var devicePixelY: Double = 0
    package var tileWidth: UInt32 = 0
    package var tileHeight: UInt32 = 0
    package var pixelOrigin: String = ""
    package var pixelUnits: String = ""
    package var format: String = ""
    package var mimeType: String = ""
    package var sourceURL: String = ""
    package var attribution: String = ""
    package var license: String = ""
    package var sourcePolicy: String = ""
    package var isCached: Bool = false
    package var time: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("provider", &provider)
        try visitor.field("layer", &layer)
        try visitor.field("kind", &kind)
        try visitor.field("crs", &crs)
        try visitor.field("zoom", &zoom)
        try visitor.field("tile_x", &tileX)
        try visitor.field("tile_y", &tileY)
        try visitor.field("bounds", &bounds)
        try visitor.field("device_location", &deviceLocation)
        try visitor.field("device_pixel_x", &devicePixelX)
        try visitor.field("device_pixel_y", &devicePixelY)
        try visitor.field("tile_width", &tileWidth)
        try visitor.field("tile_height", &tileHeight)
        try visitor.field("pixel_origin", &pixelOrigin)
        try visitor.field("pixel_units", &pixelUnits)
        try visitor.field("format", &format)
        try visitor.field("mime_type", &mimeType)
        try visitor.field("source_url", &sourceURL)
        try visitor.field("attribution", &attribution)
        try visitor.field("license", &license)
        try visitor.field("source_policy", &sourcePolicy)
        try visitor.field("is_cached", &isCached)
        try visitor.field("time", &time)
    }
}

/// A raster map tile with its bytes: the fields of its description, and two of its own.
package struct GeoRasterTile: Message {
    package static var typeName: String { "mapeverything_msgs/msg/GeoRasterTile" }

    package var info = GeoTileInfo()
    package var encoding: String = ""
    /// Base64 text, as the app has it: a string, not bytes.
    package var data: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try info.visit(&visitor)
        try visitor.field("encoding", &encoding)
        try visitor.field("data", &data)
    }
}
