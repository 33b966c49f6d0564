import Messages
import Recording

/// The GPS fix, what NavSatFix has no room for, and where the fix lies in the map.
struct LocationTopics: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.location)
    let rateHertz: Double?
    private let fix: Topic?
    private let metadata: Topic?
    private let odometry: (topic: Topic, message: LocationOdometryMessage)?
    private let context: SourceContext

    init?(_ context: SourceContext) {
        fix = context.topic(.locationFix)
        metadata = context.topic(.locationMetadata)
        odometry = context.topic(.locationOdometry).flatMap { topic in
            LocationOdometryMessage(context).map { (topic, $0) }
        }
        topics = [fix, metadata, odometry?.topic].compactMap { $0 }
        guard !topics.isEmpty else { return nil }
        rateHertz = context.rateHertz(.locationFix)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .location(let sample) = item.record else { return }
        let header = Header(stampNanoseconds: stamp, frameID: context.conventions.axes.locationFrame)
        if let fix {
            let message = navSatFix(sample, header: header)
            batch.append(StampedMessage(topic: fix, timeNanoseconds: stamp, message: message))
        }
        if let metadata {
            let message = LocationMetadataMessage.make(sample, header: header, stamp: stamp, context)
            batch.append(StampedMessage(topic: metadata, timeNanoseconds: stamp, message: message))
        }
        if let odometry {
            let message = odometry.message.make(sample, stamp: stamp)
            batch.append(StampedMessage(topic: odometry.topic, timeNanoseconds: stamp, message: message))
        }
    }

    private func navSatFix(_ sample: LocationSample, header: Header) -> NavSatFix {
        var message = NavSatFix()
        message.header = header
        message.latitude = sample.latitudeDegrees
        message.longitude = sample.longitudeDegrees
        switch context.conventions.location {
        case .ros: fill(&message, sample)
        case .app: fillAsApp(&message, sample)
        }
        return message
    }

    /// Altitude above the ellipsoid, or NaN where only the height above sea level is known; a fix wherever there is a
    /// place, with what is known of its accuracy (NavSatFix.msg).
    private func fill(_ message: inout NavSatFix, _ sample: LocationSample) {
        message.status.status = NavSatStatus.fix
        message.status.service = NavSatStatus.serviceGPS
        message.altitude = sample.ellipsoidalAltitudeMetres ?? .nan
        guard let horizontal = sample.horizontalSigmaMetres, let radius = sample.horizontalAccuracyMetres else {
            return
        }
        let vertical = sample.verticalAccuracyMetres.flatMap { $0 > 0 ? $0 : nil }
        // Without a vertical accuracy, the horizontal radius stands for the vertical deviation: heights are less exact.
        setDiagonal(&message, horizontal, vertical ?? radius)
        message.positionCovarianceType =
            vertical == nil ? NavSatFix.covarianceApproximated : NavSatFix.covarianceDiagonalKnown
    }

    /// Altitude above sea level; no fix without an accuracy, which is squared as if it were that of each axis.
    private func fillAsApp(_ message: inout NavSatFix, _ sample: LocationSample) {
        message.status.status = NavSatStatus.noFix
        message.altitude = sample.altitudeMetres ?? 0
        guard let horizontal = sample.horizontalAccuracyMetres else { return }
        message.status.status = NavSatStatus.fix
        message.status.service = NavSatStatus.serviceGPS
        let vertical = sample.verticalAccuracyMetres
        setDiagonal(&message, horizontal, vertical ?? horizontal)
        message.positionCovarianceType =
            vertical == nil ? NavSatFix.covarianceApproximated : NavSatFix.covarianceDiagonalKnown
    }

    private func setDiagonal(_ message: inout NavSatFix, _ horizontal: Double, _ vertical: Double) {
        message.positionCovariance[0] = horizontal * horizontal
        message.positionCovariance[4] = horizontal * horizontal
        message.positionCovariance[8] = vertical * vertical
    }
}
