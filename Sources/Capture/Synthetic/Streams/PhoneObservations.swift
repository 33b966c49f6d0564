import Glibc
import Recording

/// The optional streams of a phone on the trajectory: its compass, the radios around it, and its indoor position.
struct PhoneObservations {
    let trajectory: Trajectory
    let options: SampleOptions

    /// What magnetic north deviates from true north, in degrees to the east.
    static let declinationDegrees = 4.0
    private static let headingAccuracyDegrees = 6.0
    /// The room's access point, in the world.
    private static let accessPoint = Vector3(2, 1, -1.5)

    /// A line of heading.jsonl: the azimuth of the camera; the world's x is east, its z is south.
    func heading(atSeconds time: Double, nanoseconds: Int64, index: Int) -> JSONObject {
        var line = JSONObject()
        line.add("timestamp", json: decimalSeconds(nanoseconds))
        addHeading(to: &line, atSeconds: time, index: index)
        return line
    }

    private func addHeading(to line: inout JSONObject, atSeconds time: Double, index: Int) {
        let forward = trajectory.worldFromCamera(atSeconds: time).rotation.rotating(Vector3(0, 0, -1))
        var azimuth = arcTangent(forward.x, -forward.z) * 180 / .pi
        if options.hasNoise {
            var random = SeededRandom(seed: options.seed, stream: UInt64(index) | 5 << 60)
            azimuth += Self.headingAccuracyDegrees / 2 * Double(random.normal())
        }
        line.add("true_heading", Self.turn(azimuth))
        line.add("magnetic_heading", Self.turn(azimuth - Self.declinationDegrees))
        line.add("heading_accuracy", Self.headingAccuracyDegrees)
    }

    private static func turn(_ degrees: Double) -> Double {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        return turn < 0 ? turn + 360 : turn
    }

    /// A line of indoor.jsonl.
    func indoor(atSeconds time: Double, nanoseconds: Int64, index: Int) -> JSONObject {
        var line = PhoneLocation(trajectory: trajectory, options: options)
            .line(atSeconds: time, nanoseconds: nanoseconds, index: index)
        line.add("floor_available", true)
        line.add("floor_level", 2)
        line.add("heading_available", true)
        addHeading(to: &line, atSeconds: time, index: index)
        line.add("service", string: "core_location")
        var source = JSONObject()
        source.add("beacon_ranging_configured", false)
        source.add("produced_by_accessory", false)
        source.add("simulated_by_software", false)
        line.add("source", source)
        return line
    }

    /// The lines of radio.jsonl of one time: the access point, weaker the farther it is, and now and then a beacon and
    /// the state of the network.
    func radio(atSeconds time: Double, nanoseconds: Int64, index: Int) -> [JSONObject] {
        let position = trajectory.worldFromCamera(atSeconds: time).translation
        let metres = max(0.1, (Self.accessPoint - position).length)
        // Free space at 5 GHz: 46 dB over the first metre, 20 dB for each ten times of it.
        let rssi = -26 - 20 * log10(metres)
        let strength = min(1, max(0, (rssi + 90) / 60))
        var wifi = Self.observation("current_wifi_network", "wifi_current_network", "wifi", nanoseconds)
        wifi.add("source_id", string: "02:00:00:00:00:01")
        wifi.add("ssid", string: "mapeverything")
        wifi.add("bssid", string: "02:00:00:00:00:01")
        wifi.add("signal_strength_normalized", strength)
        wifi.add("rssi_dbm", rssi)
        wifi.add("is_secure", true)
        wifi.add("quality", strength)
        wifi.add("success", true)
        // No field of its own: kept in metadata_json.
        wifi.add("did_auto_join", true)
        guard index % 4 == 0 else { return [wifi] }
        var beacon = Self.observation("ble_advertisement", "ble_advertisement", "ble", nanoseconds)
        beacon.add("source_id", string: "6F0B9E0C-0000-4000-8000-000000000001")
        beacon.add("peripheral_id", string: "6F0B9E0C-0000-4000-8000-000000000001")
        beacon.add("local_name", string: "beacon")
        beacon.add("service_uuids", json: #"["FEAA"]"#)
        beacon.add("is_connectable", false)
        beacon.add("rssi_dbm", rssi - 20)
        beacon.add("success", true)
        guard index == 0 else { return [wifi, beacon] }
        var path = Self.observation("network_path", "network_path_state", "network_path", nanoseconds)
        path.add("source_id", string: "wifi")
        path.add("network_status", string: "satisfied")
        path.add("interface_types", json: #"["wifi"]"#)
        path.add("is_expensive", false)
        path.add("is_constrained", false)
        path.add("quality", 1)
        path.add("success", true)
        return [wifi, beacon, path]
    }

    private static func observation(
        _ channel: String,
        _ kind: String,
        _ type: String,
        _ nanoseconds: Int64
    )
        -> JSONObject
    {
        var line = JSONObject()
        line.add("timestamp", json: decimalSeconds(nanoseconds))
        line.add("channel_id", string: channel)
        line.add("observation_kind", string: kind)
        line.add("source_api", string: "synthetic")
        line.add("radio_type", string: type)
        line.add("tags", json: "[\(JSONObject.quoted(type))]")
        return line
    }
}
