import Glibc
import Recording
import SessionLines

/// The optional streams of a phone on the trajectory: its compass, the radios around it, and its indoor position.
struct PhoneObservations {
    let trajectory: Trajectory
    let options: SampleOptions

    /// What magnetic north deviates from true north, in degrees to the east.
    static let declinationDegrees = 4.0
    private static let headingAccuracyDegrees = 6.0
    /// The room's access point, in the world.
    private static let accessPoint = Vector3(2, 1, -1.5)

    /// The azimuth of the camera; the world's x is east, its z is south.
    func heading(atSeconds time: Double, nanoseconds: Int64, index: Int) -> HeadingSample {
        let forward = trajectory.worldFromCamera(atSeconds: time).rotation.rotating(Vector3(0, 0, -1))
        var azimuth = arcTangent(forward.x, -forward.z) * 180 / .pi
        if options.hasNoise {
            var random = SeededRandom(seed: options.seed, stream: UInt64(index) | 5 << 60)
            azimuth += Self.headingAccuracyDegrees / 2 * Double(random.normal())
        }
        var sample = HeadingSample(time: Timestamp(nanoseconds: nanoseconds))
        sample.trueDegrees = Self.turn(azimuth)
        sample.magneticDegrees = Self.turn(azimuth - Self.declinationDegrees)
        sample.accuracyDegrees = Self.headingAccuracyDegrees
        return sample
    }

    private static func turn(_ degrees: Double) -> Double {
        let turn = degrees.truncatingRemainder(dividingBy: 360)
        return turn < 0 ? turn + 360 : turn
    }

    func indoor(atSeconds time: Double, nanoseconds: Int64, index: Int) -> IndoorSample {
        let location = PhoneLocation(trajectory: trajectory, options: options)
        var sample = IndoorSample(
            position: location.fix(atSeconds: time, nanoseconds: nanoseconds, index: index)
        )
        sample.position.floor = 2
        sample.heading = heading(atSeconds: time, nanoseconds: nanoseconds, index: index)
        var source = JSONObject()
        source.add("beacon_ranging_configured", false)
        source.add("produced_by_accessory", false)
        source.add("simulated_by_software", false)
        sample.sourceJSON = String(decoding: source.closed, as: UTF8.self)
        return sample
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
        wifi.sourceID = "02:00:00:00:00:01"
        wifi.ssid = "mapeverything"
        wifi.bssid = "02:00:00:00:00:01"
        wifi.signalStrength = strength
        wifi.rssiDBm = rssi
        wifi.isSecure = true
        wifi.quality = strength
        var wifiLine = NativeLines.radio(wifi)
        // No field of its own: kept in metadata_json.
        wifiLine.add("did_auto_join", true)
        guard index % 4 == 0 else { return [wifiLine] }
        var beacon = Self.observation("ble_advertisement", "ble_advertisement", "ble", nanoseconds)
        beacon.sourceID = "6F0B9E0C-0000-4000-8000-000000000001"
        beacon.peripheralID = "6F0B9E0C-0000-4000-8000-000000000001"
        beacon.localName = "beacon"
        beacon.serviceUUIDs = ["FEAA"]
        beacon.rssiDBm = rssi - 20
        guard index == 0 else { return [wifiLine, NativeLines.radio(beacon)] }
        var path = Self.observation("network_path", "network_path_state", "network_path", nanoseconds)
        path.sourceID = "wifi"
        path.networkStatus = "satisfied"
        path.interfaceTypes = ["wifi"]
        path.quality = 1
        return [wifiLine, NativeLines.radio(beacon), NativeLines.radio(path)]
    }

    private static func observation(
        _ channel: String,
        _ kind: String,
        _ type: String,
        _ nanoseconds: Int64
    ) -> RadioSample {
        var sample = RadioSample(time: Timestamp(nanoseconds: nanoseconds))
        sample.channelID = channel
        sample.kind = kind
        sample.sourceAPI = "synthetic"
        sample.radioType = type
        sample.tags = [type]
        sample.isSuccess = true
        return sample
    }
}
