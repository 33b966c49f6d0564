import Replay
import Text

/// GPX 1.1: a track for each line.
///
/// `ele` means metres above sea level, and is left out where only the height above the
/// ellipsoid is known.
enum GPXText {
    static func bytes(_ export: TrackExport, version: String) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <gpx version="1.1" creator="mapeverything \(XML.escaped(version))" xmlns="http://www.topografix.com/GPX/1/1">
            <metadata><name>\(XML.escaped(export.title))</name></metadata>

            """
        for track in export.tracks {
            text += "<trk><name>\(XML.escaped(track.name))</name><trkseg>\n"
            for point in track.points {
                text += "<trkpt lat=\"\(point.latitudeDegrees)\" lon=\"\(point.longitudeDegrees)\">"
                if let height = point.seaLevelMetres { text += "<ele>\(height)</ele>" }
                text += "<time>\(XML.time(point))</time></trkpt>\n"
            }
            text += "</trkseg></trk>\n"
        }
        return Array((text + "</gpx>\n").utf8)
    }
}

/// KML 2.2 with Google's `gx:Track`.
///
/// Heights are above sea level, as KML has them; a track of which they are not all
/// known lies on the ground.
enum KMLText {
    static func bytes(_ export: TrackExport) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document><name>\(XML.escaped(export.title))</name>

            """
        for track in export.tracks {
            let hasHeights = track.points.allSatisfy { $0.seaLevelMetres != nil }
            text += "<Placemark><name>\(XML.escaped(track.name))</name>\n<gx:Track>"
            text += "<altitudeMode>\(hasHeights ? "absolute" : "clampToGround")</altitudeMode>\n"
            for point in track.points { text += "<when>\(XML.time(point))</when>\n" }
            for point in track.points {
                let height = hasHeights ? point.seaLevelMetres ?? 0 : 0
                text += "<gx:coord>\(point.longitudeDegrees) \(point.latitudeDegrees) \(height)</gx:coord>\n"
            }
            text += "</gx:Track></Placemark>\n"
        }
        return Array((text + "</Document></kml>\n").utf8)
    }
}

/// RFC 7946: a line for each track and a point for each fix that has an accuracy; longitude, latitude and, where it is
/// known, the height above the ellipsoid.
///
/// Lines are cut at the antimeridian (clause 3.1.9).
enum GeoJSONText {
    static func bytes(_ export: TrackExport) -> [UInt8] {
        var features = export.tracks.compactMap(line)
        for track in export.tracks {
            features += track.points.filter { $0.accuracyMetres != nil }.map { point in
                feature(
                    "Point",
                    position(point),
                    [
                        ("time", .string(XML.time(point))), ("horizontal_accuracy_m", .number(point.accuracyMetres)),
                        ("altitude_above_sea_level_m", .number(point.seaLevelMetres)),
                    ]
                )
            }
        }
        let members: [(String, JSONValue)] = [
            ("type", "FeatureCollection"), ("name", .string(export.title)), ("features", .array(features)),
        ]
        return Array((JSONValue.object(members).text(style: .compact) + "\n").utf8)
    }

    private static func line(_ track: Track) -> JSONValue? {
        var parts: [[JSONValue]] = [[]]
        var last: TrackPoint?
        for point in track.points {
            if let last, abs(last.longitudeDegrees - point.longitudeDegrees) > 180 {
                let (before, after) = crossing(last, point)
                parts[parts.count - 1].append(before)
                parts.append([after])
            }
            parts[parts.count - 1].append(position(point))
            last = point
        }
        parts.removeAll { $0.count < 2 }
        guard let first = parts.first else { return nil }
        let properties: [(String, JSONValue)] = [
            ("name", .string(track.name)), ("points", .integer(track.points.count)),
            ("start", .string(track.points.first.map(XML.time))), ("end", .string(track.points.last.map(XML.time))),
        ]
        guard parts.count > 1 else { return feature("LineString", .array(first), properties) }
        return feature("MultiLineString", .array(parts.map { .array($0) }), properties)
    }

    /// Where a line leaves one side of the map, and where it comes back.
    private static func crossing(_ last: TrackPoint, _ point: TrackPoint) -> (JSONValue, JSONValue) {
        let edge: Double = last.longitudeDegrees > 0 ? 180 : -180
        let end = point.longitudeDegrees + 2 * edge
        let span = end - last.longitudeDegrees
        let share = span == 0 ? 0 : (edge - last.longitudeDegrees) / span
        let latitude = last.latitudeDegrees + (point.latitudeDegrees - last.latitudeDegrees) * share
        return (.array([.number(edge), .number(latitude)]), .array([.number(-edge), .number(latitude)]))
    }

    private static func position(_ point: TrackPoint) -> JSONValue {
        let values = [point.longitudeDegrees, point.latitudeDegrees] + (point.ellipsoidalMetres.map { [$0] } ?? [])
        return .array(values.map { .number($0) })
    }

    private static func feature(
        _ type: String,
        _ coordinates: JSONValue,
        _ properties: [(String, JSONValue)]
    ) -> JSONValue {
        let geometry: [(String, JSONValue)] = [("type", .string(type)), ("coordinates", coordinates)]
        return .object([
            ("type", .string("Feature")), ("geometry", .object(geometry)), ("properties", .object(properties)),
        ])
    }
}

private enum XML {
    static func time(_ point: TrackPoint) -> String {
        CalendarText.utc(nanoseconds: point.unixNanoseconds, fraction: true)
    }

    /// Text of a recording inside of an element or an attribute; characters that XML 1.0 cannot hold are dropped.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            default:
                if scalar.value >= 0x20, scalar.value != 0xFFFE, scalar.value != 0xFFFF {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
