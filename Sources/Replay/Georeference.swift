import Capture
import Sessions

/// Where the map lies on the Earth, once a fix is good enough to be its origin.
enum Georeference {
    /// How far a frame may be from the fix to tell where the phone was.
    private static let maximumDistanceSeconds = 1.0

    /// `earth` (ECEF) from `map`, or `nil` without an origin or without a pose beside it.
    ///
    /// The map's axes are taken as east and north, which they are where ARKit aligned its world with gravity and
    /// heading. The height is above the ellipsoid where the fix has it, else above sea level.
    static func earthFromMap(_ session: any Session, policy: FramePolicy) throws -> Transform? {
        guard let origin = session.summary.location.origin else { return nil }
        guard let worldFromCamera = try pose(at: origin.time, in: session) else { return nil }
        let earthFromLocal = Geodesy.earthFromLocal(
            latitudeDegrees: origin.latitudeDegrees,
            longitudeDegrees: origin.longitudeDegrees,
            heightMetres: origin.ellipsoidalAltitudeMetres ?? origin.altitudeMetres ?? 0
        )
        let localFromMap = policy == .ros ? Transform.identity : Coordinates.mapFromWorld
        let position = Coordinates.mapFromCamera(worldFromCamera, policy: policy).translation
        return earthFromLocal * localFromMap * Transform(rotation: .identity, translation: -position)
    }

    /// The pose between the two frames around a time; of one frame where there is only one close enough.
    private static func pose(at time: Timestamp, in session: any Session) throws -> Transform? {
        let reach = Int64(maximumDistanceSeconds * 1e9)
        let span = time.advanced(byNanoseconds: -reach)...time.advanced(byNanoseconds: reach)
        let cursor = try session.records(
            RecordRequest(span: span, includesMotion: false, includesLocation: false)
        )
        var before: FrameReference?
        while case .frame(let frame)? = try cursor.next() {
            guard frame.time >= time, let earlier = before else {
                before = frame
                if frame.time >= time { return frame.worldFromCamera }
                continue
            }
            let fraction = time.seconds(since: earlier.time) / frame.time.seconds(since: earlier.time)
            return earlier.worldFromCamera.interpolated(to: frame.worldFromCamera, fraction: fraction)
        }
        return before?.worldFromCamera
    }
}
