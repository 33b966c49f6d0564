import Messages
import Recording
import Sessions

/// `/mapping/radio`: observations of radios and networks, each source at the topic's rate at most, at the place where the
/// phone was.
struct RadioTopic: TopicSource {
    /// The identity of a source of observations: the app publishes each of them once.
    private struct Key: Hashable {
        var channelID: String
        var kind: String
        var sourceID: String
    }

    let topics: [Topic]
    let trigger = Trigger.samples(.radio)
    // Each source has a gate of its own.
    let rateHertz: Double? = nil
    private let context: SourceContext
    private var gates: [Key: RateGate] = [:]

    /// The gates are dropped beyond this number of sources, which is more than a walk passes by.
    private static let maximumGates = 4096
    /// A pose this much older says nothing about the place of an observation.
    private static let maximumPoseAgeSeconds = 0.25

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.radio) else { return nil }
        topics = [topic]
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .radio(let sample) = item.record, takes(sample) else { return }
        var message = RadioObservation()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        describe(sample, in: &message)
        if let frame = item.previousFrame,
            sample.time.seconds(since: frame.time) <= Self.maximumPoseAgeSeconds
        {
            message.mapPositionAvailable = true
            message.mapPosition = point(
                Coordinates.mapFromCamera(frame.worldFromCamera, policy: context.axes).translation
            )
        }
        if let latitude = sample.latitudeDegrees, let longitude = sample.longitudeDegrees {
            message.geodeticPositionAvailable = true
            (message.latitude, message.longitude) = (latitude, longitude)
            message.altitude = sample.altitudeMetres ?? .nan
        }
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private mutating func takes(_ sample: RadioSample) -> Bool {
        let key = Key(channelID: sample.channelID, kind: sample.kind, sourceID: sample.sourceID)
        if gates[key] == nil, gates.count >= Self.maximumGates { gates.removeAll() }
        var gate = gates[key] ?? RateGate(rateHertz: context.rateHertz(.radio), nominalIntervalSeconds: nil)
        guard gate.isDue(sample.time) else { return false }
        gate.pass(sample.time)
        gates[key] = gate
        return true
    }

    private func describe(_ sample: RadioSample, in message: inout RadioObservation) {
        message.sessionID = sample.sessionID.isEmpty ? context.summary.name : sample.sessionID
        message.schemaVersion = sample.schemaVersion
        message.channelID = sample.channelID
        message.observationKind = sample.kind
        message.sourceAPI = sample.sourceAPI
        message.sourceID = sample.sourceID
        message.radioType = sample.radioType
        message.tags = sample.tags
        message.ssid = sample.ssid
        message.bssid = sample.bssid
        message.signalStrengthNormalized = sample.signalStrength
        message.isSecure = sample.isSecure
        message.peripheralID = sample.peripheralID
        message.localName = sample.localName
        message.serviceUUIDs = sample.serviceUUIDs
        message.isConnectable = sample.isConnectable
        message.networkStatus = sample.networkStatus
        message.interfaceTypes = sample.interfaceTypes
        message.isExpensive = sample.isExpensive
        message.isConstrained = sample.isConstrained
        message.frequencyHz = sample.frequencyHertz
        message.rssiDbm = sample.rssiDBm
        message.snrDb = sample.signalToNoiseDB
        message.quality = sample.quality
        message.roundTripTimeMs = sample.roundTripMilliseconds
        message.throughputBytesPerSecond = sample.bytesPerSecond
        message.success = sample.isSuccess
        message.error = sample.error
        message.metadataJSON = sample.metadataJSON
    }
}
