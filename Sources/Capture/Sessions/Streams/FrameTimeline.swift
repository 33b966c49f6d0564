import Platform
package import Recording

/// The frames' times in the order in which a cursor hands them out: where the session begins and ends, and its gaps.
///
/// A time that is more than a day from all others is not of this session. Of stretches that far apart the one with the
/// most frames is the session. Memory does not grow with the number of frames.
struct FrameTimeline {
    static let maximumGapSeconds = 86_400.0

    /// Frames without such a gap between them.
    struct Stretch {
        var first: Timestamp
        var last: Timestamp
        var count = 1
        var largestGapSeconds = 0.0
        var largestGapStart: Timestamp?
        /// The first few, for naming them.
        var lines: [(number: Int, time: Timestamp)]
    }

    /// The session's own stretch, once ``finish()`` was called.
    private(set) var session: Stretch?
    /// The stretches that are not the session's: how many frames, and the first few.
    private(set) var strayCount = 0
    private(set) var strays: [(number: Int, time: Timestamp)] = []
    private(set) var lateCount = 0

    private var waiting = TimeHeap<Int>()
    private var current: Stretch?
    private var intervals = IntervalHistogram()

    var medianIntervalSeconds: Double? { intervals.median }

    mutating func add(_ time: Timestamp, line: Int) {
        waiting.insert(.init(time: time, content: line))
        if waiting.count > TimeHeap<Int>.window { handOut() }
    }

    mutating func finish() {
        while waiting.count > 0 { handOut() }
        close()
    }

    private mutating func handOut() {
        guard let entry = waiting.removeFirst() else { return }
        let number = entry.content
        guard var stretch = current else {
            current = Stretch(first: entry.time, last: entry.time, lines: [(number, entry.time)])
            return
        }
        guard entry.time >= stretch.last else {
            lateCount += 1
            return
        }
        let gap = entry.time.seconds(since: stretch.last)
        guard gap <= Self.maximumGapSeconds else {
            close()
            current = Stretch(first: entry.time, last: entry.time, lines: [(number, entry.time)])
            return
        }
        intervals.add(gap)
        if gap > stretch.largestGapSeconds {
            stretch.largestGapSeconds = gap
            stretch.largestGapStart = stretch.last
        }
        stretch.last = entry.time
        stretch.count += 1
        if stretch.lines.count < Diagnostics.examplesPerKind { stretch.lines.append((number, entry.time)) }
        current = stretch
    }

    /// Ends the current stretch and keeps the larger one.
    private mutating func close() {
        guard let ended = current else { return }
        current = nil
        guard let best = session else {
            session = ended
            return
        }
        let smaller = ended.count > best.count ? best : ended
        session = ended.count > best.count ? ended : best
        strayCount += smaller.count
        strays += smaller.lines.prefix(max(0, Diagnostics.examplesPerKind - strays.count))
    }
}

/// Counts intervals in bins of a quarter of a millisecond up to two seconds, so that a median needs no list.
struct IntervalHistogram {
    private static let binSeconds = 0.000_25
    private var counts = BinCounts()

    var count: Int { counts.count }

    mutating func add(_ seconds: Double) {
        guard seconds > 0 else { return }
        counts.add(toBin: min(7999, Int(min(seconds, 2) / Self.binSeconds)))
    }

    /// The middle of the bin of the median; nil without intervals.
    var median: Double? { counts.bin(ofQuantile: 0.5).map { (Double($0) + 0.5) * Self.binSeconds } }
}

/// A small heap of what a stream yields, the earliest first; equal times keep the order of the file.
package struct TimeHeap<Content> {
    /// How many entries may wait to be put in order, in every stream of a session.
    package static var window: Int { 64 }

    package struct Entry {
        package var time: Timestamp
        package var content: Content

        package init(time: Timestamp, content: Content) { (self.time, self.content) = (time, content) }
    }

    private var entries = Heap<(sequence: Int, entry: Entry)> { one, other in
        (one.entry.time, one.sequence) < (other.entry.time, other.sequence)
    }
    private var sequence = 0

    package var count: Int { entries.count }

    var firstTime: Timestamp? { entries.first?.entry.time }

    package mutating func insert(_ entry: Entry) {
        entries.insert((sequence, entry))
        sequence += 1
    }

    package mutating func removeFirst() -> Entry? { entries.removeFirst()?.entry }
}
