/// Collects rounds of measurements, ours and the peers', and compares their medians.
///
/// A round is all repetitions of one contender before the next one has its turn; a ratio is that of the medians over the
/// rounds' medians, so that slow phases of the machine meet everybody.
struct Tally {
    private var samples: [String: Samples] = [:]
    private var rounds: [String: Samples] = [:]
    private var used: [String: (processor: Samples, megabytes: Samples)] = [:]

    /// One round of ours.
    mutating func add(_ name: String, _ round: Samples) {
        for value in round.milliseconds { samples[name, default: Samples()].append(value) }
        rounds[name, default: Samples()].append(round.median)
    }

    /// One round of a peer program that prints its medians.
    mutating func addPeer(_ words: [String]?) throws(BenchError) {
        guard let words else { return }
        for (name, median) in try peerMedians(words) { rounds[name, default: Samples()].append(median) }
    }

    /// One round that was a single measurement.
    mutating func add(_ name: String, _ value: Double) {
        var round = Samples()
        round.append(value)
        add(name, round)
    }

    /// One round that was a whole process.
    mutating func add(_ name: String, _ result: ChildResult) {
        add(name, result.milliseconds)
        used[name, default: (Samples(), Samples())].processor.append(result.processorMilliseconds)
        used[name, default: (Samples(), Samples())].megabytes.append(result.peakResidentMegabytes)
    }

    /// What whole processes took of the machine, as medians.
    func use(_ name: String) -> (megabytes: Double, text: String) {
        let megabytes = used[name]?.megabytes.median ?? .nan
        let processor = fixed(used[name]?.processor.median ?? .nan, 1, digits: 0)
        return (megabytes, "processor\(processor) ms,\(fixed(megabytes, 1, digits: 0)) MB")
    }

    /// A line of the report about one of ours, compared with a peer if that took part.
    ///
    /// - Parameter factor: what ours is divided by before it is compared, such as a number of messages.
    func line(
        _ name: String,
        title: String? = nil,
        note: String = "",
        peer: String? = nil,
        goal: Goal? = nil,
        dividedBy factor: Double = 1
    ) -> ReportLine {
        var line = ReportLine(name: title ?? name, samples: samples[name] ?? Samples(), note: note)
        if let peer, let theirs = rounds[peer], let ours = rounds[name] {
            line.peer = Comparison(
                name: peer,
                median: theirs.median,
                ratio: ours.median / factor / theirs.median,
                goal: goal
            )
        }
        return line
    }
}

/// What a measurement is judged against.
struct Comparison {
    var name: String
    var median: Double
    /// Ours divided by theirs.
    var ratio: Double
    var goal: Goal?
}

/// The largest ratio that is good enough, and the one that is wanted.
struct Goal {
    var must: Double
    var stretch: Double?

    init(_ must: Double, stretch: Double? = nil) {
        self.must = must
        self.stretch = stretch
    }

    func verdict(_ ratio: Double) -> String {
        if let stretch, ratio <= stretch { return "stretch met" }
        return ratio <= must ? "met" : "NOT MET"
    }
}
