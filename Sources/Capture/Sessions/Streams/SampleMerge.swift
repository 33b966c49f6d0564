import Recording

/// Merges the streams of samples that a recording has beside its frames, by time.
///
/// At equal times samples come in the order in which their streams were given.
struct SampleMerge {
    private var streams: [(stream: RecordStream, source: any SampleSource)]

    init(_ streams: [(stream: RecordStream, source: any SampleSource)] = []) { self.streams = streams }

    /// The time of the next sample; `nil` at the end.
    var upcomingTime: Timestamp? { earliest?.time }

    var upcomingLocationTime: Timestamp? { streams.first { $0.stream == .location }?.source.upcomingTime }

    mutating func next() -> Record? {
        guard let earliest else { return nil }
        return streams[earliest.place].source.next()?.record
    }

    /// Ends all streams.
    ///
    /// - Returns: What was wrong with IMU samples; the other streams were counted when the session was opened.
    mutating func finish() -> Diagnostics {
        var diagnostics = Diagnostics()
        for one in streams where one.stream == .motion { diagnostics.append(one.source.diagnostics) }
        streams = []
        return diagnostics
    }

    private var earliest: (place: Int, time: Timestamp)? {
        var best: (place: Int, time: Timestamp)?
        for place in streams.indices {
            guard let time = streams[place].source.upcomingTime, best.map({ time < $0.time }) ?? true else { continue }
            best = (place, time)
        }
        return best
    }
}
