import Capture
import JSONText
import ROS
import Sessions

/// What CoreLocation knows of a fix and NavSatFix has no field for.
enum LocationMetadataMessage {
    /// The app's word for a value that is not known.
    private static let unknown = -1.0

    static func make(_ sample: LocationSample, header: Header, stamp: Int64, _ context: SourceContext) -> GPSMetadata {
        var message = GPSMetadata()
        message.header = header
        message.service = "core_location"
        message.latitude = sample.latitudeDegrees
        message.longitude = sample.longitudeDegrees
        message.altitude = sample.altitudeMetres ?? unknown
        message.ellipsoidalAltitude = sample.ellipsoidalAltitudeMetres ?? unknown
        message.horizontalAccuracy = sample.horizontalAccuracyMetres ?? unknown
        message.verticalAccuracy = sample.verticalAccuracyMetres ?? unknown
        message.speed = sample.speedMetresPerSecond ?? unknown
        message.speedAccuracy = sample.speedAccuracyMetresPerSecond ?? unknown
        message.course = sample.courseDegrees ?? unknown
        message.courseAccuracy = sample.courseAccuracyDegrees ?? unknown
        let unix = sample.unixNanoseconds ?? stamp
        message.timestamp = CalendarText.utc(nanoseconds: unix)
        message.unixTime = Double(unix) / 1e9
        message.ageSeconds = 0
        message.validity = validity(sample)
        message.source = #"{"produced_by_accessory":false,"simulated_by_software":false}"#
        message.georeference = georeference(context)
        return message
    }

    private static func validity(_ sample: LocationSample) -> String {
        let value: JSONValue = [
            "altitude": .bool(sample.altitudeMetres != nil),
            "coordinate": .bool(sample.horizontalAccuracyMetres != nil),
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
        let axes = context.frames == .ros ? "x=east,y=north,z=up" : "x=east,y=up,z=-north"
        guard let origin = context.summary.location.origin, context.earthFromMap != nil else {
            let value: JSONValue = [
                "map_axis_convention": .string(axes),
                "map_frame": .string(FrameName.map),
                "origin_established": .bool(false),
                "reason": .string("waiting_for_accurate_gps_origin"),
            ]
            return value.text()
        }
        let value: JSONValue = [
            "map_axis_convention": .string(axes),
            "map_frame": .string(FrameName.map),
            "origin": [
                "altitude": origin.altitudeMetres.map { .number($0) } ?? .null,
                "ellipsoidal_altitude": origin.ellipsoidalAltitudeMetres.map { .number($0) } ?? .null,
                "horizontal_accuracy": origin.horizontalAccuracyMetres.map { .number($0) } ?? .null,
                "latitude": .number(origin.latitudeDegrees),
                "longitude": .number(origin.longitudeDegrees),
            ],
            "origin_established": .bool(true),
        ]
        return value.text()
    }
}
