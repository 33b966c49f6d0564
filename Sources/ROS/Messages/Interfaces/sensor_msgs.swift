/// A measurement of an inertial unit: orientation, radians a second, metres a second squared (REP 145).
///
/// A covariance of zeros is unknown; -1 in its first element says that the quantity is not measured at all.
package struct Imu: Message {
    package static var typeName: String { "sensor_msgs/msg/Imu" }
    package static var nonFiniteFields: [String] {
        ["orientation_covariance", "angular_velocity_covariance", "linear_acceleration_covariance"]
    }

    package var header = Header()
    package var orientation = Quaternion()
    package var orientationCovariance: [9 of Double] = .init(repeating: 0)
    package var angularVelocity = Vector3()
    package var angularVelocityCovariance: [9 of Double] = .init(repeating: 0)
    package var linearAcceleration = Vector3()
    package var linearAccelerationCovariance: [9 of Double] = .init(repeating: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("orientation", &orientation)
        try visitor.field("orientation_covariance", &orientationCovariance)
        try visitor.field("angular_velocity", &angularVelocity)
        try visitor.field("angular_velocity_covariance", &angularVelocityCovariance)
        try visitor.field("linear_acceleration", &linearAcceleration)
        try visitor.field("linear_acceleration_covariance", &linearAccelerationCovariance)
    }
}

/// The kind of fix that a satellite receiver has, and the systems that it comes from.
package struct NavSatStatus: Message {
    package static var typeName: String { "sensor_msgs/msg/NavSatStatus" }
    package static var constants: [MessageConstant] {
        [
            MessageConstant("int8", "STATUS_UNKNOWN", "-2"),
            MessageConstant("int8", "STATUS_NO_FIX", "-1"),
            MessageConstant("int8", "STATUS_FIX", "0"),
            MessageConstant("int8", "STATUS_SBAS_FIX", "1"),
            MessageConstant("int8", "STATUS_GBAS_FIX", "2"),
            MessageConstant("uint16", "SERVICE_UNKNOWN", "0"),
            MessageConstant("uint16", "SERVICE_GPS", "1"),
            MessageConstant("uint16", "SERVICE_GLONASS", "2"),
            MessageConstant("uint16", "SERVICE_COMPASS", "4"),
            MessageConstant("uint16", "SERVICE_GALILEO", "8"),
        ]
    }

    package var status: Int8 = 0
    package var service: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("status", &status)
        try visitor.field("service", &service)
    }
}

/// A position on the WGS 84 ellipsoid.
package struct NavSatFix: Message {
    package static var typeName: String { "sensor_msgs/msg/NavSatFix" }
    package static var nonFiniteFields: [String] { ["altitude", "position_covariance"] }
    package static var constants: [MessageConstant] {
        [
            MessageConstant("uint8", "COVARIANCE_TYPE_UNKNOWN", "0"),
            MessageConstant("uint8", "COVARIANCE_TYPE_APPROXIMATED", "1"),
            MessageConstant("uint8", "COVARIANCE_TYPE_DIAGONAL_KNOWN", "2"),
            MessageConstant("uint8", "COVARIANCE_TYPE_KNOWN", "3"),
        ]
    }

    package var header = Header()
    package var status = NavSatStatus()
    /// Degrees, north positive.
    package var latitude: Double = 0
    /// Degrees, east positive.
    package var longitude: Double = 0
    /// Metres above the ellipsoid; not a number if there is none.
    package var altitude: Double = 0
    /// Square metres, 3 x 3 row by row: east, north, up.
    package var positionCovariance: [9 of Double] = .init(repeating: 0)
    package var positionCovarianceType: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("status", &status)
        try visitor.field("latitude", &latitude)
        try visitor.field("longitude", &longitude)
        try visitor.field("altitude", &altitude)
        try visitor.field("position_covariance", &positionCovariance)
        try visitor.field("position_covariance_type", &positionCovarianceType)
    }
}

extension NavSatStatus {
    package static let unknown: Int8 = -2
    package static let noFix: Int8 = -1
    package static let fix: Int8 = 0
    package static let serviceGPS: UInt16 = 1
}

extension NavSatFix {
    package static let covarianceUnknown: UInt8 = 0
    package static let covarianceApproximated: UInt8 = 1
    package static let covarianceDiagonalKnown: UInt8 = 2
}
