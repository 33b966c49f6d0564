import Recording

/// The findings in the lines of a recording by themselves, used or not: their number, and odd values in them.
package struct LineExamination: Sendable {
    package var diagnostics = Diagnostics()
    package var examined = ExaminedSession()
    /// The intervals of the IMU samples that are used.
    private(set) var motionIntervals = IntervalHistogram()
    /// The speeds of the camera from one line to the next, in m/s.
    private(set) var speeds = SpeedHistogram()

    private var lastMotion: Timestamp?
    private var lastFrame: FrameReference?

    package init() {}

    /// Walks through the records of a session, whose lines hold nothing else.
    package init(_ session: any Session) throws {
        let names = session.summary.frameNames
        let cursor = try session.records(RecordRequest(resolvesPayloads: false))
        while let record = try cursor.next() {
            switch record {
            case .frame(let frame):
                examined.frameLines += 1
                if let problem = IntrinsicsCheck.problem(frame, names) { diagnostics.record(problem) }
                addSpeed(frame)
            case .motion(let sample):
                examined.motionLines += 1
                addMotion(sample.time)
            case .location: examined.locationLines += 1
            case .heading, .radio, .indoor: examined.observationLines += 1
            }
        }
    }

    mutating func addMotion(_ time: Timestamp) {
        if let lastMotion { motionIntervals.add(time.seconds(since: lastMotion)) }
        lastMotion = time
    }

    mutating func addSpeed(_ frame: FrameReference) {
        defer { lastFrame = frame }
        guard let lastFrame else { return }
        let seconds = frame.time.seconds(since: lastFrame.time)
        guard seconds > 0 else { return }
        speeds.add((frame.worldFromCamera.translation - lastFrame.worldFromCamera.translation).length / seconds)
    }
}
