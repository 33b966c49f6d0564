/// Anything a session yields, in time order.
///
/// Records are small: images and depth are loaded where they are processed.
package enum Record: Sendable {
    case frame(FrameReference)
    case motion(MotionSample)
    case location(LocationSample)

    package var time: Timestamp {
        switch self {
        case .frame(let frame): frame.time
        case .motion(let sample): sample.time
        case .location(let sample): sample.time
        }
    }
}
