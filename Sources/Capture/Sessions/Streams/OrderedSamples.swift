package import Recording

/// The samples of one stream in time order, as a cursor merges them.
package protocol SampleSource {
    /// The time of the next sample; `nil` at the end.
    var upcomingTime: Timestamp? { get }

    /// The problems of the samples that were read so far.
    var diagnostics: Diagnostics { get }

    /// Takes the next sample.
    mutating func next() -> (record: Record, line: Int)?
}

/// Samples in the order in which they were recorded.
package protocol RecordedSamples {
    /// The place of the sample that ``next()`` gave last, from 1.
    var line: Int { get }

    /// The problems of what was read so far.
    var diagnostics: Diagnostics { get }

    /// The next sample that reads; `nil` at the end.
    mutating func next() -> Record?
}

extension SampleReader: RecordedSamples {}

/// Samples that were kept in memory, because they are rare and scattered over the files of frames.
package struct ListedSamples: SampleSource {
    private let records: [Record]
    private var place = 0

    /// - Parameter records: in the order of time.
    package init(_ records: [Record]) {
        self.records = records
    }

    package var upcomingTime: Timestamp? { place < records.count ? records[place].time : nil }

    package var diagnostics: Diagnostics { Diagnostics() }

    package mutating func next() -> (record: Record, line: Int)? {
        guard place < records.count else { return nil }
        place += 1
        return (records[place - 1], place)
    }
}

