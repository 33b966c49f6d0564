/// Anything a session yields, in time order.
///
/// Records are small: images and depth are loaded where they are processed.
package enum Record: Sendable {
    case frame(FrameReference)
    case motion(MotionSample)
    case location(LocationSample)
    case heading(HeadingSample)
    // Boxed: rare and large, while records are copied often.
    indirect case radio(RadioSample)
    indirect case indoor(IndoorSample)

    package var time: Timestamp {
        switch self {
        case .frame(let frame): frame.time
        case .motion(let sample): sample.time
        case .location(let sample): sample.time
        case .heading(let sample): sample.time
        case .radio(let sample): sample.time
        case .indoor(let sample): sample.position.time
        }
    }

    package var stream: RecordStream {
        switch self {
        case .frame: .frames
        case .motion: .motion
        case .location: .location
        case .heading: .heading
        case .radio: .radio
        case .indoor: .indoor
        }
    }
}

/// The streams of a recording, in the order of their records at equal times.
package enum RecordStream: Int, CaseIterable, Sendable, Hashable {
    case frames
    case motion
    case location
    case heading
    case radio
    case indoor
}
