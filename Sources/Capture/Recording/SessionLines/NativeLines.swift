import Text

/// The lines of the native layout, as docs/formats/session.md has them; unknown values have no key.
///
/// Times are from 0, numbers finite. This library is the text of the native layout for all who write it: samples, trimmed
/// sessions, tests. Begin reading here; ``NativeMetadata`` is metadata.json, ``NativeFiles`` the names.
package enum NativeLines {
    /// A line of frames.jsonl; it says that there is depth where the frame has a size of it, and, as the app, nothing of a
    /// picture unless the frame has none.
    ///
    /// - Parameter inSinglePrecision: True if pose and camera are written as a phone computes them.
    package static func frame(_ frame: FrameReference, inSinglePrecision: Bool = false) -> JSONLine {
        func rounded(_ values: [Double]) -> [Double] {
            inSinglePrecision ? values.map(\.inSinglePrecision) : values
        }
        let (pose, k) = (frame.worldFromCamera, frame.intrinsics)
        var line = JSONLine()
        line.add("frame_index", frame.index)
        line.add("timestamp", json: decimalSeconds(frame.time.nanoseconds))
        line.add("camera_transform", rounded(pose.columnMajor))
        line.add("camera_intrinsics", rounded([k.fx, 0, 0, 0, k.fy, 0, k.cx, k.cy, 1]))
        line.add("camera_resolution", GridSize(width: k.width, height: k.height))
        line.add("camera_euler_angles", rounded(eulerAngles(pose.rotation)))
        if frame.tracking != .unknown { line.add("tracking_state", string: frame.tracking.rawValue) }
        if let orientation = frame.declaredOrientation {
            line.add("device_orientation", string: orientation.rawValue)
        }
        line.addIfKnown("frame_sharpness", frame.sharpness)
        line.addIfKnown("exposure_duration", frame.exposureSeconds)
        if !frame.hasImage { line.add("has_image", false) }
        line.add("has_depth", frame.depthSize != nil)
        if let size = frame.depthSize { line.add("depth_resolution", size) }
        if let size = frame.relativeDepthSize { line.add("relative_depth_resolution", size) }
        return line
    }

    /// Pitch, yaw and roll in radians, as ARKit has them: yaw about y first, then pitch about x, then roll about z.
    package static func eulerAngles(_ rotation: Quaternion) -> [Double] {
        let (c0, c1, c2) = rotation.columns
        return [arcSine(-c2.y), arcTangent(c2.x, c2.z), arcTangent(c0.y, c1.y)]
    }

    /// A line of imu.jsonl.
    package static func motion(_ sample: MotionSample) -> JSONLine {
        var line = JSONLine()
        add(sample, time: "timestamp", to: &line)
        return line
    }

    /// Adds an IMU sample to a line: of imu.jsonl, or of frames.jsonl, where its time is `imu_timestamp`.
    package static func add(_ sample: MotionSample, time: String, to line: inout JSONLine) {
        line.add(time, json: decimalSeconds(sample.time.nanoseconds))
        if sample.separatesGravity { line.add("user_acceleration", sample.userAcceleration) }
        line.add("rotation_rate", sample.rotationRate)
        line.add(sample.separatesGravity ? "gravity" : "total_acceleration", sample.gravity)
        if let q = sample.attitude { line.add("attitude_quaternion", [q.x, q.y, q.z, q.w]) }
        if let field = sample.magneticField { line.add("magnetic_field", field) }
    }

    /// A line of gps.jsonl.
    package static func location(_ fix: LocationSample) -> JSONLine {
        var line = JSONLine()
        addPlace(fix, to: &line)
        if let floor = fix.floor { line.add("floor", floor) }
        return line
    }

    private static func addPlace(_ fix: LocationSample, to line: inout JSONLine) {
        line.add("timestamp", json: decimalSeconds(fix.time.nanoseconds))
        if let unix = fix.unixNanoseconds, unix > 0 { line.add("unix_time", string: decimalSeconds(unix)) }
        line.add("latitude", fix.latitudeDegrees)
        line.add("longitude", fix.longitudeDegrees)
        line.addIfKnown("altitude", fix.altitudeMetres)
        line.addIfKnown("ellipsoidal_altitude", fix.ellipsoidalAltitudeMetres)
        line.addIfKnown("horizontal_accuracy", fix.horizontalAccuracyMetres)
        line.addIfKnown("vertical_accuracy", fix.verticalAccuracyMetres)
        line.addIfKnown("speed", fix.speedMetresPerSecond)
        line.addIfKnown("speed_accuracy", fix.speedAccuracyMetresPerSecond)
        line.addIfKnown("course", fix.courseDegrees)
        line.addIfKnown("course_accuracy", fix.courseAccuracyDegrees)
    }

    /// A line of heading.jsonl.
    package static func heading(_ sample: HeadingSample) -> JSONLine {
        var line = JSONLine()
        line.add("timestamp", json: decimalSeconds(sample.time.nanoseconds))
        addAzimuths(sample, to: &line)
        return line
    }

    private static func addAzimuths(_ sample: HeadingSample, to line: inout JSONLine) {
        line.addIfKnown("true_heading", sample.trueDegrees)
        line.addIfKnown("magnetic_heading", sample.magneticDegrees)
        line.addIfKnown("heading_accuracy", sample.accuracyDegrees)
    }

    /// A line of indoor.jsonl.
    package static func indoor(_ sample: IndoorSample) -> JSONLine {
        var line = JSONLine()
        addPlace(sample.position, to: &line)
        line.add("floor_available", sample.position.floor != nil)
        if let floor = sample.position.floor { line.add("floor_level", floor) }
        line.add("heading_available", [sample.heading.trueDegrees, sample.heading.magneticDegrees] != [nil, nil])
        addAzimuths(sample.heading, to: &line)
        line.add("service", string: sample.service)
        if let source = sample.sourceJSON { line.add("source", objectText: source) }
        if let quality = sample.qualityJSON { line.add("registration_quality", objectText: quality) }
        return line
    }

    /// A line of radio.jsonl.
    package static func radio(_ sample: RadioSample) -> JSONLine {
        var line = JSONLine()
        line.add("timestamp", json: decimalSeconds(sample.time.nanoseconds))
        line.add("channel_id", string: sample.channelID)
        line.add("observation_kind", string: sample.kind)
        line.add("schema_version", Int(sample.schemaVersion))
        let texts = [
            ("session_id", sample.sessionID), ("source_api", sample.sourceAPI), ("source_id", sample.sourceID),
            ("radio_type", sample.radioType), ("ssid", sample.ssid), ("bssid", sample.bssid),
            ("peripheral_id", sample.peripheralID), ("local_name", sample.localName),
            ("network_status", sample.networkStatus), ("error", sample.error),
        ]
        for (key, text) in texts where !text.isEmpty { line.add(key, string: text) }
        let lists = [
            ("tags", sample.tags), ("service_uuids", sample.serviceUUIDs), ("interface_types", sample.interfaceTypes),
        ]
        for (key, words) in lists where !words.isEmpty {
            line.add(key, json: "[" + words.map(JSONLine.quoted).joined(separator: ",") + "]")
        }
        line.addIfKnown("latitude", sample.latitudeDegrees)
        line.addIfKnown("longitude", sample.longitudeDegrees)
        line.addIfKnown("altitude", sample.altitudeMetres)
        let figures = [
            ("signal_strength_normalized", sample.signalStrength), ("frequency_hz", sample.frequencyHertz),
            ("rssi_dbm", sample.rssiDBm), ("snr_db", sample.signalToNoiseDB), ("quality", sample.quality),
            ("round_trip_time_ms", sample.roundTripMilliseconds),
            ("throughput_bytes_per_second", sample.bytesPerSecond),
        ]
        for (key, figure) in figures where figure != 0 { line.addIfKnown(key, figure) }
        let flags = [
            ("is_secure", sample.isSecure), ("is_connectable", sample.isConnectable),
            ("is_expensive", sample.isExpensive), ("is_constrained", sample.isConstrained),
            ("success", sample.isSuccess),
        ]
        for (key, flag) in flags where flag { line.add(key, flag) }
        if sample.metadataJSON != "{}" { line.add("metadata_json", objectText: sample.metadataJSON) }
        return line
    }
}

extension JSONLine {
    /// Adds a number where there is one.
    fileprivate mutating func addIfKnown(_ key: String, _ value: Double?) {
        if let value, value.isFinite { add(key, value) }
    }

    /// Adds the text of an object: as the object, or as a string where it is none, or would not stay on its line.
    fileprivate mutating func add(_ key: String, objectText text: String) {
        if !text.utf8.contains(0x0A), (try? JSONValue.parse(text))?.object != nil {
            add(key, json: text)
        } else {
            add(key, string: text)
        }
    }
}
