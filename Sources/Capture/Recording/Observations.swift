/// What the compass said: azimuths of the device in degrees clockwise.
///
/// `nil` where a value is not known.
package struct HeadingSample: Sendable, Hashable {
    package var time: Timestamp
    /// Against geographic north.
    package var trueDegrees: Double?
    /// Against magnetic north.
    package var magneticDegrees: Double?
    /// How far the heading may be off, to either side.
    package var accuracyDegrees: Double?

    package init(time: Timestamp) { self.time = time }
}

/// A position by an indoor positioning service, with the heading at that time.
package struct IndoorSample: Sendable {
    /// The place, and the floor where it is known.
    package var position: LocationSample
    package var heading: HeadingSample
    package var service = "core_location"
    package var isSimulated = false
    package var isFromAccessory = false
    /// JSON texts as they were recorded; `nil` where they were not.
    package var sourceJSON: String?
    package var qualityJSON: String?

    package init(position: LocationSample) {
        self.position = position
        heading = HeadingSample(time: position.time)
    }
}

/// One observation of a radio or of the network; what is not known is blank.
package struct RadioSample: Sendable, Hashable {
    package var time: Timestamp
    package var sessionID = ""
    package var schemaVersion: UInt32 = 1
    package var channelID = ""
    package var kind = ""
    package var sourceAPI = ""
    package var sourceID = ""
    package var radioType = ""
    package var tags: [String] = []
    package var latitudeDegrees: Double?
    package var longitudeDegrees: Double?
    package var altitudeMetres: Double?
    package var ssid = ""
    package var bssid = ""
    /// 0 to 1.
    package var signalStrength = 0.0
    package var isSecure = false
    package var peripheralID = ""
    package var localName = ""
    package var serviceUUIDs: [String] = []
    package var isConnectable = false
    package var networkStatus = ""
    package var interfaceTypes: [String] = []
    package var isExpensive = false
    package var isConstrained = false
    package var frequencyHertz = 0.0
    package var rssiDBm = 0.0
    package var signalToNoiseDB = 0.0
    /// 0 to 1.
    package var quality = 0.0
    package var roundTripMilliseconds = 0.0
    package var bytesPerSecond = 0.0
    package var isSuccess = false
    package var error = ""
    /// What else was recorded: the text of a JSON object.
    package var metadataJSON = "{}"

    package init(time: Timestamp) { self.time = time }
}
