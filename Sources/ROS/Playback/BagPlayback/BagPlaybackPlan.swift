package import Bags
package import Messages
import Platform
package import SystemPackage

/// Everything that decides what of a bag is published, when and under which names.
package struct BagPlaybackPlan: Sendable {
    /// The chosen topics, by the names of the bag: after legacy names were brought up to date and before ``naming``.
    package var selection = TopicSelection()
    package var naming = TopicNaming()
    package var start: PlaybackPlace?
    package var end: PlaybackPlace?
    package var durationSeconds: Double?
    /// Types of topics that the bag names wrongly, by topic.
    package var types: [String: String] = [:]
    /// True if topics that cannot be published are left out knowingly, and one of two types under one name too.
    package var skipsUnknown = false
    package var resolver = TypeResolver()
    /// Plays of a damaged bag what can be read, and counts what is missing, instead of refusing it.
    package var acceptsDamage = false
    /// How large compressed files may become.
    package var unpackLimit = UnpackLimit()
    /// How it is played: rate, loops, stamps; the clock's topic is found by the setup.
    package var playback = PlaybackOptions()
    /// How often `/clock` is published; `nil` for never: then a recorded one is.
    package var clockHertz: Double?

    package init() {}
}

/// Why a bag cannot be played as it was asked for.
package enum BagPlaybackError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty(FilePath)
    case noSuchFrame(index: Int, last: Int)
    /// No topic was selected; what was asked for and is not there, a line each.
    case noTopic([String])
    /// None of the selected topics can be published.
    case nothingLeft(reasons: [String])
    case badName(String)
    /// Topics of different types that would have one name.
    case sameName(String, types: [String])

    package var description: String {
        switch self {
        case .empty(let path): "bag: \(path): expected messages, found none"
        case .noSuchFrame(let index, let last):
            "span: expected the number of a moment that the bag has (up to \(last)), found \(index)"
        case .noTopic(let unmatched):
            "topics: expected at least one that the bag has, found none"
                + (unmatched.isEmpty ? "" : " (\(unmatched.joined(separator: "; ")))")
        case .nothingLeft(let reasons):
            "topics: expected at least one that can be published, found none (\(reasons.joined(separator: "; ")))"
        case .badName(let name):
            "topics: \(name): expected a ROS name (letters, digits and _ between slashes), found another"
        case .sameName(let name, let types):
            "topics: \(name): expected one type for each name, found \(types.joined(separator: " and "))"
        }
    }
}

/// Turns places of a bag into times.
struct SpanOfBag {
    var reader: BagReader
    /// The names in the bag of the topics that count as moments.
    var topics: Set<String>
    /// The times of the bag's first and last message.
    var first: Int64
    var last: Int64

    func resolve(_ plan: BagPlaybackPlan) throws -> ClosedRange<Int64> {
        let lower = try plan.start.map(time) ?? first
        let end = try plan.end.map(time)
        var upper = end ?? max(first, last)
        if let seconds = plan.durationSeconds { upper = min(upper, after(max(lower, first), seconds)) }
        let latest = max(first, min(last, PublishedTopic.latestTime))
        guard lower <= latest, upper >= first, lower <= upper else {
            let isOpen = end == nil && plan.durationSeconds == nil
            throw EmptySpanError(of: "bag", held: (first, last), start: lower, end: isOpen ? nil : upper)
        }
        return max(lower, first)...min(upper, latest)
    }

    /// The time that a place means.
    func time(_ place: PlaybackPlace) throws -> Int64 {
        switch place {
        case .seconds(let seconds): return after(first, seconds)
        case .date(let nanoseconds): return nanoseconds
        case .frame(let index):
            var last = -1
            var lastTime: Int64?
            let cursor = try reader.rowTimes(BagQuery(topics: topics), tolerating: reader.tolerance.union(.damage))
            while let row = try cursor.next() {
                if row.timeNanoseconds == lastTime { continue }
                lastTime = row.timeNanoseconds
                last += 1
                if last == index { return row.timeNanoseconds }
            }
            throw BagPlaybackError.noSuchFrame(index: index, last: last)
        }
    }

    private func after(_ time: Int64, _ seconds: Double) -> Int64 {
        let offset = Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))
        let (sum, overflow) = time.addingReportingOverflow(offset)
        return overflow ? (offset < 0 ? .min : .max) : sum
    }
}
