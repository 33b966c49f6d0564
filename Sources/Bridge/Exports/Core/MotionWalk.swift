import Recording
import Replay
import Sessions

/// The IMU samples of an export's span, with their Unix times.
struct MotionWalk {

    private let context: ExportContext

    init(_ context: ExportContext) { self.context = context }

    func forEach(_ body: (MotionSample, Int64) throws -> Void) throws {
        let walk = try FrameWalk(context.session, RecordRequest(span: context.span, streams: [.motion]))
        while case .motion(let sample)? = try walk.next() { try body(sample, context.anchor.stamp(sample.time)) }
    }

    /// In m/s², in the device's axes: +9.81 along the axis that points up, at rest (REP-145).
    static func specificForce(_ sample: MotionSample) -> [Double] {
        let force = (sample.userAcceleration + sample.gravity) * -MotionSample.standardGravity
        return [force.x, force.y, force.z]
    }
}

extension ExportContext {
    /// To a hundredth.
    var framesPerSecond: Double {
        guard let first = census.firstTime, let last = census.lastTime, census.selected > 1 else { return 1 }
        let seconds = last.seconds(since: first)
        guard seconds > 0 else { return 1 }
        return max(0.01, (Double(census.selected - 1) / seconds * 100).rounded() / 100)
    }
}

/// Text of a recording in a line of a file.
enum PlainText {
    /// Without line breaks and other control characters.
    static func line(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
