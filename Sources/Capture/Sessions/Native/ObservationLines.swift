import Recording
import Text

/// A line of gps.jsonl: one location fix.
///
/// A negative value, a place or height accurate to 0 m, or an absent key means not known.
enum LocationLine {
    static let file = "gps.jsonl"

    static let table = StreamTable(
        file: file,
        blank: LocationSample.blank,
        missing: .badLocation,
        bad: .badLocation,
        [
            .required("timestamp", .captureTime) { $0.time = $1 },
            .required("latitude", .latitude) { $0.latitudeDegrees = $1 },
            .required("longitude", .longitude) { $0.longitudeDegrees = $1 },
        ] + details(of: \.self) + [.optional("floor", .wholeNumber) { $0.floor = $1 }]
    )

    /// The fields of a fix other than its time and place.
    static func details<Line>(of place: any WritableKeyPath<Line, LocationSample> & Sendable) -> [StreamField<Line>] {
        [
            .optional("altitude", .metres) { $0[keyPath: place].altitudeMetres = $1 },
            .optional("ellipsoidal_altitude", .metres) { $0[keyPath: place].ellipsoidalAltitudeMetres = $1 },
            // No place is known to the millimetre: CoreLocation's 0 is a place that is not known.
            .optional("horizontal_accuracy", .metres) {
                $0[keyPath: place].horizontalAccuracyMetres = $1 > 0 ? $1 : nil
            },
            .optional("vertical_accuracy", .metres) { $0[keyPath: place].verticalAccuracyMetres = $1 > 0 ? $1 : nil },
            .optional("speed", .speed) { $0[keyPath: place].speedMetresPerSecond = $1 >= 0 ? $1 : nil },
            .optional("speed_accuracy", .speed) {
                $0[keyPath: place].speedAccuracyMetresPerSecond = $1 >= 0 ? $1 : nil
            },
            .optional("course", .angle) { $0[keyPath: place].courseDegrees = $1 >= 0 ? $1 : nil },
            .optional("course_accuracy", .angle) { $0[keyPath: place].courseAccuracyDegrees = $1 >= 0 ? $1 : nil },
            .optional("unix_time", .nanoseconds("seconds above 0", above: 0)) {
                $0[keyPath: place].unixNanoseconds = $1
            },
        ]
    }
}

/// A line of heading.jsonl: what the compass said; a negative value is not known, as with CoreLocation.
enum HeadingLine {
    static let file = "heading.jsonl"

    static let table = StreamTable(
        file: file,
        blank: HeadingSample(time: Timestamp(nanoseconds: 0)),
        missing: .badObservation,
        bad: .badObservation,
        [.required("timestamp", .captureTime) { $0.time = $1 }] + fields(of: \.self)
    )

    static func fields<Line>(of heading: any WritableKeyPath<Line, HeadingSample> & Sendable) -> [StreamField<Line>] {
        [
            .optional("true_heading", .angle) { $0[keyPath: heading].trueDegrees = $1 >= 0 ? $1 : nil },
            .optional("magnetic_heading", .angle) { $0[keyPath: heading].magneticDegrees = $1 >= 0 ? $1 : nil },
            .optional("heading_accuracy", .angle) { $0[keyPath: heading].accuracyDegrees = $1 >= 0 ? $1 : nil },
        ]
    }
}

/// A line of indoor.jsonl: a position by an indoor positioning service.
enum IndoorLine {
    static let file = "indoor.jsonl"

    static let table = StreamTable(
        file: file,
        blank: IndoorSample(position: .blank),
        missing: .badObservation,
        bad: .badObservation,
        [
            .required("timestamp", .captureTime) {
                $0.position.time = $1
                $0.heading.time = $1
            },
            .required("latitude", .latitude) { $0.position.latitudeDegrees = $1 },
            .required("longitude", .longitude) { $0.position.longitudeDegrees = $1 },
        ] + LocationLine.details(of: \.position) + HeadingLine.fields(of: \.heading) + [
            .optional("floor_level", .wholeNumber("a whole number", -1000...1000)) { $0.position.floor = $1 },
            // Comes after the level, which it may take back.
            .optional("floor_available", .bool) { if !$1 { $0.position.floor = nil } },
            .optional("heading_available", .bool) {
                if !$1 { $0.heading = HeadingSample(time: $0.heading.time) }
            },
            .optional("service", .text("a name")) { $0.service = $1 },
            .optional("source", .objectText) { $0.sourceJSON = $1 },
            .optional("registration_quality", .objectText) { $0.qualityJSON = $1 },
        ]
    )
}

extension LocationSample {
    fileprivate static var blank: Self {
        LocationSample(time: Timestamp(nanoseconds: 0), latitudeDegrees: 0, longitudeDegrees: 0)
    }
}

