import Capture
import ROS

/// The GPS fix, and what NavSatFix has no room for.
struct LocationTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.location
    let rateHertz: Double?
    private let fix: Topic?
    private let metadata: Topic?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        fix = context.topic(.locationFix)
        metadata = context.topic(.locationMetadata)
        topics = [fix, metadata].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.locationFix)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .location(let sample) = item.record else { return }
        let frameID = context.frames == .ros ? FrameName.gps : FrameName.earth
        let header = Header(stampNanoseconds: stamp, frameID: frameID)
        if let fix {
            let message = navSatFix(sample, header: header)
            batch.append(StampedMessage(topic: fix, timeNanoseconds: stamp, message: message))
        }
        if let metadata {
            let message = LocationMetadataMessage.make(sample, header: header, stamp: stamp, context)
            batch.append(StampedMessage(topic: metadata, timeNanoseconds: stamp, message: message))
        }
    }

    /// Altitude is above the ellipsoid, or NaN where only the height above sea level is known; the app publishes the
    /// latter.
    private func navSatFix(_ sample: LocationSample, header: Header) -> NavSatFix {
        var message = NavSatFix()
        message.header = header
        message.status.status = sample.horizontalAccuracyMetres == nil ? NavSatStatus.noFix : NavSatStatus.fix
        message.status.service = sample.horizontalAccuracyMetres == nil ? 0 : NavSatStatus.serviceGPS
        message.latitude = sample.latitudeDegrees
        message.longitude = sample.longitudeDegrees
        message.altitude =
            context.frames == .ros ? sample.ellipsoidalAltitudeMetres ?? .nan : sample.altitudeMetres ?? 0
        if let horizontal = sample.horizontalAccuracyMetres {
            let vertical = sample.verticalAccuracyMetres
            message.positionCovariance[0] = horizontal * horizontal
            message.positionCovariance[4] = horizontal * horizontal
            message.positionCovariance[8] = (vertical ?? horizontal) * (vertical ?? horizontal)
            message.positionCovarianceType =
                vertical == nil ? NavSatFix.covarianceApproximated : NavSatFix.covarianceDiagonalKnown
        }
        return message
    }
}
