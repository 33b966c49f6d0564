import Recording
package import Replay
package import Sessions

/// A place on the Earth at a time.
struct TrackPoint: Sendable {
    var unixNanoseconds: Int64
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
    package enum Form: String, Sendable, CaseIterable {
        case gpx
        case geojson
        case kml
    }

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
        _ session: any Session,
        span: SpanRequest,
        anchor: EpochAnchor,
        keepsLimitedTracking: Bool,
        heights: FixHeights
    ) throws {
        title = session.summary.name
        let times = try span.times(of: session, anchor: anchor)
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
            tracks[1].points.append(Self.point(place, anchor.stamp(frame.time), heights))
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

    package func bytes(_ form: Form, version: String) -> [UInt8] {
        switch form {
        case .gpx: GPXText.bytes(self, version: version)
        case .geojson: GeoJSONText.bytes(self)
        case .kml: KMLText.bytes(self)
        }
    }

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
            unixNanoseconds: anchor.stamp(sample.time),
            latitudeDegrees: sample.latitudeDegrees,
            longitudeDegrees: sample.longitudeDegrees,
            ellipsoidalMetres: ellipsoidal,
            seaLevelMetres: altitude,
            accuracyMetres: sample.horizontalAccuracyMetres
        )
    }

    private static func point(_ position: Vector3, _ stamp: Int64, _ heights: FixHeights) -> TrackPoint {
        let (latitude, longitude) = Geodesy.place(position)
        let height = Geodesy.heightMetres(position, latitudeDegrees: latitude)
        return TrackPoint(
            unixNanoseconds: stamp,
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
