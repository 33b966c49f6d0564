/// The fields that messages of positions by a service begin with, after their header.
package struct ServicePosition: Sendable {
    package var service: String = ""
    package var latitude: Double = 0
    package var longitude: Double = 0
    package var altitude: Double = 0
    package var ellipsoidalAltitude: Double = 0
    package var horizontalAccuracy: Double = 0
    package var verticalAccuracy: Double = 0
    package var speed: Double = 0
    package var speedAccuracy: Double = 0
    package var course: Double = 0
    package var courseAccuracy: Double = 0

    package init() {}

    fileprivate mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("service", &service)
        try visitor.field("latitude", &latitude)
        try visitor.field("longitude", &longitude)
        try visitor.field("altitude", &altitude)
        try visitor.field("ellipsoidal_altitude", &ellipsoidalAltitude)
        try visitor.field("horizontal_accuracy", &horizontalAccuracy)
        try visitor.field("vertical_accuracy", &verticalAccuracy)
        try visitor.field("speed", &speed)
        try visitor.field("speed_accuracy", &speedAccuracy)
        try visitor.field("course", &course)
        try visitor.field("course_accuracy", &courseAccuracy)
    }
}

/// The data of a fix beyond NavSatFix: metres, metres a second, degrees.
package struct GPSMetadata: Message {
    package static var typeName: String { "mapeverything_msgs/msg/GPSMetadata" }
    package static var nonFiniteFields: [String] { ["altitude", "ellipsoidal_altitude"] }

    package var header = Header()
    package var position = ServicePosition()
    package var timestamp: String = ""
    package var unixTime: Double = 0
    package var ageSeconds: Double = 0
    package var validity: String = ""
    package var source: String = ""
    package var georeference: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try position.visit(&visitor)
        try visitor.field("timestamp", &timestamp)
        try visitor.field("unix_time", &unixTime)
        try visitor.field("age_seconds", &ageSeconds)
        try visitor.field("validity", &validity)
        try visitor.field("source", &source)
        try visitor.field("georeference", &georeference)
    }
}

/// A position from an indoor positioning service: metres, metres a second, degrees.
package struct IndoorLocalization: Message {
    package static var typeName: String { "mapeverything_msgs/msg/IndoorLocalization" }
    package static var nonFiniteFields: [String] { ["altitude", "ellipsoidal_altitude"] }

    package var header = Header()
    package var position = ServicePosition()
    package var floorAvailable: Bool = false
    package var floorLevel: Int32 = 0
    package var headingAvailable: Bool = false
    package var trueHeading: Double = 0
    package var magneticHeading: Double = 0
    package var headingAccuracy: Double = 0
    package var source: String = ""
    package var registrationQuality: String = ""
    package var timestamp: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try position.visit(&visitor)
        try visitor.field("floor_available", &floorAvailable)
        try visitor.field("floor_level", &floorLevel)
        try visitor.field("heading_available", &headingAvailable)
        try visitor.field("true_heading", &trueHeading)
        try visitor.field("magnetic_heading", &magneticHeading)
        try visitor.field("heading_accuracy", &headingAccuracy)
        try visitor.field("source", &source)
        try visitor.field("registration_quality", &registrationQuality)
        try visitor.field("timestamp", &timestamp)
    }
}

/// One observation of a radio or a network.
package struct RadioObservation: Message {
    package static var typeName: String { "mapeverything_msgs/msg/RadioObservation" }
    package static var nonFiniteFields: [String] { ["altitude"] }

    package var header = Header()
    package var sessionID: String = ""
    package var schemaVersion: UInt32 = 0
    package var channelID: String = ""
    package var observationKind: String = ""
    package var sourceAPI: String = ""
    package var sourceID: String = ""
    package var radioType: String = ""
    package var tags: [String] = []
    package var mapPositionAvailable: Bool = false
    package var mapPosition = Point()
    package var geodeticPositionAvailable: Bool = false
    package var latitude: Double = 0
    package var longitude: Double = 0
    package var altitude: Double = 0
    package var ssid: String = ""
    package var bssid: String = ""
    package var signalStrengthNormalized: Double = 0
    package var isSecure: Bool = false
    package var peripheralID: String = ""
    package var localName: String = ""
    package var serviceUUIDs: [String] = []
    package var isConnectable: Bool = false
    package var networkStatus: String = ""
    package var interfaceTypes: [String] = []
    package var isExpensive: Bool = false
    package var isConstrained: Bool = false
    package var frequencyHz: Double = 0
    package var rssiDbm: Double = 0
    package var snrDb: Double = 0
    package var quality: Double = 0
    package var roundTripTimeMs: Double = 0
    package var throughputBytesPerSecond: Double = 0
    package var success: Bool = false
    package var error: String = ""
    package var metadataJSON: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("session_id", &sessionID)
        try visitor.field("schema_version", &schemaVersion)
        try visitor.field("channel_id", &channelID)
        try visitor.field("observation_kind", &observationKind)
        try visitor.field("source_api", &sourceAPI)
        try visitor.field("source_id", &sourceID)
        try visitor.field("radio_type", &radioType)
        try visitor.field("tags", &tags)
        try visitor.field("map_position_available", &mapPositionAvailable)
        try visitor.field("map_position", &mapPosition)
        try visitor.field("geodetic_position_available", &geodeticPositionAvailable)
        try visitor.field("latitude", &latitude)
        try visitor.field("longitude", &longitude)
        try visitor.field("altitude", &altitude)
        try visitor.field("ssid", &ssid)
        try visitor.field("bssid", &bssid)
        try visitor.field("signal_strength_normalized", &signalStrengthNormalized)
        try visitor.field("is_secure", &isSecure)
        try visitor.field("peripheral_id", &peripheralID)
        try visitor.field("local_name", &localName)
        try visitor.field("service_uuids", &serviceUUIDs)
        try visitor.field("is_connectable", &isConnectable)
        try visitor.field("network_status", &networkStatus)
        try visitor.field("interface_types", &interfaceTypes)
        try visitor.field("is_expensive", &isExpensive)
        try visitor.field("is_constrained", &isConstrained)
        try visitor.field("frequency_hz", &frequencyHz)
        try visitor.field("rssi_dbm", &rssiDbm)
        try visitor.field("snr_db", &snrDb)
        try visitor.field("quality", &quality)
        try visitor.field("round_trip_time_ms", &roundTripTimeMs)
        try visitor.field("throughput_bytes_per_second", &throughputBytesPerSecond)
        try visitor.field("success", &success)
        try visitor.field("error", &error)
        try visitor.field("metadata_json", &metadataJSON)
    }
}
