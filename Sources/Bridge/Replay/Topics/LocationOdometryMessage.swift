import Messages
import Recording
import Sessions

/// Where a fix lies in `map`, with the covariance of the fix alone, as filters that fuse positions expect it.
struct LocationOdometryMessage {
    private let mapFromEarth: Recording.Transform
    private let heights: FixHeights
    private let originHeightMetres: Double
    private let axes: FramePolicy

    /// The variance of values that a fix does not give: its attitude and, mostly, its height and velocity.
    private static let unknownVariance = 1e6

    /// - Returns: `nil` without a place of the map on the Earth.
    init?(_ context: SourceContext) {
        let georeference = context.georeference
        guard let earthFromMap = georeference.earthFromMap(context.axes), let origin = georeference.origin else {
            return nil
        }
        mapFromEarth = earthFromMap.inverse
        heights = context.heights
        originHeightMetres = origin.heightMetres
        axes = context.axes
    }

    func make(_ sample: LocationSample, stamp: Int64) -> Odometry {
        let height = heights.height(of: sample)?.metres
        let position = Geodesy.earthPosition(
            latitudeDegrees: sample.latitudeDegrees,
            longitudeDegrees: sample.longitudeDegrees,
            heightMetres: height ?? originHeightMetres
        )
        var message = Odometry()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.childFrameID = FrameName.gps
        message.pose.pose = pose(Recording.Transform(rotation: .identity, translation: mapFromEarth * position))
        let horizontal = sample.horizontalSigmaMetres.map { $0 * $0 } ?? Self.unknownVariance
        let upVariance = height == nil ? nil : sample.verticalSigmaMetres.map { $0 * $0 }
        // East and north have the same variance, so that a turn about the vertical leaves them as they are.
        let up = axes == .ros ? 2 : 1
        for axis in 0..<6 {
            let linear = axis == up ? upVariance ?? Self.unknownVariance : horizontal
            message.pose.covariance[axis * 7] = axis < 3 ? linear : Self.unknownVariance
            message.twist.covariance[axis * 7] = Self.unknownVariance
        }
        return message
    }
}
