import Recording

/// The samples of one stream in time order, and of them only those that are of the session's time.
///
/// Lines that are slightly out of order are put in order inside a window; ``SampleGate`` says what is left out.
struct OrderedSamples {
    private var source: SampleReader
    private var gate: SampleGate
    private var waiting = TimeHeap<(record: Record, line: Int)>()
    /// The next sample and its line.
    private(set) var upcoming: (record: Record, line: Int)?
    /// Its time, which is asked for far more often.
    private(set) var upcomingTime: Timestamp?

    /// - Parameter start: What is before may be left out.
    init(
        _ stream: SampleStream,
        _ files: any SessionFiles,
        summary: SessionSummary,
        after start: Timestamp? = nil
    ) {
        source = SampleReader(stream, files, after: start)
        gate = SampleGate(
            span: summary.sampleSpan,
            file: stream.file,
            field: "timestamp",
            keepsEqualTimes: stream.hasEqualTimes
        )
        advance()
    }

    /// Of the lines, and of what was left out.
    var diagnostics: Diagnostics {
        var all = source.diagnostics
        all.append(gate.diagnostics)
        return all
    }

    /// Takes the next sample.
    mutating func next() -> (record: Record, line: Int)? {
        guard let taken = upcoming else { return nil }
        advance()
        return taken
    }

    private mutating func advance() {
        upcoming = nil
        upcomingTime = nil
        while true {
            while waiting.count < TimeHeap<Record>.window, let record = source.next() {
                waiting.insert(.init(time: record.time, content: (record, source.line)))
            }
            guard let (record, line) = waiting.removeFirst()?.content else { return }
            switch gate.judge(record.time, line: line) {
            case .kept:
                upcoming = (record, line)
                upcomingTime = record.time
                return
            case .outside, .repeated, .late: break
            }
        }
    }
}
