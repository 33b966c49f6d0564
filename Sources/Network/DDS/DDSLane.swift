import Messages

/// A topic of a ``DDSSink``: what was written to it, and what of that was acknowledged.
struct DDSLane {
    var topic: Topic
    var writer: DDSParticipant.Writer
    var written = 0
    var bytes = 0
    /// As many of them as were acknowledged by all, as far as was asked.
    var acknowledged = 0
    /// When it is asked again.
    var nextQuestionNanoseconds: Int64 = 0
    /// Messages that a lost reader had not acknowledged, and messages written after it while there was no reader.
    var lost = 0
    /// Messages from before there was any reader.
    var unread = 0
    /// The readers there are, each with how many messages had been written when it came.
    var readers: [UInt64: Int] = [:]
    var hadReader = false
    /// True if it goes on although its readers are lost.
    var isAbandoned = false

    var isDeserted: Bool { hadReader && readers.isEmpty && !isAbandoned }

    /// Messages that a reader may not have got.
    var unconfirmed: Int { lost + written - acknowledged }

    /// Takes the readers that there are now.
    ///
    /// - Parameter keepsAll: True if readers that come late get everything.
    /// - Returns: True if one was lost. What it had not acknowledged, and no other was there for, is counted.
    mutating func take(_ now: Set<UInt64>, keepsAll: Bool) -> Bool {
        let old = readers
        readers = Dictionary(uniqueKeysWithValues: now.map { ($0, old[$0] ?? (keepsAll ? 0 : written)) })
        if !now.isEmpty { (hadReader, isAbandoned) = (true, false) }
        if keepsAll, !now.isEmpty { unread = 0 }
        guard !now.isSuperset(of: old.keys) else { return false }
        let missing = max(0, (readers.values.min() ?? written) - acknowledged)
        lost += missing
        acknowledged += missing
        return true
    }

    mutating func noteWritten(_ count: Int) {
        written += 1
        bytes += count
        guard readers.isEmpty else { return }
        // Without a reader there is nothing to acknowledge.
        acknowledged = written
        if hadReader { lost += 1 } else { unread += 1 }
    }
}
