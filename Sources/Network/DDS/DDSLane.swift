import Messages

/// A topic of a ``DDSSink``: what was written to it, and what of that was acknowledged.
struct DDSLane {
    let topic: Topic
    let writer: DDSParticipant.Writer
    private(set) var written = 0
    private(set) var bytes = 0
    /// As many of them as are settled: acknowledged by all readers, or counted as lost or unread.
    private(set) var settled = 0
    /// Messages that no reader has acknowledged that it was for: those that one that is lost had not, and those after it.
    private(set) var lost = 0
    /// Messages from before there was any reader.
    private(set) var unread = 0
    /// The readers there are, each with how many messages had been written when it came.
    private(set) var readers: [UInt64: Int] = [:]
    private var hadReader = false
    /// True if it goes on although its readers are lost.
    var isAbandoned = false
    /// The library's count when it was looked at last.
    private var acknowledged = 0
    private(set) var changes: UInt64 = 0
    /// True if readers that come late get everything.
    private let keepsAll: Bool
    /// As many as one reader had acknowledged that has left, where readers that come late get everything.
    private var best = 0
    /// When it is asked again whether all is acknowledged, where there is no count.
    var nextQuestionNanoseconds: Int64 = 0

    init(_ topic: Topic, _ writer: DDSParticipant.Writer, keepsAll: Bool) {
        (self.topic, self.writer, self.keepsAll) = (topic, writer, keepsAll)
    }

    /// True if there are readers, and they have not acknowledged everything.
    var isWaiting: Bool { !readers.isEmpty && settled < written }

    var isDeserted: Bool { hadReader && readers.isEmpty && !isAbandoned }

    /// Messages that a reader may not have got.
    var unconfirmed: Int { lost + written - settled }

    /// Takes the readers that there are now, and the library's count from just before they were asked for.
    ///
    /// Of a writer that keeps messages for late readers, and so never lets go of them, ``settleAll()`` takes the place of the count.
    ///
    /// - Returns: True if one was lost. What it had not acknowledged, and no other was there for, is counted; where several readers leave
    ///   within one look it may be too many, and never too few.
    mutating func take(_ now: Set<UInt64>, _ count: DDSParticipant.Count) -> Bool {
        let old = readers
        let isLost = !now.isSuperset(of: old.keys)
        // When a reader is removed, all that it had not acknowledged is released: only acknowledgements count then.
        let confirmed = isLost ? settled + count.acknowledged - acknowledged : count.released
        (acknowledged, changes) = (count.acknowledged, count.changes)
        let start = keepsAll ? 0 : min(written, count.writtenAtMatch)
        readers = Dictionary(uniqueKeysWithValues: now.map { ($0, old[$0] ?? start) })
        if !now.isEmpty { (hadReader, isAbandoned) = (true, false) }
        if keepsAll {
            // A new reader gets every message, so all of them are open again.
            if !now.isSubset(of: old.keys) { (best, settled, unread) = (max(best, settled - unread), 0, 0) }
            if now.isEmpty { settled = max(settled, best) }
            return isLost
        }
        if !writer.keepsForLate, !old.isEmpty { settled = max(settled, min(confirmed, written)) }
        guard isLost else { return false }
        let missing = max(0, (readers.values.min() ?? written) - settled)
        lost += missing
        settled += missing
        return true
    }

    /// Notes that the readers there are have acknowledged everything.
    mutating func settleAll() { settled = written }

    mutating func noteWritten(_ count: Int) {
        written += 1
        bytes += count
        guard readers.isEmpty, !(keepsAll && hadReader) else { return }
        // Without a reader there is nothing to acknowledge.
        settled = written
        if hadReader { lost += 1 } else { unread += 1 }
    }
}
