import Messages
import Recording
import Sessions
import Text

/// The GPS fix, what NavSatFix has no room for, and where the fix lies in the map.
struct LocationTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.location)
    let rateHertz: Double?
    private let fix: Topic?
    private let metadata: Topic?
    private let odometry: (topic: Topic, message: LocationOdometryMessage)?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        fix = context.topic(.locationFix)
        metadata = context.topic(.locationMetadata)
        odometry = context.topic(.locationOdometry).flatMap { topic in
            LocationOdometryMessage(context).map { (topic, $0) }
        }
        topics = [fix, metadata, odometry?.topic].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.locationFix)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .location(let sample) = item.record else { return }
        let header = Header(stampNanoseconds: stamp, frameID: context.conventions.axes.locationFrame)
        if let fix {
            let message = navSatFix(sample, header: header)
            batch.append(StampedMessage(topic: fix, timeNanoseconds: stamp, message: message))
        }
        if let metadata {
            let message = LocationMetadataMessage.make(sample, header: header, stamp: stamp, context)
            batch.append(StampedMessage(topic: metadata, timeNanoseconds: stamp, message: message))
        }
        if let odometry {
            let message = odometry.message.make(sample, stamp: stamp)
            batch.append(StampedMessage(topic: odometry.topic, timeNanoseconds: stamp, message: message))
        }
    }

    private func navSatFix(_ sample: LocationSample, header: Header) -> NavSatFix {
        var message = NavSatFix()
        message.header = header
        message.latitude = sample.latitudeDegrees
        message.longitude = sample.longitudeDegrees
        switch context.conventions.location {
        case .ros: fill(&message, sample)
        case .app: fillAsApp(&message, sample)
        }
        return message
    }

    /// Altitude above the ellipsoid, by the geoid where only the height above sea level was recorded, or else NaN; a fix
    /// wherever there is a place, with what is known of its accuracy (NavSatFix.msg).
    private func fill(_ message: inout NavSatFix, _ sample: LocationSample) {
        message.status.status = NavSatStatus.fix
        message.status.service = NavSatStatus.serviceGPS
        message.altitude = context.heights.height(of: sample)?.metres ?? .nan
        guard let horizontal = sample.horizontalSigmaMetres, let radius = sample.horizontalAccuracyMetres else {
            return
        }
        let vertical = sample.verticalAccuracyMetres.flatMap { $0 > 0 ? $0 : nil }
        // Without a vertical accuracy, the horizontal radius stands for the vertical deviation: heights are less exact.
        setDiagonal(&message, horizontal, vertical ?? radius)
        message.positionCovarianceType =
            vertical == nil ? NavSatFix.covarianceApproximated : NavSatFix.covarianceDiagonalKnown
    }

    /// Altitude above sea level; no fix without an accuracy, which is squared as if it were that of each axis.
    private func fillAsApp(_ message: inout NavSatFix, _ sample: LocationSample) {
        message.status.status = NavSatStatus.noFix
        message.altitude = sample.altitudeMetres ?? 0
        guard let horizontal = sample.horizontalAccuracyMetres else { return }
        message.status.status = NavSatStatus.fix
        message.status.service = NavSatStatus.serviceGPS
        let vertical = sample.verticalAccuracyMetres
        setDiagonal(&message, horizontal, vertical ?? horizontal)
        message.positionCovarianceType =
            vertical == nil ? NavSatFix.covarianceApproximated : NavSatFix.covarianceDiagonalKnown
    }

    private func setDiagonal(_ message: inout NavSatFix, _ horizontal: Double, _ vertical: Double) {
        message.positionCovariance[0] = horizontal * horizontal
        message.positionCovariance[4] = horizontal * horizontal
        message.positionCovariance[8] = vertical * vertical
    }
}

/// Where a fix lies in `map`, with the covariance of the fix alone, as filters that fuse positions expect it.
struct LocationOdometryMessage {
    private let mapFromEarth: Recording.Transform
    private let heights: FixHeights
    private let originHeightMetres: Double
    private let axes: FramePolicy

    /// The variance of values that a fix does not give: its attitude and, mostly, its height and velocity.
    private static let unknownVariance = 1e6

    /// - Returns: `nil` without a place of the map on the Earth.
    init?(_ context: SourceContext) {
        let georeference = context.georeference
        guard let earthFromMap = georeference.earthFromMap(context.axes), let origin = georeference.origin else {
            return nil
        }
        mapFromEarth = earthFromMap.inverse
        heights = context.heights
        originHeightMetres = origin.heightMetres
        axes = context.axes
    }

    func make(_ sample: LocationSample, stamp: Int64) -> Odometry {
        let height = heights.height(of: sample)?.metres
        let position = Geodesy.earthPosition(
            latitudeDegrees: sample.latitudeDegrees,
            longitudeDegrees: sample.longitudeDegrees,
            heightMetres: height ?? originHeightMetres
        )
        var message = Odometry()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.childFrameID = FrameName.gps
        message.pose.pose = pose(Recording.Transform(rotation: .identity, translation: mapFromEarth * position))
        let horizontal = sample.horizontalSigmaMetres.map { $0 * $0 } ?? Self.unknownVariance
        let upVariance = height == nil ? nil : sample.verticalSigmaMetres.map { $0 * $0 }
        // East and north have the same variance, so that a turn about the vertical leaves them as they are.
        let up = axes == .ros ? 2 : 1
        for axis in 0..<6 {
            let linear = axis == up ? upVariance ?? Self.unknownVariance : horizontal
            message.pose.covariance[axis * 7] = axis < 3 ? linear : Self.unknownVariance
            message.twist.covariance[axis * 7] = Self.unknownVariance
        }
        return message
    }
}

