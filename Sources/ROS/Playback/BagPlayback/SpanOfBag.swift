import Bags

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
        var upper = try plan.end.map(time) ?? max(first, last)
        if let seconds = plan.durationSeconds { upper = min(upper, after(max(lower, first), seconds)) }
        let latest = max(first, min(last, PublishedTopic.latestTime))
        guard lower <= latest, upper >= first, lower <= upper else {
            func text(_ time: Int64) -> String { "\(Double((time &- first) / 1_000_000) / 1000) s" }
            throw BagPlaybackError.emptySpan(asked: "\(text(lower)) to \(text(upper))", held: "0.0 s to \(text(last))")
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
