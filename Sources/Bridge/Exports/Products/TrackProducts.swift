import Platform

/// A file of tracks: its bytes, by the version of this program.
package struct TrackFile: Sendable {
    package let bytes: @Sendable (TrackExport, _ version: String) -> [UInt8]

    package init(bytes: @escaping @Sendable (TrackExport, String) -> [UInt8]) { self.bytes = bytes }
}

extension Product {
    private static func track(
        _ name: String,
        _ kind: OutputKind,
        _ bytes: @escaping @Sendable (TrackExport, String) -> [UInt8]
    ) -> Product {
        Product(name, .track(TrackFile(bytes: bytes))).with {
            ($0.ending, $0.kind, $0.options) = (name, kind, [.times, .heights])
            $0.ofBag = BagUse(types: FixSink.types, isFile: true)
        }
    }

    static let gpx = track(
        "gpx",
        OutputKind(name: "a GPX file of ours", starts: ["<?xml"], isMarked: true),
        GPXText.bytes
    )
    static let geoJSON = track(
        "geojson",
        OutputKind(name: "a GeoJSON file of ours", starts: ["{\"type\":\"FeatureCollection\",\"name\":"]),
        GeoJSONText.bytes
    )
    .with { $0.standsFor = ["shp", "shapefile", "json", "gps"] }
    static let kml = track(
        "kml",
        OutputKind(name: "a KML file", starts: ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<kml"]),
        KMLText.bytes
    )
    .with { $0.standsFor = ["kmz"] }
}
