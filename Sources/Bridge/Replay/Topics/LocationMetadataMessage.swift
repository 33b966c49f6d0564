import Messages
import Recording
import Sessions
import Text

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
