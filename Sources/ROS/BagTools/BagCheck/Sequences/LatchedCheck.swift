/// Checks that each file has the latched topics of those before it, so that it plays alone.
final class LatchedCheck: MessageCheck {
    private struct State {
        let topic: CheckedTopic
        var firstFile: Int
        var lastFile: Int
        /// Its first time in the file that was met last.
        var firstTime: Int64
    }

    private var states = PerTopic<State>()
    /// The first time of the file at hand.
    private var fileStart: Int64?

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        fileStart = min(fileStart ?? message.timeNanoseconds, message.timeNanoseconds)
        guard message.topic.isLatched else { return }
        let initial = State(
            topic: message.topic,
            firstFile: message.file,
            lastFile: message.file,
            firstTime: message.timeNanoseconds
        )
        states.update(message.topic, initial: initial) { state in
            guard state.lastFile != message.file else { return }
            state.lastFile = message.file
            state.firstTime = message.timeNanoseconds
        }
    }

    func finishFile(_ file: Int, _ name: String, _ context: CheckContext) {
        defer { fileStart = nil }
        guard let fileStart else { return }
        for (_, state) in states.all where state.firstFile < file {
            let isThere = state.lastFile == file
            guard !isThere || (context.findings.isOurs && state.firstTime > fileStart) else { continue }
            let expected = "its last message again at the start of the file"
            let found = isThere ? "one only at \(state.firstTime) ns" : "none"
            context.at(Spot(file: name, timeNanoseconds: fileStart), topic: state.topic.name)
                .add(foreign: .warning, .latchedMissing, expected, found)
        }
    }
}
