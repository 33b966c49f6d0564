package import Messages
import Platform

package struct PlaybackReport: Sendable {
    /// Sorted by topic name.
    package var topics: [TopicStatistics] = []
    /// One for each sink, in the order in which they were given.
    package var sinks: [SinkReport] = []
    package var wasInterrupted = false
    /// Recorded time that was played, loops counted each.
    package var playedSeconds: Double = 0
    /// How long after it was due each moment was handed on.
    package var lateness = LatenessHistogram()
    /// The error that ended the run before its time.
    package var failure: (any Error)?

    package init() {}
}

/// How far a player is, for a line of progress.
package actor PlaybackProgress {
    package struct Snapshot: Sendable {
        package var playedSeconds: Double = 0
        package var totalSeconds: Double = 0
        package var messages = 0
        package var bytes = 0
        package var isPaused = false
        /// Recorded time against the wall's; `nil` for as fast as possible.
        package var rate: Double?
    }

    private var state = Snapshot()

    package init() {}

    package var snapshot: Snapshot { state }

    func begin(totalSeconds: Double, rate: Double?) {
        state.totalSeconds = totalSeconds
        state.rate = rate
    }

    func advance(playedSeconds: Double, messages: Int, bytes: Int) {
        state.playedSeconds = playedSeconds
        state.messages += messages
        state.bytes += bytes
    }

    func note(isPaused: Bool, rate: Double?) {
        state.isPaused = isPaused
        state.rate = rate
    }
}

/// How late things were: counts in classes of about 2 %, so that its size does not grow with what it has seen.
package struct LatenessHistogram: Sendable, Hashable {
    private static let classes = 32
    private var counts = BinCounts()
    package private(set) var worstNanoseconds: Int64 = 0

    package init() {}

    package var count: Int { counts.count }

    package mutating func add(nanoseconds: Int64) {
        let value = max(0, nanoseconds)
        worstNanoseconds = max(worstNanoseconds, value)
        counts.add(toBin: Self.index(of: UInt64(value)))
    }

    /// The time that a part of all stayed within, in nanoseconds; 0 where there is nothing.
    ///
    /// - Parameter part: 0.5 for the median, 0.99 for the 99th percentile.
    package func quantile(_ part: Double) -> Int64 {
        counts.bin(ofQuantile: part, .lower).map { min(Self.upperBound(of: $0), worstNanoseconds) } ?? 0
    }

    private static func index(of value: UInt64) -> Int {
        guard value >= UInt64(classes) else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let fraction = Int(value >> UInt64(exponent - 5)) & (classes - 1)
        return (exponent - 4) * classes + fraction
    }

    private static func upperBound(of index: Int) -> Int64 {
        guard index >= classes else { return Int64(index) }
        let exponent = index / classes + 4
        let fraction = UInt64(index % classes) | UInt64(classes)
        let bound = ((fraction + 1) << UInt64(exponent - 5)) - 1
        return Int64(clamping: bound)
    }
}

/// The messages published on one topic: their number, size, rate and regularity.
package struct TopicStatistics: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var count = 0
    /// As CDR.
    package var bytes = 0
    package var largestBytes = 0
    package var lastBytes = 0
    package var firstNanoseconds: Int64 = 0
    package var lastNanoseconds: Int64 = 0
    package var largestGapNanoseconds: Int64 = 0

    package init(name: String, typeName: String) { (self.name, self.typeName) = (name, typeName) }

    package mutating func add(timeNanoseconds: Int64, bytes: Int) {
        if count == 0 {
            firstNanoseconds = timeNanoseconds
        } else {
            largestGapNanoseconds = max(largestGapNanoseconds, timeNanoseconds &- lastNanoseconds)
        }
        lastNanoseconds = timeNanoseconds
        count += 1
        self.bytes += bytes
        largestBytes = max(largestBytes, bytes)
        lastBytes = bytes
    }

    /// Messages per second between the first and the last; `nil` for fewer than two.
    package var rateHertz: Double? {
        let seconds = Double(lastNanoseconds &- firstNanoseconds) / 1e9
        return count > 1 && seconds > 0 ? Double(count - 1) / seconds : nil
    }

    package var megabitsPerSecond: Double? {
        rateHertz.map { $0 * Double(bytes) / Double(max(count, 1)) * 8 / 1e6 }
    }
}