extension FieldKind where Value == Double {
    static var latitude: Self { .number("degrees", limit: 90, "90") }
    static var longitude: Self { .number("degrees", limit: 180, "180") }
    static var metres: Self { .number("metres", limit: 1e9, "1e9") }
    fileprivate static var speed: Self { .number("metres a second", limit: 1e9, "1e9") }
    fileprivate static var angle: Self { .number("degrees", limit: 1e9, "1e9") }
}

/// A line of radio.jsonl: one observation of a radio or of the network.
///
/// Keys that are no fields are kept in `metadata_json`.
enum RadioLine {
    static let file = "radio.jsonl"

    static let table = StreamTable(
        file: file,
        blank: RadioSample(time: Timestamp(nanoseconds: 0)),
        missing: .badObservation,
        bad: .badObservation,
        others: { $0.addMetadata($1) },
        identity + place + network + measurements
    )

    private typealias Field = StreamField<RadioSample>

    private static let identity: [Field] = [
        .required("timestamp", .captureTime) { $0.time = $1 },
        .required("channel_id", .text("a name")) { $0.channelID = $1 },
        .required("observation_kind", .text("a name")) { $0.kind = $1 },
        .optional("session_id", .text("a name")) { $0.sessionID = $1 },
        .optional("schema_version", .wholeNumber("a version", 0...0xFFFF_FFFF)) { $0.schemaVersion = UInt32($1) },
        .optional("source_api", .text("a name")) { $0.sourceAPI = $1 },
        .optional("source_id", .text("a name")) { $0.sourceID = $1 },
        .optional("radio_type", .text("a name")) { $0.radioType = $1 },
        .optional("tags", .words) { $0.tags = $1 },
    ]

    private static let place: [Field] = [
        .optional("latitude", .latitude) { $0.latitudeDegrees = $1 },
        .optional("longitude", .longitude) { $0.longitudeDegrees = $1 },
        .optional("altitude", .metres) { $0.altitudeMetres = $1 },
        .optional("geodetic_position_available", .bool) {
            if !$1 { ($0.latitudeDegrees, $0.longitudeDegrees, $0.altitudeMetres) = (nil, nil, nil) }
        },
    ]

    private static let network: [Field] = [
        .optional("ssid", .text("a name")) { $0.ssid = $1 },
        .optional("bssid", .text("an address")) { $0.bssid = $1 },
        .optional("signal_strength_normalized", .figure) { $0.signalStrength = $1 },
        .optional("is_secure", .bool) { $0.isSecure = $1 },
        .optional("peripheral_id", .text("a name")) { $0.peripheralID = $1 },
        .optional("local_name", .text("a name")) { $0.localName = $1 },
        .optional("service_uuids", .words) { $0.serviceUUIDs = $1 },
        .optional("is_connectable", .bool) { $0.isConnectable = $1 },
        .optional("network_status", .text("a word")) { $0.networkStatus = $1 },
        .optional("interface_types", .words) { $0.interfaceTypes = $1 },
        .optional("is_expensive", .bool) { $0.isExpensive = $1 },
        .optional("is_constrained", .bool) { $0.isConstrained = $1 },
    ]

    private static let measurements: [Field] = [
        .optional("frequency_hz", .figure) { $0.frequencyHertz = $1 },
        .optional("rssi_dbm", .figure) { $0.rssiDBm = $1 },
        .optional("snr_db", .figure) { $0.signalToNoiseDB = $1 },
        .optional("quality", .figure) { $0.quality = $1 },
        .optional("round_trip_time_ms", .figure) { $0.roundTripMilliseconds = $1 },
        .optional("throughput_bytes_per_second", .figure) { $0.bytesPerSecond = $1 },
        .optional("success", .bool) { $0.isSuccess = $1 },
        .optional("error", .text("a text")) { $0.error = $1 },
        .optional("metadata_json", .objectText) { $0.metadataJSON = $1 },
    ]
}

extension RadioSample {
    /// Adds members to the metadata, which may be an object as text; anything else becomes a member of its own.
    fileprivate mutating func addMetadata(_ members: String) {
        let text = metadataJSON.drop { $0.isWhitespace }
        let isObject = (try? JSONValue.parse(String(text)))?.object != nil
        guard isObject, let open = text.firstIndex(of: "{") else {
            metadataJSON = "{\"metadata_json\":\(JSONValue.string(metadataJSON).text()),\(members)}"
            return
        }
        let rest = text[text.index(after: open)...]
        let isEmpty = rest.first { !$0.isWhitespace } == "}"
        metadataJSON = "{\(members)\(isEmpty ? "" : ",")\(rest)"
    }
}

extension FieldKind where Value == Double {
    fileprivate static var figure: Self { .number("a number", limit: 1e15, "1e15") }
}
