import Recording
package import Sessions
import Text
package import Translation

/// A place on the Earth at a time.
struct TrackPoint: Sendable {
    /// `nil` where the wall clock is not known.
    var unixNanoseconds: Int64?
    var latitudeDegrees: Double
    var longitudeDegrees: Double
    /// Above the WGS 84 ellipsoid.
    var ellipsoidalMetres: Double?
    /// Above mean sea level.
    var seaLevelMetres: Double?
    /// The radius of the circle that holds the place with 68 %.
    var accuracyMetres: Double?
}

/// A line of places, with a name for people.
struct Track: Sendable {
    var name: String
    var points: [TrackPoint]
}

/// Where a recording went: its fixes, and the camera's way where that has a place on the Earth.
package struct TrackExport: Sendable {
    private(set) var tracks: [Track]
    package let title: String
    /// Frames that the camera's way leaves out for their tracking.
    package private(set) var limitedTracking = 0
    package private(set) var diagnostics = Diagnostics()

    /// The camera is taken once a second: it moves with the fixes.
    private static let cameraHertz = 1.0

    init(title: String, tracks: [Track]) {
        self.title = title
        self.tracks = tracks
    }

    /// - Parameter heights: gives heights above sea level and above the ellipsoid where only the other is known.
    /// - Throws: an ``ExportError`` where the session has no fix.
    package init(
        _ recording: OpenedRecording,
        span: SpanRequest,
        keepsLimitedTracking: Bool,
        heights: FixHeights
    ) throws {
        let (session, anchor) = (recording.session, recording.clock)
        title = session.summary.name
        let times = try recording.times(span)
        tracks = [Track(name: "GPS fixes", points: []), Track(name: "camera", points: [])]
        let georeference = try Georeference(session, GeoreferenceRequest(), heights: heights)
        var rule = FrameRule()
        rule.framesPerSecond = Self.cameraHertz
        rule.keepsLimitedTracking = keepsLimitedTracking
        let request = RecordRequest(span: times, streams: [.frames, .location], resolvesPayloads: false)
        let walk = try FrameWalk(session, request, rule)
        var fixes: [TrackPoint] = []
        while let frame = try walk.nextFrame(
            takesPicture: false,
            others: { if case .location(let sample) = $0 { fixes.append(Self.point(sample, anchor, heights)) } }
        )?.frame {
            guard let earthFromWorld = georeference.earthFromWorld else { continue }
            let place = earthFromWorld * frame.worldFromCamera.translation
            tracks[1].points.append(Self.point(place, anchor.unixNanoseconds(frame.time), heights))
        }
        tracks[0].points = fixes
        diagnostics = walk.diagnostics()
        limitedTracking = walk.limitedTracking
        tracks.removeAll { $0.points.isEmpty }
        guard !tracks.isEmpty else {
            let lost = diagnostics.lostCount
            throw ExportError.missing(
                format: "gpx, geojson and kml",
                needs: "GPS fixes",
                found: "none" + (lost > 0 ? "; \(lost) lines or files of the session cannot be read" : "")
            )
        }
    }

    package var pointCount: Int { tracks.reduce(0) { $0 + $1.points.count } }

    /// The names of the tracks, with the number of their points.
    package var counts: [(name: String, count: Int)] { tracks.map { ($0.name, $0.points.count) } }

    private static func point(_ sample: LocationSample, _ anchor: EpochAnchor, _ heights: FixHeights) -> TrackPoint {
        let ellipsoidal = heights.height(of: sample)?.metres
        let altitude =
            sample.altitudeMetres
            ?? ellipsoidal.flatMap {
                heights.altitude(
                    ellipsoidalMetres: $0,
                    latitudeDegrees: sample.latitudeDegrees,
                    longitudeDegrees: sample.longitudeDegrees
                )
            }
        return TrackPoint(
            unixNanoseconds: anchor.unixNanoseconds(sample.time),
            latitudeDegrees: sample.latitudeDegrees,
            longitudeDegrees: sample.longitudeDegrees,
            ellipsoidalMetres: ellipsoidal,
            seaLevelMetres: altitude,
            accuracyMetres: sample.horizontalAccuracyMetres
        )
    }

    private static func point(_ position: Vector3, _ time: Int64?, _ heights: FixHeights) -> TrackPoint {
        let (latitude, longitude) = Geodesy.place(position)
        let height = Geodesy.heightMetres(position, latitudeDegrees: latitude)
        return TrackPoint(
            unixNanoseconds: time,
            latitudeDegrees: latitude,
            longitudeDegrees: longitude,
            ellipsoidalMetres: height,
            seaLevelMetres: heights.altitude(
                ellipsoidalMetres: height,
                latitudeDegrees: latitude,
                longitudeDegrees: longitude
            )
        )
    }
}

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
                text += (XML.time(point).map { "<time>\($0)</time>" } ?? "") + "</trkpt>\n"
            }
            text += "</trkseg></trk>\n"
        }
        return Array((text + "</gpx>\n").utf8)
    }
}

/// KML 2.2 with Google's `gx:Track`, or a line where the times are not known.
///
/// Heights are above sea level, as KML has them; a track of which they are not all
/// known lies on the ground.
enum KMLText {
    static func bytes(_ export: TrackExport, version: String) -> [UInt8] {
        var text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document><name>\(XML.escaped(export.title))</name>

            """
        for track in export.tracks {
            let hasHeights = track.points.allSatisfy { $0.seaLevelMetres != nil }
            let times = track.points.compactMap(XML.time)
            let hasTimes = times.count == track.points.count
            let element = hasTimes ? "gx:Track" : "LineString"
            text += "<Placemark><name>\(XML.escaped(track.name))</name>\n<\(element)>"
            text += "<altitudeMode>\(hasHeights ? "absolute" : "clampToGround")</altitudeMode>\n"
            if hasTimes { for time in times { text += "<when>\(time)</when>\n" } }
            let separator = hasTimes ? " " : ","
            let places = track.points.map { point in
                let height = hasHeights ? point.seaLevelMetres ?? 0 : 0
                return "\(point.longitudeDegrees)\(separator)\(point.latitudeDegrees)\(separator)\(height)"
            }
            if hasTimes {
                for place in places { text += "<gx:coord>\(place)</gx:coord>\n" }
            } else {
                text += "<coordinates>\(places.joined(separator: " "))</coordinates>\n"
            }
            text += "</\(element)></Placemark>\n"
        }
        return Array((text + "</Document></kml>\n").utf8)
    }
}

/// RFC 7946: a line for each track and a point for each fix that has an accuracy; longitude, latitude and, where it is
/// known, the height above the ellipsoid.
///
/// Lines are cut at the antimeridian (clause 3.1.9).
enum GeoJSONText {
    static func bytes(_ export: TrackExport, version: String) -> [UInt8] {
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
            ("start", .string(track.points.first.flatMap(XML.time))),
            ("end", .string(track.points.last.flatMap(XML.time))),
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
    static func time(_ point: TrackPoint) -> String? {
        point.unixNanoseconds.map { CalendarText.utc(nanoseconds: $0, fraction: true) }
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