/// The samples of one stream in time order, and of them only those that are of the session's time.
///
/// Lines that are slightly out of order are put in order inside a window; ``SampleGate`` says what is left out.
package struct OrderedSamples<Source: RecordedSamples>: SampleSource {
    private var source: Source
    private var gate: SampleGate
    private var waiting = TimeHeap<(record: Record, line: Int)>()
    /// The next sample and its line.
    private(set) var upcoming: (record: Record, line: Int)?
    /// Its time, which is asked for far more often.
    package private(set) var upcomingTime: Timestamp?

    package init(_ source: Source, _ gate: SampleGate) {
        (self.source, self.gate) = (source, gate)
        advance()
    }

    /// The problems of the lines, and of samples that were left out.
    package var diagnostics: Diagnostics {
        var all = source.diagnostics
        all.append(gate.diagnostics)
        return all
    }

    /// Takes the next sample.
    package mutating func next() -> (record: Record, line: Int)? {
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

extension OrderedSamples<SampleReader> {
    /// - Parameter start: Samples before this time may be left out.
    init(_ stream: SampleStream, _ files: any SessionFiles, summary: SessionSummary, after start: Timestamp? = nil) {
        self.init(
            SampleReader(stream, files, after: start),
            SampleGate(
                span: summary.sampleSpan,
                file: stream.file,
                field: "timestamp",
                keepsEqualTimes: stream.hasEqualTimes
            )
        )
    }
}

/// Merges the streams of samples that a recording has beside its frames, by time.
///
/// At equal times samples come in the order in which their streams were given.
package struct SampleMerge {
    private var streams: [(stream: RecordStream, source: any SampleSource)]

    package init(_ streams: [(stream: RecordStream, source: any SampleSource)] = []) { self.streams = streams }

    /// The time of the next sample; `nil` at the end.
    package var upcomingTime: Timestamp? { earliest?.time }

    package var upcomingLocationTime: Timestamp? { streams.first { $0.stream == .location }?.source.upcomingTime }

    package mutating func next() -> Record? {
        guard let earliest else { return nil }
        return streams[earliest.place].source.next()?.record
    }

    /// Ends all streams.
    ///
    /// - Returns: The problems of IMU samples; those of other streams were counted when the session was opened.
    package mutating func finish() -> Diagnostics {
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

/// Decides which samples of a stream are used, by their time alone, and counts the others.
///
/// A sample after a later one, or more than ``SessionSummary/sampleMarginSeconds`` before the first frame or
/// after the last, is left out. A sample that has the time of the one before it repeats it (the phone stores the newest
/// with each frame), and is passed over.
package struct SampleGate {
    package enum Verdict {
        case kept, outside, late, repeated
    }

    private let span: ClosedRange<Timestamp>
    private let file: String
    private let field: String
    private let keepsEqualTimes: Bool
    private var last: Timestamp?
    private var keptCount = 0
    private var outsideCount = 0
    private var problems = Diagnostics()

    /// - Parameter keepsEqualTimes: True if samples of one time are several, rather than one that was written again.
    package init(span: ClosedRange<Timestamp>, file: String, field: String, keepsEqualTimes: Bool = false) {
        self.span = span
        self.keepsEqualTimes = keepsEqualTimes
        self.file = file
        self.field = field
    }

    /// The problems of samples that were left out so far; a stream of which none was kept is one too.
    package var diagnostics: Diagnostics {
        guard keptCount == 0, outsideCount > 0 else { return problems }
        var all = problems
        let expected = "times from \(span.lowerBound.seconds) to \(span.upperBound.seconds)"
        let found = "none in \(outsideCount) samples"
        all.record(Problem(.streamOutsideSession, file: file, field: field, expected: expected, found: found))
        return all
    }

    package mutating func judge(_ time: Timestamp, line: Int) -> Verdict {
        guard span.contains(time) else {
            outsideCount += 1
            problems.record(outside(time, line: line))
            return .outside
        }
        if let last, time < last || time == last && !keepsEqualTimes {
            guard time < last else { return .repeated }
            problems.record(late(time, after: last, line: line))
            return .late
        }
        last = time
        keptCount += 1
        return .kept
    }

    private func outside(_ time: Timestamp, line: Int) -> Problem {
        let isBefore = time < span.lowerBound
        let beyond = isBefore ? span.lowerBound.seconds(since: time) : time.seconds(since: span.upperBound)
        let distance = Self.text(beyond + SessionSummary.sampleMarginSeconds)
        let expected = "a time from \(span.lowerBound.seconds) to \(span.upperBound.seconds)"
        let found = "\(time.seconds), \(distance) \(isBefore ? "before the first frame" : "after the last frame")"
        return Problem(.sampleOutsideSession, file: file, line: line, field: field, expected: expected, found: found)
    }

    private func late(_ time: Timestamp, after last: Timestamp, line: Int) -> Problem {
        let expected = "a time not before \(last.seconds), which was already handed out"
        let found = "\(time.seconds)"
        return Problem(.sampleTooLate, file: file, line: line, field: field, expected: expected, found: found)
    }

    /// A time in the unit in which it is easily read.
    private static func text(_ seconds: Double) -> String {
        let (value, unit) =
            seconds < 600 ? (seconds, "s") : seconds < 86_400 ? (seconds / 3600, "hours") : (seconds / 86_400, "days")
        return "\((value * 10).rounded() / 10) \(unit)"
    }
}

/// Finds fixes that lie farther from the one before than anything travels in the time between.
package struct LeapCheck {
    /// Faster than an airliner with a tailwind.
    private static let fastestMetresPerSecond = 400.0
    /// How far off a fix of unknown accuracy may be.
    private static let unknownRadiusMetres = 1000.0
    /// A fix may be this many of its radii off.
    private static let radii = 3.0

    /// The file of the fixes, as problems name it.
    let file: String
    private var last: LocationSample?

    package init(file: String) {
        self.file = file
    }

    /// The problem with a fix, in time order.
    package mutating func add(_ fix: LocationSample, line: Int?) -> Problem? {
        defer { last = fix }
        guard let last else { return nil }
        let seconds = max(0, fix.time.seconds(since: last.time))
        // At sea level; the chord through the Earth is never longer than the way along the ground.
        let metres = (fix.earthPosition() - last.earthPosition()).length
        let doubt = Self.radii * (Self.radius(fix) + Self.radius(last))
        guard metres > Self.fastestMetresPerSecond * seconds + doubt else { return nil }
        let expected = "a place that can be reached within \((seconds * 10).rounded() / 10) s of the fix before"
        let found = "one that is \((metres / 100).rounded() / 10) km away"
        return Problem(.fixLeaps, file: file, line: line, field: "latitude", expected: expected, found: found)
    }

    private static func radius(_ fix: LocationSample) -> Double {
        fix.horizontalAccuracyMetres ?? unknownRadiusMetres
    }
}