/// The message with the properties of a fix that CoreLocation knows and NavSatFix has no field for.
enum LocationMetadataMessage {
    static func make(_ sample: LocationSample, header: Header, stamp: Int64, _ context: SourceContext) -> GPSMetadata {
        var message = GPSMetadata()
        message.header = header
        message.position = ServicePosition(sample, service: "core_location")
        let unix = sample.unixNanoseconds ?? stamp
        message.timestamp = CalendarText.utc(nanoseconds: unix)
        message.unixTime = Double(unix) / 1e9
        message.ageSeconds = 0
        message.validity = validity(sample, context)
        // Sessions do not say where a fix comes from; the app always writes both members.
        if context.conventions.location == .app {
            message.source = #"{"produced_by_accessory":false,"simulated_by_software":false}"#
        }
        message.georeference = georeference(context)
        return message
    }

    private static func validity(_ sample: LocationSample, _ context: SourceContext) -> String {
        let value: JSONValue = [
            "altitude": .bool(sample.altitudeMetres != nil),
            "coordinate": .bool(sample.horizontalAccuracyMetres != nil || context.conventions.location == .ros),
            "course": .bool(sample.courseDegrees != nil),
            "course_accuracy": .bool(sample.courseAccuracyDegrees != nil),
            "horizontal_accuracy": .bool(sample.horizontalAccuracyMetres != nil),
            "speed": .bool(sample.speedMetresPerSecond != nil),
            "speed_accuracy": .bool(sample.speedAccuracyMetresPerSecond != nil),
            "vertical_accuracy": .bool(sample.verticalAccuracyMetres != nil),
        ]
        return value.text()
    }

    private static func georeference(_ context: SourceContext) -> String {
        let georeference = context.georeference
        let isApp = context.conventions.location == .app
        var members: [String: JSONValue] = ["map_frame": .string(FrameName.map)]
        // How the app describes a map that is aligned to heading; of any other map it would be wrong.
        if georeference.heading.degrees == 0 {
            members["map_axis_convention"] = .string(context.conventions.axes.axisConvention)
        }
        if !isApp {
            members["georeference_mode"] = .string(georeference.mode.rawValue)
            members["map_heading_degrees"] = number(georeference.heading.degrees)
            members["map_heading_sigma_degrees"] = number(georeference.heading.chosen?.sigmaDegrees)
            members["map_heading_source"] = .string(georeference.heading.source)
        }
        members["origin_established"] = .bool(georeference.origin != nil)
        if let origin = georeference.origin {
            members["origin"] = self.origin(origin)
            if !isApp, let method = georeference.method { members["origin_source"] = .string(method) }
        } else {
            members["reason"] = .string(
                isApp ? "waiting_for_accurate_gps_origin" : georeference.reasonForAbsence ?? ""
            )
        }
        let sorted = members.sorted { $0.key < $1.key }.map { JSONObject.Member(key: $0.key, value: $0.value) }
        return JSONValue.object(JSONObject(sorted)).text()
    }

    /// A fix as it was recorded, or the place that all of them made.
    private static func origin(_ origin: GeoreferenceOrigin) -> JSONValue {
        let fix = origin.fix
        let accuracy = fix == nil ? origin.horizontalAccuracyMetres : fix?.horizontalAccuracyMetres
        return [
            "altitude": number(fix?.altitudeMetres),
            "ellipsoidal_altitude": number(fix == nil ? origin.heightMetres : fix?.ellipsoidalAltitudeMetres),
            "horizontal_accuracy": number(accuracy),
            "latitude": .number(origin.latitudeDegrees),
            "longitude": .number(origin.longitudeDegrees),
        ]
    }

    private static func number(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
}

extension ServicePosition {
    /// The placeholder that the app writes for an unknown value.
    static let unknown = -1.0

    init(_ sample: LocationSample, service: String) {
        self.init()
        self.service = service
        latitude = sample.latitudeDegrees
        longitude = sample.longitudeDegrees
        altitude = sample.altitudeMetres ?? Self.unknown
        ellipsoidalAltitude = sample.ellipsoidalAltitudeMetres ?? Self.unknown
        horizontalAccuracy = sample.horizontalAccuracyMetres ?? Self.unknown
        verticalAccuracy = sample.verticalAccuracyMetres ?? Self.unknown
        speed = sample.speedMetresPerSecond ?? Self.unknown
        speedAccuracy = sample.speedAccuracyMetresPerSecond ?? Self.unknown
        course = sample.courseDegrees ?? Self.unknown
        courseAccuracy = sample.courseAccuracyDegrees ?? Self.unknown
    }
}
