import Recording

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
